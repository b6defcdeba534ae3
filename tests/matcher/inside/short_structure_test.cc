#include "matcher/inside/short_structure.h"

#include <gtest/gtest.h>

#include <string>

#include "matcher/inside/node_structure.h"

namespace fluxnetes::matcher {
namespace {

std::string PathsOf(const std::string& text) {
  const ResourceGraph graph = ReadShortStructure(text);
  const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
  std::string paths;
  for (VertexIndex v = 1; v < structure.size(); ++v) {
    paths += structure.Path(v) + " ";
  }
  return paths;
}

std::string ErrorOf(const std::string& text) {
  try {
    ReadShortStructure(text);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "";
}

int CountOf(const ResourceGraph& graph, const std::string& type) {
  int count = 0;
  for (VertexIndex v = 0; v < graph.size(); ++v) {
    count += graph.TypeName(v) == type;
  }
  return count;
}

TEST(ShortStructure, ContainsTheFewerFurtherOut) {
  EXPECT_EQ(PathsOf("sockets: 2, cores: 4"),
            "socket0 socket0/core0 socket0/core1 socket1 socket1/core2 "
            "socket1/core3 ");
  EXPECT_EQ(PathsOf("numa: 2, islands: 1, sockets: 2, gpus: 2"),
            "island0 island0/socket0 island0/socket0/numa0 "
            "island0/socket0/numa0/gpu0 island0/socket1 island0/socket1/numa1 "
            "island0/socket1/numa1/gpu1 ");
}

TEST(ShortStructure, RefusesWhatDoesNotDivide) {
  EXPECT_EQ(ErrorOf("sockets: 2, cores: 5"),
            "cores: 5 cannot be divided equally over sockets: 2");
  EXPECT_EQ(ErrorOf("sockets: 2, numa: 3"),
            "numa: 3 cannot be divided equally over sockets: 2");
  EXPECT_EQ(ErrorOf("sockets: 2, islands: 4, gpus: 6"),
            "gpus: 6 cannot be divided equally over islands: 4");
  EXPECT_EQ(ErrorOf("sockets: 2, memory: 1025Mi"),
            "memory: 1025Mi cannot be divided equally over sockets: 2");
}

TEST(ShortStructure, SaysWhatIsWrongWithAText) {
  EXPECT_EQ(ErrorOf("cores: 0"),
            "cores: \"0\" is not a number from 1 to 10000");
  EXPECT_EQ(ErrorOf("cores: 4x"),
            "cores: \"4x\" is not a number from 1 to 10000");
  EXPECT_EQ(ErrorOf("cores: 4, cores: 4"), "cores is there twice");
  EXPECT_EQ(ErrorOf("memory: 512"),
            "memory: \"512\" is not an amount such as 512Gi, up to 2048Ti");
  const std::string choice =
      " is not one of sockets, numa, islands, cores, gpus, nics and memory "
      "with a count, such as cores: 64";
  EXPECT_EQ(ErrorOf("cpus: 4"), "\"cpus: 4\"" + choice);
  EXPECT_EQ(ErrorOf("cores: 4,"), "\"\"" + choice);
  EXPECT_EQ(ErrorOf(""), "\"\"" + choice);
  EXPECT_EQ(ErrorOf(std::string(1'001, ' ')),
            "the text is longer than 1000 bytes");
  EXPECT_EQ(ErrorOf("cores: 10000, gpus: 10000"),
            "the node would have more than 16384 vertices");
}

TEST(ShortStructure, PutsDevicesIntoTheInnermostDomainsThatTheyFill) {
  const std::string paths =
      PathsOf("sockets: 2, islands: 2, numa: 4, gpus: 2, nics: 1");
  EXPECT_NE(paths.find("socket0/island0/gpu0 "), std::string::npos) << paths;
  EXPECT_NE(paths.find("socket1/island1/gpu1 "), std::string::npos) << paths;
  EXPECT_NE(paths.find(" nic0 "), std::string::npos) << paths;
}

TEST(ShortStructure, CutsMemoryIntoPieces) {
  const ResourceGraph graph = ReadShortStructure("sockets: 2, memory: 200Gi");
  EXPECT_EQ(CountOf(graph, "memory"), 50);
  std::int64_t sum = 0;
  for (VertexIndex v = 0; v < graph.size(); ++v) {
    if (graph.TypeName(v) != "memory") continue;
    sum += graph.units(v);
    EXPECT_EQ(graph.units(v), 4096);
  }
  EXPECT_EQ(sum, 200 * 1024);
  EXPECT_EQ(CountOf(ReadShortStructure("memory: 3Mi"), "memory"), 3);
}

}  // namespace
}  // namespace fluxnetes::matcher
