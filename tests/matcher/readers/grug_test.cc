#include "matcher/readers/grug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

using ::testing::HasSubstr;

// Returns a recipe of these nodes and edges, with data as attribute=value.
std::string Recipe(const std::string& body) {
  std::string keys;
  for (const char* name : {"root", "type", "basename", "size", "subsystem"}) {
    keys += std::string("<key id=\"") + name + "\" for=\"node\" attr.name=\"" +
            name + "\"/>";
  }
  for (const char* name :
       {"e_subsystem", "multi_scale", "id_scope", "id_start", "id_stride",
        "gen_method", "as_tgt_uplvl", "as_src_uplvl"}) {
    keys += std::string("<key id=\"") + name + "\" for=\"edge\" attr.name=\"" +
            name + "\"/>";
  }
  return "<graphml>\n" + keys + "<graph>\n" + body + "</graph></graphml>";
}

std::string Data(const std::string& key, const std::string& value) {
  return "<data key=\"" + key + "\">" + value + "</data>";
}

std::string Node(const std::string& id, const std::string& data = "") {
  return "<node id=\"" + id + "\">" + Data("type", id) + data + "</node>\n";
}

std::string Edge(const std::string& source, const std::string& target,
                 const std::string& data = "") {
  return "<edge id=\"" + source + target + "\" source=\"" + source +
         "\" target=\"" + target + "\">" + data + "</edge>\n";
}

std::string WhyNoGrug(const std::string& text, std::int64_t most = 1000) {
  try {
    ReadGrug(text, most);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

const std::string kTwoRacks =
    Node("cluster", Data("root", "1")) + Node("rack") + Node("node") +
    Node("core") + Edge("cluster", "rack", Data("multi_scale", "2")) +
    Edge("rack", "node", Data("multi_scale", "3") + Data("id_scope", "1")) +
    Edge("node", "core", Data("multi_scale", "2") + Data("id_scope", "2"));

TEST(Grug, EveryOneHasSoMany) {
  const ResourceGraph graph = ReadGrug(Recipe(kTwoRacks));
  EXPECT_EQ(graph.size(), 1 + 2 + 6 + 12);
  EXPECT_EQ(graph.edges(), graph.size() - 1);
  EXPECT_EQ(graph.Path(graph.size() - 1), "/cluster0/rack1/node5/core11");
  EXPECT_EQ(graph.OfRank(5).size(), 1U);
}

TEST(Grug, NumbersGoOnWithinTheirScope) {
  const ResourceGraph graph = ReadGrug(
      Recipe(Node("cluster", Data("root", "1")) + Node("node") + Node("core") +
             Node("gpu") + Node("memory") +
             Edge("cluster", "node", Data("multi_scale", "2")) +
             Edge("node", "core",
                  Data("multi_scale", "2") + Data("id_scope", "1") +
                      Data("id_start", "10") + Data("id_stride", "5")) +
             Edge("node", "gpu", Data("multi_scale", "2")) +
             Edge("node", "memory", Data("id_scope", "-1"))));
  EXPECT_TRUE(graph.Find("/cluster0/node0/core10"));
  EXPECT_TRUE(graph.Find("/cluster0/node1/core25"));
  EXPECT_TRUE(graph.Find("/cluster0/node1/gpu1"));
  EXPECT_TRUE(graph.Find("/cluster0/node1/memory"));
}

TEST(Grug, OtherSubsystemsAssociateByPath) {
  const std::string power = Data("e_subsystem", "power");
  const ResourceGraph graph = ReadGrug(Recipe(
      kTwoRacks + Node("pdu") + Edge("rack", "pdu", Data("id_scope", "1")) +
      "<node id=\"panel\">" + Data("type", "panel") + Data("root", "1") +
      Data("subsystem", "power") + "</node>" + "<node id=\"pdu2\">" +
      Data("type", "pdu") + Data("subsystem", "power") + "</node>" +
      "<node id=\"node2\">" + Data("type", "node") +
      Data("subsystem", "power") + "</node>" +
      Edge("panel", "pdu2", power + Data("gen_method", "ASSOCIATE_IN")) +
      Edge("pdu2", "node2",
           power + Data("gen_method", "ASSOCIATE_BY_PATH_IN") +
               Data("as_tgt_uplvl", "1") + Data("as_src_uplvl", "1"))));
  const auto node = graph.Find("/panel0/pdu1/node4");
  ASSERT_TRUE(node);
  EXPECT_EQ(graph.Path(*node), "/cluster0/rack1/node4");
}

TEST(Grug, ErrorsNameThePlace) {
  EXPECT_THAT(WhyNoGrug("<graphml>\n<graph>"), HasSubstr("line "));
  EXPECT_THAT(WhyNoGrug("<a/>"), HasSubstr("there is no <graphml>"));
  EXPECT_THAT(WhyNoGrug(Recipe("<node id=\"x\"/>")),
              HasSubstr("line 3: <node id=\"x\">: has no type"));
  EXPECT_THAT(WhyNoGrug(Recipe(Node("x") + Edge("x", "y"))),
              HasSubstr("has the target \"y\", which is no node"));
  EXPECT_THAT(WhyNoGrug(Recipe(Node("x") + Node("y") +
                               Edge("x", "y", Data("multi_scale", "many")))),
              HasSubstr("multi_scale is \"many\""));
  EXPECT_THAT(WhyNoGrug(Recipe(kTwoRacks), 10),
              HasSubstr("more than 10 vertices"));
  EXPECT_THAT(WhyNoGrug(Recipe("")), HasSubstr("no vertex"));
}

}  // namespace
}  // namespace fluxnetes::matcher
