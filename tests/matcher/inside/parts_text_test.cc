#include "matcher/inside/parts_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "matcher/inside/short_structure.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {
namespace {

std::string FaultOfParts(const std::string& text) {
  try {
    ReadParts(text, nullptr);
  } catch (const PartsError& error) {
    return error.what();
  }
  return "";
}

TEST(PartsText, NamesWholeVerticesAndRanges) {
  const ResourceGraph graph =
      ReadShortStructure("sockets: 2, numa: 4, cores: 16, gpus: 2");
  const NodeStructure structure(graph, 0);
  const std::string text =
      "socket0/numa0/ socket0/numa1/core[4,6-7] socket0/gpu0 socket1/numa2";
  const InsideParts parts = ReadParts(text, &structure);
  EXPECT_TRUE(parts.all_known);
  EXPECT_EQ(parts.vertices.size(), 5 + 3 + 1 + 1U);
  EXPECT_EQ(WriteParts(structure, parts.vertices), text);
  EXPECT_EQ(ReadParts("/", &structure).vertices.size(),
            static_cast<std::size_t>(structure.size()));
  EXPECT_FALSE(ReadParts("socket0/core99 gpu1", &structure).all_known);
  EXPECT_EQ(ReadParts("", &structure).vertices.size(), 0U);
}

TEST(PartsText, WritesOddNamesSafely) {
  ResourceGraph graph;
  const auto add = [&](const std::string& name, VertexIndex above) {
    Vertex vertex;
    vertex.type = above == kNoVertex ? "node" : "device";
    vertex.name = name;
    const VertexIndex v = graph.AddVertex(vertex);
    if (above != kNoVertex) graph.AddEdge(above, v);
    return v;
  };
  const VertexIndex node = add("n", kNoVertex);
  const VertexIndex odd = add("a b/[%]\xc3\xa9", node);
  add("07", odd);
  add("7", odd);
  add("8", odd);
  add("x", odd);
  graph.SetRoot(node);
  const NodeStructure structure(graph, node);
  const std::string text = WriteParts(structure, {2, 3, 4});
  EXPECT_EQ(text, "a%20b%2F%5B%25%5D%C3%A9/07 a%20b%2F%5B%25%5D%C3%A9/[7-8]");
  EXPECT_EQ(ReadParts(text, &structure).vertices,
            (std::vector<VertexIndex>{2, 3, 4}));
}

TEST(PartsText, EverySetOfVerticesIsReadAsItWasWritten) {
  const ResourceGraph graph = ReadShortStructure(
      "sockets: 2, numa: 4, cores: 16, gpus: 8, memory: 64Mi, nics: 1");
  const NodeStructure structure(graph, 0);
  Random random(1);
  for (int round = 0; round < 2'000; ++round) {
    std::vector<VertexIndex> some;
    const int most = random.Between(1, 8);
    for (VertexIndex v = 1; v < structure.size(); ++v) {
      if (random.OneIn(most)) some.push_back(v);
    }
    const std::string text = WriteParts(structure, some);
    const InsideParts parts = ReadParts(text, &structure);
    ASSERT_EQ(parts.vertices, some) << text;
    ASSERT_TRUE(parts.all_known);
  }
}

TEST(PartsText, SaysWhereATextIsWrong) {
  EXPECT_EQ(FaultOfParts("core0  core1"),
            "parts of a node, byte 6: a name must be here");
  EXPECT_EQ(FaultOfParts("core0 "),
            "parts of a node, byte 6: a name must be here");
  EXPECT_EQ(FaultOfParts("a//"),
            "parts of a node, byte 2: a name must be here");
  EXPECT_EQ(FaultOfParts("/a"),
            "parts of a node, byte 1: a name must be before a slash");
  EXPECT_EQ(FaultOfParts("a[0"),
            "parts of a node, byte 1: the bracket is not closed");
  EXPECT_EQ(FaultOfParts("a[x]"),
            "parts of a node, byte 1: the brackets must hold numbers such as "
            "0-3,7");
  EXPECT_EQ(FaultOfParts("a[0-99999]"),
            "parts of a node, byte 1: there are more than 16384 vertices");
  EXPECT_EQ(FaultOfParts("a[0]/b"),
            "parts of a node, byte 5: brackets must be at the end of a path");
  EXPECT_EQ(FaultOfParts("a[0]b"),
            "parts of a node, byte 4: a blank must follow a path");
  EXPECT_EQ(FaultOfParts("a%2"),
            "parts of a node, byte 1: a name has letters, digits, '.', ':', "
            "'_', '-' and %XX alone");
  EXPECT_NE(FaultOfParts(std::string(kMaxPartsBytes + 1, 'a')), "");
  std::string deep = "a";
  for (int i = 0; i < 70; ++i) deep += "/a";
  EXPECT_NE(FaultOfParts(deep).find("the path has too many names"),
            std::string::npos);
}

}  // namespace
}  // namespace fluxnetes::matcher
