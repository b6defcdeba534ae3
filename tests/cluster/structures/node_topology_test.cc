#include "cluster/structures/node_topology.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/inside/node_structure.h"
#include "matcher/inside/structure_text.h"

namespace fluxnetes::cluster {
namespace {

TopologyZone ZoneOf(int number, std::int64_t cpus, std::int64_t gpus = 0,
                    std::map<int, int> costs = {}) {
  TopologyZone zone;
  zone.numa.number = number;
  zone.numa.allocatable.cpu_milli = cpus * 1'000;
  zone.numa.allocatable.SetExtended("nvidia.com/gpu", gpus);
  zone.costs = std::move(costs);
  return zone;
}

std::string PathsOf(std::vector<TopologyZone> zones) {
  NodeTopology topology;
  topology.zones = std::move(zones);
  const matcher::ResourceGraph inside =
      matcher::ReadStructure(StructureOf(topology));
  const matcher::NodeStructure structure(inside, inside.root());
  std::string paths;
  for (matcher::VertexIndex v = 1; v < structure.size(); ++v)
    paths += (v == 1 ? "" : " ") + structure.Path(v);
  return paths;
}

TEST(NodeTopology, ZonesAreDomainsWithTheirCoresAndDevices) {
  EXPECT_EQ(PathsOf({ZoneOf(0, 1, 1), ZoneOf(3, 2, 1)}),
            "numa0 numa0/core0 numa0/gpu0 numa3 numa3/core1 numa3/core2 "
            "numa3/gpu1");
}

TEST(NodeTopology, PartOfACpuThatIsLeftIsNoCore) {
  TopologyZone zone = ZoneOf(0, 2);
  zone.numa.allocatable.cpu_milli = 1'999;
  EXPECT_EQ(PathsOf({zone}), "numa0 numa0/core0");
}

TEST(NodeTopology, CostsBelowTwentyMakeASocket) {
  EXPECT_EQ(PathsOf({ZoneOf(0, 0, 0, {{0, 10}, {1, 12}, {2, 32}}),
                     ZoneOf(1, 0, 0, {{0, 12}, {1, 10}, {2, 32}}),
                     ZoneOf(2, 0, 0, {{0, 32}, {1, 32}, {2, 10}})}),
            "socket0 socket0/numa0 socket0/numa1 socket1 socket1/numa2");
  EXPECT_EQ(PathsOf({ZoneOf(0, 0, 0, {{0, 10}, {1, 21}}),
                     ZoneOf(1, 0, 0, {{0, 21}, {1, 10}})}),
            "socket0 socket0/numa0 socket1 socket1/numa1");
}

TEST(NodeTopology, CostsThatTellNoSocketsApartMakeNone) {
  EXPECT_EQ(PathsOf({ZoneOf(0, 0), ZoneOf(1, 0)}), "numa0 numa1");
  // 0 is near 1 and 1 is near 2, but 0 is not near 2.
  EXPECT_EQ(PathsOf({ZoneOf(0, 0, 0, {{0, 10}, {1, 12}, {2, 32}}),
                     ZoneOf(1, 0, 0, {{0, 12}, {1, 10}, {2, 12}}),
                     ZoneOf(2, 0, 0, {{0, 32}, {1, 12}, {2, 10}})}),
            "numa0 numa1 numa2");
}

TEST(NodeTopology, MemoryIsInPiecesThatAddUp) {
  TopologyZone zone = ZoneOf(0, 1);
  zone.numa.allocatable.memory_bytes = (std::int64_t{100} << 30) + 5;
  NodeTopology topology;
  topology.zones = {zone};
  const matcher::ResourceGraph inside =
      matcher::ReadStructure(StructureOf(topology));
  std::int64_t mib = 0;
  int pieces = 0;
  for (matcher::VertexIndex v = 0; v < inside.size(); ++v) {
    if (inside.TypeName(v) != "memory") continue;
    mib += inside.units(v);
    ++pieces;
  }
  EXPECT_EQ(mib, 100 << 10);
  EXPECT_EQ(pieces, 25);  // of 4 GiB
}

TEST(NodeTopology, TooMuchOfSomethingIsRefused) {
  try {
    PathsOf({ZoneOf(2, 10'001)});
    FAIL();
  } catch (const matcher::StructureError& error) {
    EXPECT_STREQ(error.what(),
                 "zone 2 has 10001 of core; at most 10000 may be in one");
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
