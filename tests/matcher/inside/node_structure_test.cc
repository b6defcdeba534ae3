#include "matcher/inside/node_structure.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "matcher/graph/numa_domains.h"
#include "matcher/inside/short_structure.h"
#include "matcher/readers/hwloc.h"
#include "matcher/readers/jgf.h"

namespace fluxnetes::matcher {
namespace {

std::string RefusalOf(const ResourceGraph& graph) {
  try {
    const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

// A vertex of a graph in JGF.
std::string VertexText(const std::string& id, const std::string& type,
                       const std::string& name, const std::string& path) {
  return R"({"id": ")" + id + R"(", "metadata": {"type": ")" + type +
         R"(", "basename": ")" + type + R"(", "name": ")" + name +
         R"(", "paths": {"containment": ")" + path + R"("}}})";
}

TEST(NodeStructure, IsTheNodeOfAClusterInJgf) {
  const ResourceGraph graph = ReadJgf(
      R"({"graph": {"nodes": [)" +
      VertexText("0", "cluster", "cluster0", "/cluster0") + ", " +
      VertexText("1", "node", "n7", "/cluster0/n7") + ", " +
      VertexText("2", "socket", "socket0", "/cluster0/n7/socket0") + ", " +
      VertexText("3", "core", "core0", "/cluster0/n7/socket0/core0") +
      R"(], "edges": [{"source": "0", "target": "1"}, )"
      R"({"source": "1", "target": "2"}, {"source": "2", "target": "3"}]}})");
  const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
  EXPECT_EQ(structure.size(), 3);
  EXPECT_EQ(structure.Path(2), "socket0/core0");
  EXPECT_EQ(structure.graph().Name(0), "node");
}

TEST(NodeStructure, HwlocsNumaNodesBecomeDomains) {
  const auto object = [](const std::string& type, const std::string& more,
                         const std::string& inner) {
    return "<object type=\"" + type + "\" " + more + ">" + inner + "</object>";
  };
  const std::string numa = object("NUMANode", "os_index=\"0\"", "");
  const std::string core = object("Core", "", "");
  const std::string package = object("Package", "", numa + core + core);
  const ResourceGraph graph = WithNumaDomains(ReadHwloc(
      "<topology>" +
          object("Machine", "",
                 "<info name=\"HostName\" value=\"n1\"/>" + package + package) +
          "</topology>",
      {}));
  const NodeStructure structure(graph, NodeStructure::NodeOf(graph));
  EXPECT_EQ(structure.Path(structure.size() - 1), "socket1/numa1/core3");
  EXPECT_TRUE(structure.Find("socket0/numa0/core1"));
  EXPECT_EQ(structure.size(), 1 + 2 * (1 + 1 + 2));
  // Of two side by side, nothing is known.
  const ResourceGraph two = WithNumaDomains(ReadHwloc(
      "<topology>" +
          object(
              "Machine", "",
              "<info name=\"HostName\" value=\"n1\"/>" + numa + numa + core) +
          "</topology>",
      {}));
  EXPECT_TRUE(NodeStructure(two, NodeStructure::NodeOf(two)).Find("core0"));
  EXPECT_FALSE(two.type_names().Find("numa"));
}

TEST(NodeStructure, FindsAVertexByItsNameIfOnlyOneHasIt) {
  const ResourceGraph graph = ReadShortStructure("sockets: 2, cores: 4");
  const NodeStructure structure(graph, 0);
  EXPECT_EQ(structure.Path(*structure.Find("socket1/numa3/core3")),
            "socket1/core3");
  EXPECT_FALSE(structure.Find("socket1/core9"));
  EXPECT_EQ(structure.Find(""), 0);
}

TEST(NodeStructure, NodesThatDifferInTheirNamesAloneAreEqual) {
  const auto signature = [](const std::string& node, const std::string& core) {
    ResourceGraph graph;
    Vertex vertex;
    vertex.type = "node";
    vertex.name = node;
    vertex.rank = static_cast<std::int64_t>(node.size());
    graph.SetRoot(graph.AddVertex(vertex));
    vertex.type = "core";
    vertex.name = core;
    graph.AddEdge(0, graph.AddVertex(vertex));
    return NodeStructure::SignatureOf(graph, 0);
  };
  EXPECT_EQ(signature("a", "core0"), signature("bcd", "core0"));
  EXPECT_NE(signature("a", "core0"), signature("a", "core1"));
}

TEST(NodeStructure, RefusesWhatIsNoInsideOfANode) {
  EXPECT_EQ(RefusalOf(ResourceGraph()), "the graph has no root");
  ResourceGraph twice = ReadShortStructure("sockets: 2, cores: 2");
  Vertex again;
  again.type = again.basename = "core";
  again.name = "core0";
  twice.AddEdge(1, twice.AddVertex(again));
  EXPECT_EQ(RefusalOf(twice), "two vertices have the path socket0/core0");
  ResourceGraph shared = ReadShortStructure("sockets: 2, cores: 2");
  shared.AddEdge(1, 4);
  EXPECT_EQ(RefusalOf(shared),
            "core1 is in two vertices; the inside of a node must be a tree");
  ResourceGraph two = ReadShortStructure("cores: 2");
  Vertex node;
  node.type = "node";
  node.name = "other";
  two.AddEdge(0, two.AddVertex(node));
  EXPECT_EQ(RefusalOf(two),
            "the graph has several nodes, such as node0 and other; the inside "
            "of one node is needed");
}

TEST(NodeStructure, AViewPassesOverLevels) {
  const ResourceGraph graph =
      ReadShortStructure("sockets: 2, numa: 4, cores: 8, gpus: 4");
  const NodeStructure structure(graph, 0);
  const ResourceGraph view = structure.ViewOf({"core", "socket"});
  EXPECT_EQ(view.size(), structure.size());
  const VertexIndex core = *structure.Find("socket1/numa3/core7");
  EXPECT_EQ(view.parent(core), *structure.Find("socket1"));
  EXPECT_EQ(view.parent(*structure.Find("socket1")), 0);
  EXPECT_EQ(view.parent(*structure.Find("gpu0")), kNoVertex);
}

}  // namespace
}  // namespace fluxnetes::matcher
