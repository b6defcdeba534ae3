#include "matcher/writers/graph_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <regex>
#include <sstream>

#include "matcher/writers/clean_text.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::Pair;

constexpr const char* kOdd = "<a & \"b\"> 'c' \\n \\";

ResourceGraph Small() {
  ResourceGraph graph = Tree(R"(
      cluster0/node0 core=1 memory=1*16
      cluster0/node1 core=1)");
  graph.SetProperty(*graph.Find("/cluster0/node0"), kOdd, kOdd);
  graph.SetUp(*graph.Find("/cluster0/node1"), false);
  const SubsystemId power = graph.AddSubsystem("power");
  Vertex pdu;
  pdu.type = pdu.basename = "pdu";
  pdu.name = kOdd;
  const VertexIndex v = graph.AddVertex(pdu);
  graph.SetRoot(v, power);
  graph.AddEdge(v, *graph.Find("/cluster0/node0"), power);
  return graph;
}

// A GraphML graph as a reader sees it: data of vertices by the names of the
// keys, and edges as "source target subsystem".
struct Seen {
  std::map<std::string, std::map<std::string, std::string>> vertices;
  std::vector<std::string> edges;
};

Seen Read(const std::string& text) {
  pugi::xml_document document;
  const auto parsed = document.load_string(text.c_str());
  EXPECT_TRUE(parsed) << parsed.description();
  const pugi::xml_node top = document.child("graphml");
  std::map<std::string, std::string> names;
  for (const auto& key : top.children("key")) {
    names[key.attribute("id").value()] = key.attribute("attr.name").value();
  }
  Seen seen;
  std::map<std::string, std::string> name_of;
  for (const auto& node : top.child("graph").children("node")) {
    std::map<std::string, std::string> data;
    for (const auto& item : node.children("data")) {
      EXPECT_TRUE(names.contains(item.attribute("key").value()));
      data[names[item.attribute("key").value()]] = item.text().get();
    }
    name_of[node.attribute("id").value()] = data["name"];
    seen.vertices[data["name"]] = data;
  }
  for (const auto& edge : top.child("graph").children("edge")) {
    EXPECT_TRUE(name_of.contains(edge.attribute("source").value()));
    EXPECT_TRUE(name_of.contains(edge.attribute("target").value()));
    seen.edges.push_back(name_of[edge.attribute("source").value()] + " " +
                         name_of[edge.attribute("target").value()] + " " +
                         edge.child("data").text().get());
  }
  return seen;
}

TEST(GraphMl, HasVerticesWithWhatIsKnownOfThem) {
  const Seen seen = Read(WriteGraphMl(Small()));
  EXPECT_EQ(seen.vertices.size(), 6u);  // two have the same name
  EXPECT_THAT(seen.vertices.at("memory0"),
              IsSupersetOf({Pair("type", "memory"), Pair("size", "16"),
                            Pair("status", "up"),
                            Pair("path", "/cluster0/node0/memory0")}));
  EXPECT_THAT(seen.vertices.at("node1"),
              IsSupersetOf({Pair("status", "down"), Pair("rank", "1")}));
}

TEST(GraphMl, HasEdgesOfAllSubsystems) {
  const Seen seen = Read(WriteGraphMl(Small()));
  EXPECT_THAT(
      seen.edges,
      ElementsAre("cluster0 node0 containment", "cluster0 node1 containment",
                  "node0 core0 containment", "node0 memory0 containment",
                  "node1 core0 containment",
                  std::string(kOdd) + " node0 power"));
}

TEST(GraphMl, KeepsNamesAsTheyAre) {
  const Seen seen = Read(WriteGraphMl(Small()));
  EXPECT_EQ(seen.vertices.at("node0").at("property:" + std::string(kOdd)),
            kOdd);
  EXPECT_TRUE(seen.vertices.contains(kOdd));
}

TEST(GraphMl, LeavesOutWhatIsDetached) {
  ResourceGraph graph = Small();
  graph.Detach(*graph.Find("/cluster0/node0"));
  const Seen seen = Read(WriteGraphMl(graph));
  EXPECT_THAT(seen.edges, ElementsAre("cluster0 node1 containment",
                                      "node1 core0 containment"));
  EXPECT_FALSE(seen.vertices.contains("node0"));
}

// Checks the part of dot that is written: strings end, brackets match, and
// vertices come before their edges.
void CheckDot(const std::string& text) {
  const std::string string = R"("([^"\\\n&]|\\["\\n]|&amp;)*")";
  const std::regex vertex("  (v\\d+) \\[label=" + string +
                          "(, color=grey, fontcolor=grey)?\\];");
  const std::regex edge("  (v\\d+) -> (v\\d+)( \\[label=" + string +
                        ", style=dashed\\])?;");
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "digraph resources {");
  std::getline(lines, line);
  EXPECT_EQ(line, "  node [shape=box, style=rounded];");
  std::vector<std::string> known;
  const auto is_known = [&](const std::string& id) {
    return std::find(known.begin(), known.end(), id) != known.end();
  };
  while (std::getline(lines, line) && line != "}") {
    std::smatch found;
    if (std::regex_match(line, found, vertex)) {
      EXPECT_FALSE(is_known(found[1]));
      known.push_back(found[1]);
    } else {
      ASSERT_TRUE(std::regex_match(line, found, edge)) << line;
      EXPECT_TRUE(is_known(found[1]) && is_known(found[2])) << line;
    }
  }
  EXPECT_EQ(line, "}");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Dot, IsWellFormedAndSaysSubsystemsSizesAndStatus) {
  const std::string dot = WriteDot(Small());
  CheckDot(dot);
  EXPECT_THAT(dot, HasSubstr(R"([label="memory0\n16"];)"));
  EXPECT_THAT(dot, HasSubstr(R"([label="node1", color=grey)"));
  EXPECT_THAT(dot, HasSubstr(R"([label="power", style=dashed];)"));
  EXPECT_THAT(dot, HasSubstr(R"([label="<a &amp; \"b\"> 'c' \\n \\"];)"));
}

TEST(Dot, LeavesOutWhatIsDetached) {
  ResourceGraph graph = Small();
  graph.Detach(*graph.Find("/cluster0/node0"));
  const std::string dot = WriteDot(graph);
  CheckDot(dot);
  EXPECT_THAT(dot, Not(HasSubstr("node0")));
}

TEST(CleanText, ReplacesWhatIsNoTextByteByByte) {
  EXPECT_EQ(CleanText("a\tb\nc\r"), "a\tb\nc\r");
  EXPECT_EQ(CleanText(std::string_view("\0\x1b\x7f", 3)), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\u00e4\u20ac\U0001F600"), "\u00e4\u20ac\U0001F600");
  // A character cut off, overlong, a surrogate, and one beyond the last.
  EXPECT_EQ(CleanText("\xe2\x82"), "\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xc0\x80"), "\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(CleanText("\x80z"), "\uFFFDz");
}

TEST(CleanText, XmlTextKeepsEndsOfLines) {
  EXPECT_EQ(XmlText("<\"&\">\r\n\x01"),
            "&lt;&quot;&amp;&quot;&gt;&#13;&#10;\uFFFD");
}

}  // namespace
}  // namespace fluxnetes::matcher
