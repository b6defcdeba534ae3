#include "matcher/writers/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

// Returns the data inside of a page.
json DataOf(const std::string& page) {
  const std::string_view open = R"(<script type="application/json" id="data">)";
  const auto begin = page.find(open) + open.size();
  return json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

json Draw(const ResourceGraph& graph, const std::vector<PictureJob>& jobs) {
  return DataOf(DrawPicture(graph, jobs, /*now=*/0));
}

std::vector<std::string> RowNames(const json& data) {
  std::vector<std::string> names;
  for (const json& row : data["rows"]) names.push_back(row["name"]);
  return names;
}

// Returns "0-1: core 1 of 2 (0.5)" for each run of rows of the first job.
std::vector<std::string> Runs(const json& data) {
  std::vector<std::string> runs;
  for (const json& run : data["jobs"][0]["on"]) {
    const json& share = data["shares"][run[2].get<std::size_t>()];
    runs.push_back(run[0].dump() + "-" + run[1].dump() + ": " +
                   share["text"].get<std::string>() + " (" +
                   share["part"].dump() + ")");
  }
  return runs;
}

class PictureTest : public ::testing::Test {
 protected:
  VertexIndex At(const std::string& path) { return *graph_.Find(path); }

  ResourceGraph graph_ = Tree(R"(
      cluster0/rack0/node0 core=4 gpu=2
      cluster0/rack0/node1 core=4 gpu=2
      cluster0/rack0 ssd=1*100
      cluster0/rack1/node2 core=4
      cluster0/rack1/node3 core=4)");
};

TEST_F(PictureTest, RowsAreNodesAndWhatStandsAlone) {
  const json data = Draw(graph_, {});
  EXPECT_THAT(RowNames(data), ::testing::ElementsAre("node0", "node1", "ssd0",
                                                     "node2", "node3"));
  EXPECT_EQ(data["groups"].dump(),
            R"([{"first":0,"last":2,"name":"/cluster0/rack0"},)"
            R"({"first":3,"last":4,"name":"/cluster0/rack1"}])");
  EXPECT_EQ(data["kinds"][data["rows"][0]["kind"].get<std::size_t>()],
            "core 4, gpu 2");
  EXPECT_EQ(data["row_type"], "row");
}

TEST_F(PictureTest, ShareIsThatOfTheTypeThatIsHeldMost) {
  const json data = Draw(graph_, {{.id = 1,
                                   .held = {At("/cluster0/rack0/node0/core0"),
                                            At("/cluster0/rack0/node0/gpu0"),
                                            At("/cluster0/rack0/ssd0")}}});
  EXPECT_THAT(Runs(data),
              UnorderedElementsAre("0-0: core 1 of 4, gpu 1 of 2 (0.5)",
                                   "2-2: ssd 100 of 100 (1.0)"));
}

TEST_F(PictureTest, WhatIsHeldWholeHoldsAllBelowOnce) {
  const json data = Draw(
      graph_, {{.id = 1,
                .held = {At("/cluster0/rack1"), At("/cluster0/rack1/node3"),
                         At("/cluster0/rack1/node3/core0")}}});
  EXPECT_THAT(Runs(data), UnorderedElementsAre("3-4: core 4 of 4 (1.0)"));
}

TEST_F(PictureTest, TimesWithoutEndAndWhatIsDownAreMarked) {
  graph_.SetUp(At("/cluster0/rack1"), false);
  const json data =
      Draw(graph_, {{.id = 7, .start = 5, .reserved = true, .held = {}},
                    {.id = 8, .start = 5, .end = 6, .held = {}}});
  EXPECT_TRUE(data["jobs"][0]["end"].is_null());
  EXPECT_TRUE(data["jobs"][0]["reserved"]);
  EXPECT_EQ(data["jobs"][1]["end"], 6);
  EXPECT_EQ(data["down"].dump(), "[[3,3],[4,4]]");
}

TEST_F(PictureTest, NamesCannotEndTheScript) {
  Vertex vertex;
  vertex.type = vertex.basename = "node";
  vertex.name = "</script><script>alert(1)</script>@style@\xff";
  graph_.AddEdge(At("/cluster0/rack1"), graph_.AddVertex(vertex));
  const std::string page = DrawPicture(
      graph_, std::vector<PictureJob>{{.id = 1, .name = vertex.name}}, 0);
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  const json data = DataOf(page);
  const std::string shown = "</script><script>alert(1)</script>@style@\uFFFD";
  EXPECT_EQ(RowNames(data).back(), shown);
  EXPECT_EQ(data["jobs"][0]["name"], shown);
}

TEST_F(PictureTest, GraphWithoutNodesHasItsLeavesAsRows) {
  const json data = Draw(Tree("cluster0 core=3"), {});
  EXPECT_THAT(RowNames(data),
              ::testing::ElementsAre("core0", "core1", "core2"));
}

TEST_F(PictureTest, GraphWithoutRootHasNone) {
  EXPECT_THROW(DrawPicture(ResourceGraph(), {}, 0), std::invalid_argument);
}

TEST_F(PictureTest, HeldAloneFollowsBookingsAndCancels) {
  Matcher matcher(std::move(graph_), {.policy = *ParsePolicy("low")});
  const Jobspec job = Ask("node[2]/slot[1]/core[3] for 60");
  ASSERT_TRUE(matcher.Run(1, job, MatchOp::kAllocate, 0).found());
  std::vector<std::string> paths;
  for (const VertexIndex v : HeldAlone(matcher, 1)) {
    paths.push_back(matcher.graph().Path(v));
  }
  EXPECT_THAT(
      paths, UnorderedElementsAre(
                 "/cluster0/rack0/node0/core0", "/cluster0/rack0/node0/core1",
                 "/cluster0/rack0/node0/core2", "/cluster0/rack0/node1/core0",
                 "/cluster0/rack0/node1/core1", "/cluster0/rack0/node1/core2"));
  std::vector<VertexIndex> some;
  for (int i = 0; i < 3; ++i) some.push_back(*matcher.graph().Find(paths[i]));
  EXPECT_EQ(matcher.CancelVertices(1, some), Released::kPart);
  EXPECT_EQ(HeldAlone(matcher, 1).size(), 3u);
  matcher.Cancel(1);
  EXPECT_TRUE(HeldAlone(matcher, 1).empty());
}

TEST_F(PictureTest, HeldAloneFindsWhatWasRestored) {
  Matcher matcher(std::move(graph_), {.policy = *ParsePolicy("low")});
  const VertexIndex core = *matcher.graph().Find("/cluster0/rack1/node2/core1");
  HeldParts held;
  for (VertexIndex v = core; v != kNoVertex; v = matcher.graph().parent(v)) {
    held.parts.push_back({v, 1, v == core});
    held.edges.push_back({matcher.graph().FirstIn(v), 1, v == core});
  }
  ASSERT_TRUE(matcher.Restore(4, held, /*reserved=*/true, 60, 60).found());
  EXPECT_THAT(HeldAlone(matcher, 4), ::testing::ElementsAre(core));
}

}  // namespace
}  // namespace fluxnetes::matcher
