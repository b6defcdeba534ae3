#include "matcher/readers/jgf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

using ::testing::HasSubstr;

constexpr const char* kCluster =
    R"({"id": "0", "metadata": {"type": "cluster",)"
    R"( "paths": {"containment": "/cluster0"}}})";
constexpr const char* kNode =
    R"({"id": "1", "metadata": {"type": "node", "name": "host7", "rank": 3,)"
    R"( "properties": {"ssd": "1"}, "paths": {"containment":)"
    R"( "/cluster0/host7"}}})";

std::string Document(const std::string& nodes, const std::string& edges) {
  return R"({"graph": {"nodes": [)" + nodes + R"(], "edges": [)" + edges +
         "]}}";
}

std::string Edge(const char* source, const char* target) {
  return std::string(R"({"source": ")") + source + R"(", "target": ")" +
         target + "\"}";
}

std::string WhyNoJgf(const std::string& text) {
  try {
    ReadJgf(text);
  } catch (const JgfError& error) {
    return error.what();
  }
  return "none";
}

TEST(Jgf, MissingMetadataHasDefaults) {
  const ResourceGraph graph =
      ReadJgf(Document(std::string(kCluster) + ", " + kNode, Edge("0", "1")));
  ASSERT_EQ(graph.size(), 2);
  EXPECT_EQ(graph.root(), 0);
  EXPECT_EQ(graph.Name(0), "cluster0");
  EXPECT_EQ(graph.id(0), 0);
  EXPECT_EQ(graph.rank(0), -1);
  EXPECT_EQ(graph.units(0), 1);
  EXPECT_TRUE(graph.up(0));
  EXPECT_EQ(graph.id(1), 7);  // the digits of the name
  EXPECT_EQ(graph.uniq_id(1), 1);
  EXPECT_EQ(graph.parent(1), 0);
  EXPECT_EQ(graph.PropertiesOf(1)->at("ssd"), "1");
  EXPECT_EQ(graph.Find("/cluster0/host7"), 1);
  EXPECT_EQ(graph.Find("/cluster0/host8"), std::nullopt);
}

TEST(Jgf, EdgesBackToTheParentAreIgnored) {
  const std::string nodes = std::string(kCluster) + ", " + kNode;
  for (const auto& edges : {Edge("0", "1") + "," + Edge("1", "0"),
                            Edge("1", "0") + "," + Edge("0", "1")}) {
    const ResourceGraph graph = ReadJgf(Document(nodes, edges));
    EXPECT_EQ(graph.parent(1), 0);
    EXPECT_EQ(graph.parent(0), kNoVertex);
  }
}

TEST(Jgf, ErrorsNameThePlace) {
  const std::string cluster = kCluster;
  EXPECT_THAT(WhyNoJgf("{"), HasSubstr("parse error"));
  EXPECT_THAT(WhyNoJgf("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(WhyNoJgf(R"({"graph": {"nodes": []}})"),
              HasSubstr("graph: has no \"edges\""));
  EXPECT_THAT(WhyNoJgf(Document("7", "")), HasSubstr("graph.nodes[0]"));
  EXPECT_THAT(WhyNoJgf(Document(R"({"id": 3})", "")),
              HasSubstr("graph.nodes[0].id: is not a text"));
  EXPECT_THAT(
      WhyNoJgf(Document(R"({"id": "0", "metadata": {"paths": {}}})", "")),
      HasSubstr("graph.nodes[0].metadata: has no \"type\""));
  EXPECT_THAT(WhyNoJgf(Document(R"({"id": "0", "metadata": {"type": "core",
                               "size": -1, "paths": {}}})",
                                "")),
              HasSubstr("graph.nodes[0].metadata.size"));
  EXPECT_THAT(WhyNoJgf(Document(R"({"id": "x", "metadata": {"type": "core",
                               "paths": {}}})",
                                "")),
              HasSubstr("uniq_id"));
  EXPECT_THAT(WhyNoJgf(Document(cluster + "," + cluster, "")),
              HasSubstr("\"0\" is there twice"));
  EXPECT_THAT(WhyNoJgf(Document(cluster, Edge("0", "9"))),
              HasSubstr("graph.edges[0].target: \"9\""));
  EXPECT_THAT(WhyNoJgf(Document(cluster + "," + kNode,
                                Edge("0", "1") + "," + Edge("0", "1"))),
              HasSubstr("graph.edges[1]: there is an edge"));
  EXPECT_THAT(WhyNoJgf(Document("", "")), HasSubstr("graph.nodes"));
}

TEST(Jgf, TextMayComeInAnyPieces) {
  const ResourceGraph graph = Tree(R"(
      cluster0/rack0/node0 core=2 memory=2*16 +ssd
      cluster0/rack1/node1 core=1 down)");
  const std::string text = WriteJgf(graph);
  const TextSource bytes = [&](std::size_t offset, char* into, std::size_t) {
    if (offset == text.size()) return std::size_t{0};
    *into = text[offset];
    return std::size_t{1};
  };
  EXPECT_EQ(WriteJgf(ReadJgf(bytes)), text);
}

