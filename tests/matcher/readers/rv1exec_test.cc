#include "matcher/readers/rv1exec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "matcher/readers/jgf.h"

namespace fluxnetes::matcher {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kR = R"({"version": 1, "execution": {
    "R_lite": [{"rank": "3-4", "children": {"core": "0-1"}},
               {"rank": "7", "children": {"core": "0", "gpu": "2"}}],
    "nodelist": ["node[08-09],login"], "properties": {"amd": "4,7"},
    "starttime": 10.5, "expiration": 60}})";

std::string Rv1Error(std::string_view text) {
  try {
    ReadRv1exec(text);
  } catch (const GraphError& error) {
    return error.what();
  }
  return "none";
}

TEST(Rv1exec, RanksAreNodesOfTheirHosts) {
  RTimes times;
  const ResourceGraph graph = ReadRv1exec(kR, &times);
  EXPECT_EQ(times.start, 10);
  EXPECT_EQ(times.expiration, 60);
  EXPECT_EQ(graph.size(), 1 + 3 + 2 * 2 + 2);
  const VertexIndex node = *graph.Find("/cluster0/node09");
  EXPECT_EQ(graph.id(node), 9);
  EXPECT_EQ(graph.rank(node), 4);
  EXPECT_EQ(graph.Basename(node), "node");
  EXPECT_TRUE(graph.PropertiesOf(node)->contains("amd"));
  const VertexIndex gpu = *graph.Find("/cluster0/login/gpu2");
  EXPECT_EQ(graph.rank(gpu), 7);
  EXPECT_EQ(graph.id(graph.parent(gpu)), -1);
  EXPECT_THAT(RanksOfRv1exec(kR), ElementsAre(3, 4, 7));
}

TEST(Rv1exec, NodeIsTheJobsWhenAllOfItsRankIs) {
  Matcher matcher(ReadRv1exec(kR), {.policy = *ParsePolicy("low")});
  const auto restore = [&](JobId job, const char* rank, const char* cores,
                           const char* host) {
    const std::string r =
        std::string(R"({"version": 1, "execution": {"R_lite": [{"rank": ")") +
        rank + R"(", "children": {"core": ")" + cores +
        R"("}}], "nodelist": [")" + host + R"("]}})";
    return matcher.Restore(job, FindRv1exec(r, matcher.graph()), false, 0, 10);
  };
  EXPECT_TRUE(restore(1, "3", "0-1", "node08").found());
  EXPECT_TRUE(restore(2, "4", "1", "node09").found());
  const auto jobs_at = [&](const char* path) {
    return matcher.allocations(*matcher.graph().Find(path));
  };
  EXPECT_EQ(jobs_at("/cluster0/node08"), 1);
  EXPECT_EQ(jobs_at("/cluster0/node09"), 0);
  EXPECT_EQ(jobs_at("/cluster0/node09/core1"), 1);
  EXPECT_EQ(restore(3, "4", "0-1", "node09").outcome, MatchOutcome::kInvalid);
  EXPECT_EQ(jobs_at("/cluster0/node09/core0"), 0);
  EXPECT_EQ(matcher.CancelRanks(1, {3}), Released::kAll);
  EXPECT_EQ(jobs_at("/cluster0/node08"), 0);
}

TEST(Rv1exec, ErrorsNameThePlace) {
  EXPECT_THAT(Rv1Error(""), HasSubstr("parse error"));
  EXPECT_THAT(Rv1Error("[]"), HasSubstr("is not an object"));
  EXPECT_THAT(Rv1Error(R"({"version": 2})"), HasSubstr("document.version"));
  EXPECT_THAT(Rv1Error(R"({"version": 1, "execution": {"R_lite": [{"rank": 0}],
                    "nodelist": []}})"),
              HasSubstr("execution.R_lite[0].rank: is not a text"));
  EXPECT_THAT(
      Rv1Error(R"({"version": 1, "execution": {"R_lite": [{"rank": "0-1",
                    "children": {}}], "nodelist": ["a"]}})"),
      HasSubstr("has 1 hosts for 2 ranks"));
  EXPECT_THAT(Rv1Error(R"({"version": 1, "execution": {"R_lite": [{"rank": "0",
                    "children": {"core": "0-99999999999"}}],
                    "nodelist": ["a"]}})"),
              HasSubstr("children.core: is more than"));
  EXPECT_THAT(Rv1Error(R"({"version": 1, "execution": {"R_lite": [{"rank": "0",
                    "children": {}}], "nodelist": ["a9223372036854775808"]}})"),
              HasSubstr("too large"));
}

}  // namespace
}  // namespace fluxnetes::matcher
