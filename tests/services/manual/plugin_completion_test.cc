#include "services/manual/plugin_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/grammar/command_line.h"
#include "tests/services/support/command_run.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string AnswerTo(const std::vector<std::string>& words,
                     const std::string& names = "") {
  return PluginAnswer(PluginOffersFor(DescribeCommandLine(), words), names,
                      words.empty() ? "" : words.back());
}

std::vector<std::string> NamesFor(const std::vector<std::string>& words) {
  return PluginOffersFor(DescribeCommandLine(), words).names;
}

TEST(PluginCompletion, OffersCommandsWithWhatTheyDo) {
  EXPECT_EQ(AnswerTo({"des"}), "describe\tshow one thing in full\n:4\n");
  EXPECT_THAT(AnswerTo({}), AllOf(HasSubstr("get\t"), HasSubstr("submit\t")));
  EXPECT_THAT(AnswerTo({"get", ""}),
              AllOf(HasSubstr("nodes\t"), Not(HasSubstr("describe"))));
  EXPECT_THAT(AnswerTo({"--database", "get", "get", "n"}),
              AllOf(HasSubstr("nodes\t"), EndsWith("\n:4\n")));
}

TEST(PluginCompletion, OffersFlagsOfTheCommandAndSettings) {
  EXPECT_THAT(AnswerTo({"get", "groups", "--"}),
              AllOf(HasSubstr("--until-done\t"), HasSubstr("--database\t")));
  EXPECT_THAT(AnswerTo({"get", "nodes", "--"}), Not(HasSubstr("--until-done")));
}

TEST(PluginCompletion, OffersWhatAFlagTakes) {
  EXPECT_EQ(AnswerTo({"get", "groups", "-o", "j"}), "json\n:4\n");
  EXPECT_EQ(AnswerTo({"get", "groups", "--output=j"}), "json\n:4\n");
  EXPECT_EQ(AnswerTo({"completion", "b"}), "bash\n:4\n");
}

TEST(PluginCompletion, LeavesFilesToTheShell) {
  EXPECT_EQ(AnswerTo({"submit", "-f", "x"}), ":0\n");
  EXPECT_EQ(AnswerTo({"simulate", "--nodes", ""}), ":0\n");
}

TEST(PluginCompletion, AsksTheProgramForNames) {
  EXPECT_THAT(NamesFor({"describe", "group", ""}),
              ElementsAre("get", "groups", "-A", "-o", "name"));
  EXPECT_THAT(NamesFor({"get", "g", ""}),
              ElementsAre("get", "groups", "-A", "-o", "name"));
  EXPECT_THAT(NamesFor({"get", "groups", "--queue", ""}),
              ElementsAre("get", "queues", "-o", "name"));
  EXPECT_THAT(NamesFor({"describe", "group", "--"}), IsEmpty());
  EXPECT_EQ(AnswerTo({"describe", "group", "default/s"},
                     "default/solver\nother/solver\n"),
            "default/solver\n:4\n");
}

TEST(PluginCompletion, AnswersWhereThereIsNoDatabase) {
  CommandRun run(Environment{{"FLUXNETES_DATABASE", "host=/nowhere"}});
  run.CallAs("/usr/local/bin/kubectl_complete-fluxnetes");
  EXPECT_EQ(run("describe group", {""}), ExitCode::kOk);
  EXPECT_EQ(run.out(), ":4\n");
  EXPECT_EQ(run.err(), "");
}

}  // namespace
}  // namespace fluxnetes::services
