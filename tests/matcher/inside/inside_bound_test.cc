#include "matcher/inside/inside_bound.h"

#include <gtest/gtest.h>

#include <vector>

#include "matcher/inside/inside_request.h"
#include "matcher/inside/short_structure.h"

namespace fluxnetes::matcher {
namespace {

TEST(InsideBound, LooksForADomainWithEnoughOfEachType) {
  const ResourceGraph graph =
      ReadShortStructure("sockets: 2, cores: 8, gpus: 4, memory: 64Mi");
  const NodeStructure structure(graph, 0);
  const auto may_fit = [&](std::int64_t cpus, std::int64_t gpus,
                           std::int64_t memory,
                           const std::vector<const char*>& taken) {
    InsideWish wish;
    wish.align = Align::kSocket;
    wish.cpus = cpus;
    wish.gpus = gpus;
    wish.memory_mib = memory;
    const InsideRequest request = RequestOf(wish);
    const InsideBound bound(structure, request.choices[0].jobspec);
    VertexMask mask(structure.size());
    for (const char* path : taken) {
      structure.InsertBelow({*structure.Find(path)}, mask);
    }
    return bound.MayFit(mask.words());
  };
  EXPECT_TRUE(may_fit(4, 2, 32, {}));
  EXPECT_FALSE(may_fit(5, 2, 32, {}));
  EXPECT_FALSE(may_fit(4, 3, 32, {}));
  EXPECT_FALSE(may_fit(4, 2, 33, {}));
  EXPECT_TRUE(may_fit(4, 2, 32, {"core0"}));
  EXPECT_FALSE(may_fit(4, 2, 32, {"core0", "gpu3"}));
  EXPECT_TRUE(may_fit(3, 1, 32, {"core0", "gpu3"}));
  EXPECT_FALSE(may_fit(1, 0, 0, {"socket0", "socket1"}));
}

TEST(InsideBound, LetsAJobspecPassThatAsksForNothing) {
  // As one is that asked for memory alone, where none is shown.
  const ResourceGraph graph = ReadShortStructure("cores: 1");
  const NodeStructure structure(graph, 0);
  const InsideBound bound(structure, Jobspec());
  EXPECT_TRUE(bound.MayFit(VertexMask(structure.size()).words()));
}

TEST(InsideBound, CountsVerticesNotUnits) {
  // A piece of memory is 4 MiB, and a task takes whole pieces.
  const ResourceGraph graph = ReadShortStructure("memory: 128Mi");
  const NodeStructure structure(graph, 0);
  InsideWish wish;
  wish.memory_mib = 5;
  const InsideRequest request = RequestOf(wish);
  const InsideBound bound(structure, request.choices[0].jobspec);
  VertexMask mask(structure.size());
  for (VertexIndex v = 3; v < structure.size(); ++v) mask.Insert(v);
  EXPECT_FALSE(bound.MayFit(mask.words()));
  VertexMask two(structure.size());
  for (VertexIndex v = 4; v < structure.size(); ++v) two.Insert(v);
  EXPECT_TRUE(bound.MayFit(two.words()));
}

}  // namespace
}  // namespace fluxnetes::matcher
