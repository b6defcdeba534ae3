#include "matcher/writers/match_writer.h"

#include <gtest/gtest.h>

#include "matcher/graph/text_sets.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

std::string Written(MatchFormat format, std::string_view picture,
                    std::string_view ask) {
  Matcher matcher(Tree(picture), {.policy = *ParsePolicy("low")});
  const Match match = matcher.Run(1, Ask(ask), MatchOp::kAllocate, 0);
  const MatchText text = WriteMatch(format, matcher.graph(), match.taken,
                                    {match.at, match.at + 60, ""});
  return text.error.empty() ? text.text : "error: " + text.error;
}

constexpr const char* kThreeNodes = R"(
    cluster0/node0 core=2 +amd
    cluster0/node1 core=2 gpu=1
    cluster0/node2 core=2 +amd)";

TEST(MatchWriter, PrettySimpleBeginsAtTheRoot) {
  EXPECT_EQ(Written(MatchFormat::kPrettySimple, kThreeNodes, "slot[1]/core[1]"),
            "      ---cluster0[1:shared]\n"
            "      ------node0[1:shared]\n"
            "      ---------core0[1:exclusive]\n");
}

TEST(MatchWriter, RanksWithTheSameChildrenAreOneEntry) {
  EXPECT_EQ(Written(MatchFormat::kRlite, kThreeNodes, "node[3]!"),
            "[{\"rank\": \"1\", \"children\": {\"core\": \"0-1\", \"gpu\": "
            "\"0\"}}, {\"rank\": \"0,2\", \"children\": {\"core\": "
            "\"0-1\"}}]\n");
  EXPECT_EQ(Written(MatchFormat::kRv1Nosched, kThreeNodes, "node[3]!"),
            "{\"version\": 1, \"execution\": {\"R_lite\": [{\"rank\": \"1\", "
            "\"children\": {\"core\": \"0-1\", \"gpu\": \"0\"}}, {\"rank\": "
            "\"0,2\", \"children\": {\"core\": \"0-1\"}}], \"nodelist\": "
            "[\"node[0-2]\"], \"properties\": {\"amd\": \"0,2\"}, "
            "\"starttime\": 0, \"expiration\": 60}}\n");
}

TEST(MatchWriter, ShorthandLeavesOutWhatIsBelowTheWhole) {
  const std::string text =
      Written(MatchFormat::kJgfShorthand, kThreeNodes, "node[1]!");
  EXPECT_EQ(text.find("core"), std::string::npos);
  EXPECT_NE(text.find("\"writer\": \"fluxion:jgf_shorthand\"}"),
            std::string::npos);
  EXPECT_EQ(Written(MatchFormat::kJgfShorthand, kThreeNodes, "slot[1]/core[1]")
                .find("writer"),
            std::string::npos);
}

TEST(MatchWriter, QueueIsInRWithAScheduling) {
  Matcher matcher(Tree(kThreeNodes), {.policy = *ParsePolicy("low")});
  const Match match =
      matcher.Run(1, Ask("slot[1]/core[1]"), MatchOp::kAllocate, 0);
  const auto names_queue = [&](MatchFormat format) {
    const auto written =
        WriteMatch(format, matcher.graph(), match.taken, {0, 60, "batch"});
    return written.text.find("\"scheduler\": {\"queue\": \"batch\"}") !=
           std::string::npos;
  };
  EXPECT_TRUE(names_queue(MatchFormat::kRv1));
  EXPECT_TRUE(names_queue(MatchFormat::kRv1Shorthand));
  EXPECT_FALSE(names_queue(MatchFormat::kRv1Nosched));
}

TEST(TextSets, HostListsKeepTheirOrderAndZeros) {
  const auto write = [](std::vector<std::string_view> hosts) {
    std::string text;
    AppendHostList(hosts, text);
    return text;
  };
  EXPECT_EQ(write({"a1", "a2", "a3"}), "a[1-3]");
  EXPECT_EQ(write({"a1018", "a202"}), "a[1018,202]");
  EXPECT_EQ(write({"a08", "a09", "a10"}), "a[08-10]");
  EXPECT_EQ(write({"a9", "a10"}), "a[9-10]");
  EXPECT_EQ(write({"login", "b1", "a1"}), "login,b1,a1");
  EXPECT_EQ(write({}), "");
}

TEST(TextSets, IdsThatFollowOneAnotherAreRanges) {
  std::string text = "x";
  AppendIdSet(std::vector<std::int64_t>{0, 1, 2, 5, 7, 8}, text);
  EXPECT_EQ(text, "x0-2,5,7-8");
}

}  // namespace
}  // namespace fluxnetes::matcher