TEST(Jgf, EdgesMayStandBeforeNodes) {
  const std::string nodes = std::string(kCluster) + ", " + kNode;
  const ResourceGraph graph =
      ReadJgf(R"({"free_ranks": "0", "graph": {"directed": true, "edges": [)" +
              Edge("0", "1") + R"(], "nodes": [)" + nodes + "]}}");
  EXPECT_EQ(graph.parent(1), 0);
  EXPECT_THAT(WhyNoJgf(R"({"graph": {"edges": [{"source": "9"}], "nodes": [)" +
                       nodes + "]}}"),
              HasSubstr("graph.edges[0].source: \"9\""));
  EXPECT_THAT(WhyNoJgf(R"({"graph": {"nodes": [], "nodes": []}})"),
              HasSubstr("graph.nodes: is there twice"));
}

TEST(Jgf, IdsAreTextsAndPathsAreKept) {
  const auto node = [](const char* id, const char* path) {
    return std::string(R"({"id": ")") + id +
           R"(", "metadata": {"type": "core", "uniq_id": 9, "id": 3, "paths":)" +
           R"( {"containment": "/cluster0)" + path + R"("}}})";
  };
  const ResourceGraph graph = ReadJgf(Document(
      std::string(kCluster) + "," + node("7", "/a") + "," + node("07", "/b") +
          "," + node("-7", "/core3") + "," + node("99999999999", "/core3/x"),
      Edge("0", "07") + "," + Edge("0", "-7") + "," + Edge("0", "7") + "," +
          Edge("-7", "99999999999")));
  ASSERT_EQ(graph.size(), 5);
  EXPECT_EQ(graph.target(graph.FirstOut(0)), 2);
  EXPECT_EQ(graph.Path(1), "/cluster0/a");
  EXPECT_EQ(graph.Path(2), "/cluster0/b");
  EXPECT_EQ(graph.Path(3), "/cluster0/core3");
  EXPECT_EQ(graph.Path(4), "/cluster0/core3/x");
  EXPECT_EQ(graph.Find("/cluster0/core3/x"), 4);
}

TEST(Jgf, SamePathAndRankIsTheSameVertex) {
  const auto node = [](const char* id, const char* rank) {
    return std::string(R"({"id": ")") + id +
           R"(", "metadata": {"type": "node", "rank": )" + rank +
           R"(, "paths": {"containment": "/cluster0/node1"}}})";
  };
  const ResourceGraph graph =
      ReadJgf(Document(std::string(kCluster) + "," + node("1", "1") + "," +
                           node("2", "2") + "," + node("3", "2"),
                       Edge("0", "1") + "," + Edge("0", "3")));
  EXPECT_EQ(graph.size(), 3);
  EXPECT_EQ(graph.parent(2), 0);
  EXPECT_EQ(graph.Path(2), "/cluster0/node1");
}

TEST(Jgf, DepthIsBounded) {
  EXPECT_THAT(WhyNoJgf(std::string(100'000, '[')), HasSubstr("nested"));
  std::string nodes;
  std::string edges;
  std::string path;
  for (int i = 0; i < 100; ++i) {
    path += "/a" + std::to_string(i);
    nodes += (i == 0 ? "" : ",") + (R"({"id": ")" + std::to_string(i)) +
             R"(", "metadata": {"type": "a", "paths": {"containment": ")" +
             path + "\"}}}";
  }
  for (int i = 99; i > 0; --i) {  // from the leaf up
    edges += (i == 99 ? "" : ",") +
             Edge(std::to_string(i - 1).c_str(), std::to_string(i).c_str());
  }
  EXPECT_THAT(WhyNoJgf(Document(nodes, edges)), HasSubstr("levels"));
}

TEST(Jgf, WrittenGraphIsReadBackTheSame) {
  const ResourceGraph graph = Tree(R"(
      cluster0/rack0/node0 core=2 memory=2*16 +ssd
      cluster0/rack1/node1 core=1 down)");
  const std::string text = WriteJgf(graph);
  const ResourceGraph read = ReadJgf(text);
  EXPECT_EQ(WriteJgf(read), text);
  EXPECT_EQ(read.size(), graph.size());
  EXPECT_FALSE(read.up(*read.Find("/cluster0/rack1/node1")));
}

TEST(Jgf, MatchIsWrittenLeavesFirst) {
  Matcher matcher(Tree("cluster0/node0 core=2"), {.policy = Policy::kLow});
  Jobspec jobspec = Ask("node[1]/slot[1]/core[1]");
  jobspec.resources[0].label = "a\"b";
  const Match match = matcher.Run(1, jobspec, MatchOp::kAllocate, 0);
  EXPECT_EQ(WriteSimple(matcher.graph(), match.taken),
            "      ---------core0[1:x]\n"
            "      ------node0[1:s]\n"
            "      ---cluster0[1:s]\n");
  EXPECT_EQ(
      WriteJgf(matcher.graph(), match.taken),
      R"({"graph": {"nodes": [{"id": "2", "metadata": {"type": "core", )"
      R"("id": 0, "rank": -1, "exclusive": true, "paths": {"containment": )"
      R"("/cluster0/node0/core0"}}}, {"id": "1", "metadata": {"type": "node", )"
      R"("id": 0, "rank": 0, "paths": {"containment": "/cluster0/node0"}, )"
      R"("ephemeral": {"label": "a\"b"}}}, {"id": "0", "metadata": {"type": )"
      R"("cluster", "id": 0, "rank": -1, "paths": {"containment": )"
      R"("/cluster0"}}}], "edges": [{"source": "1", "target": "2"}, )"
      R"({"source": "0", "target": "1"}]}})"
      "\n");
  EXPECT_EQ(WriteJgf(matcher.graph(), {}), "");
}

}  // namespace
}  // namespace fluxnetes::matcher
