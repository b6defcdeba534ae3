#include "services/submit/short_groups.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;

std::string Job(const std::string& name, int parallelism, int completions,
                int size, const std::string& group = "train") {
  return fmt::format(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {}}}\nspec:\n"
      "  parallelism: {}\n  completions: {}\n  template:\n    metadata:\n"
      "      labels: {{fluxnetes.group-name: {}, fluxnetes.group-size: "
      "\"{}\"}}\n    spec:\n      schedulerName: fluxnetes\n"
      "      restartPolicy: Never\n      containers: [{{name: c, image: x}}]\n"
      "---\n",
      name, parallelism, completions, group, size);
}

std::string Pod(const std::string& name, int size) {
  return fmt::format(
      "apiVersion: v1\nkind: Pod\nmetadata:\n  name: {}\n  labels: "
      "{{fluxnetes.group-name: train, fluxnetes.group-size: \"{}\"}}\nspec:\n"
      "  schedulerName: fluxnetes\n  containers: [{{name: c, image: x}}]\n"
      "---\n",
      name, size);
}

// The texts, those of groups whose others may follow in brackets.
std::vector<std::string> ShortIn(const std::string& text,
                                 const std::string& scheduler = "fluxnetes") {
  std::vector<std::string> texts;
  for (const ShortGroup& group :
       ShortGroups(cluster::ReadManifests(text, "f.yaml"),
                   cluster::SchedulerNames({scheduler})))
    texts.push_back(group.others_follow ? "(" + group.text + ")" : group.text);
  return texts;
}

TEST(ShortGroups, EnoughPodsAreNotSpokenOf) {
  EXPECT_THAT(ShortIn(Job("train", 4, 4, 4)), ElementsAre(""));
  EXPECT_THAT(ShortIn(Job("train", 4, 8, 4)), ElementsAre(""));
  EXPECT_THAT(ShortIn(Job("train", 8, 8, 4)), ElementsAre(""));
  EXPECT_THAT(ShortIn(Job("train", 1, 9, 1)), ElementsAre(""));
  EXPECT_THAT(ShortIn(Job("a", 1, 1, 4) + Job("b", 3, 3, 4)),
              ElementsAre("", ""));
  EXPECT_THAT(ShortIn(Pod("a", 2) + Pod("b", 2)), ElementsAre("", ""));
}

TEST(ShortGroups, CompletionsThatLeaveARest) {
  EXPECT_THAT(
      ShortIn(Job("train", 4, 5, 4)),
      ElementsAre(
          "f.yaml:1: Job \"train\": 1 of 4 pods of the group default/train "
          "are there; what is left of its Job starts as a smaller "
          "group"));
}

TEST(ShortGroups, ParallelismBelowTheSize) {
  EXPECT_THAT(
      ShortIn(Job("train", 2, 8, 4)),
      ElementsAre(
          "f.yaml:1: Job \"train\": 2 of 4 pods of the group "
          "default/train are there; no more are made at the same time"));
}

TEST(ShortGroups, CompletionsBelowTheSizeWaitForOtherJobs) {
  EXPECT_THAT(ShortIn(Job("train", 4, 2, 4)),
              ElementsAre("(f.yaml:1: Job \"train\": 2 of 4 pods of the group "
                          "default/train are there; it waits for the others)"));
}

TEST(ShortGroups, PodsWithoutTheOthersAreSaidOnce) {
  const auto texts = ShortIn(Pod("a", 3) + Pod("b", 3));
  ASSERT_EQ(texts.size(), 2U);
  EXPECT_THAT(texts[0], ::testing::HasSubstr("2 of 3 pods of the group"));
  EXPECT_EQ(texts[1], "");
}

TEST(ShortGroups, RestBesideAJobThatIsOver) {
  const auto texts = ShortIn(Job("a", 1, 1, 4) + Job("b", 3, 6, 4));
  EXPECT_THAT(texts[0], ::testing::HasSubstr("3 of 4 pods of the group"));
}

TEST(ShortGroups, WorkOfOtherSchedulersIsPassedOver) {
  EXPECT_THAT(ShortIn(Job("train", 2, 8, 4), "other"), ElementsAre(""));
}

TEST(ShortGroups, HugeJobsAreCountedWithoutALoop) {
  EXPECT_THAT(ShortIn(Job("train", 100'000, 2'000'000'001, 2)),
              ElementsAre(::testing::HasSubstr("1 of 2 pods")));
}

}  // namespace
}  // namespace fluxnetes::services
