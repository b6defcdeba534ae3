#include "cluster/files/job_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Returns what is wrong with an Indexed Job of four completions whose spec has
// these fields as well.
std::string WhyJob(const std::string& more) {
  Json spec = Json::parse(R"({"completionMode": "Indexed", "completions": 4,
      "template": {"spec": {"restartPolicy": "Never",
                            "containers": [{"name": "main"}]}}})");
  spec.merge_patch(Json::parse(more));
  return WhatIsWrongWithJobSpec({{"spec", spec}}).value_or("right");
}

std::string WhySuccess(const std::string& rules) {
  return WhyJob(R"({"successPolicy": {"rules": )" + rules + "}}");
}

std::string WhyFailure(const std::string& rule) {
  return WhyJob(R"({"podFailurePolicy": {"rules": [)" + rule + "]}}");
}

TEST(JobCheck, LimitsPerIndexAreForIndexedJobs) {
  EXPECT_EQ(WhyJob(R"({"backoffLimitPerIndex": 1, "maxFailedIndexes": 4})"),
            "right");
  EXPECT_EQ(WhyJob(R"({"completionMode": null, "backoffLimitPerIndex": 1})"),
            "spec.backoffLimitPerIndex is for a Job whose spec.completionMode "
            "is Indexed");
  EXPECT_THAT(WhyJob(R"({"maxFailedIndexes": 1})"),
              StartsWith("spec.backoffLimitPerIndex is missing"));
  EXPECT_THAT(WhyJob(R"({"backoffLimitPerIndex": 1, "maxFailedIndexes": 5})"),
              HasSubstr("it must be at most spec.completions, 4"));
  EXPECT_THAT(WhyJob(R"({"backoffLimitPerIndex": -1})"),
              StartsWith("spec.backoffLimitPerIndex is -1"));
  EXPECT_THAT(WhyJob(R"({"ttlSecondsAfterFinished": -1})"),
              StartsWith("spec.ttlSecondsAfterFinished is -1"));
}

TEST(JobCheck, SuccessPolicyNamesIndexesOfTheJob) {
  EXPECT_EQ(WhySuccess(R"([{"succeededIndexes": "0,2-3"}])"), "right");
  EXPECT_EQ(WhySuccess(R"([{"succeededCount": 4}])"), "right");
  EXPECT_EQ(WhySuccess(R"([{"succeededCount": 3,
                            "succeededIndexes": "1-3"}])"),
            "right");
  EXPECT_EQ(WhySuccess("[]"), "spec.successPolicy.rules is empty");
  EXPECT_THAT(WhySuccess("[{}]"),
              HasSubstr("rules[0] needs succeededCount or succeededIndexes"));
  EXPECT_THAT(WhySuccess(R"([{"succeededIndexes": "2-4"}])"),
              HasSubstr("in rising order, like 0,3-5"));
  EXPECT_THAT(WhySuccess(R"([{"succeededCount": 5}])"),
              HasSubstr("at most the number of indexes, 4"));
  EXPECT_THAT(
      WhySuccess(R"([{"succeededCount": 3, "succeededIndexes": "1-2"}])"),
      HasSubstr("at most the number of indexes, 2"));
  EXPECT_THAT(WhyJob(R"({"completionMode": "NonIndexed", "successPolicy":
                      {"rules": [{"succeededCount": 1}]}})"),
              StartsWith("spec.successPolicy is for a Job"));
}

TEST(JobCheck, PodFailurePolicySaysWhenAndWhat) {
  const std::string codes =
      R"({"action": "FailJob", "onExitCodes": {"operator": "In", "values": )";
  EXPECT_EQ(WhyFailure(codes + "[1, 42]}}"), "right");
  EXPECT_EQ(WhyFailure(R"({"action": "Ignore", "onPodConditions":
                           [{"type": "DisruptionTarget"}]})"),
            "right");
  EXPECT_THAT(WhyFailure(codes + "[]}}"), HasSubstr("values is empty"));
  EXPECT_THAT(WhyFailure(codes + "[0, 1]}}"), HasSubstr("0, which is no"));
  EXPECT_THAT(WhyFailure(codes + "[2, 1]}}"), HasSubstr("rising order"));
  EXPECT_THAT(WhyFailure(codes + "[1, 1]}}"), HasSubstr("each once"));
  EXPECT_THAT(WhyFailure(codes + R"([1], "containerName": "other"}})"),
              HasSubstr("the name of a container of the pod"));
  EXPECT_EQ(WhyFailure(codes + R"([1], "containerName": "main"}})"), "right");
  EXPECT_THAT(WhyFailure(R"({"action": "FailJob"})"),
              HasSubstr("needs either onExitCodes or onPodConditions"));
  EXPECT_THAT(WhyFailure(R"({"action": "Stop"})"),
              HasSubstr("Count or Ignore or FailIndex or FailJob"));
}

TEST(JobCheck, FailIndexNeedsALimitPerIndex) {
  const std::string rule = R"("podFailurePolicy": {"rules": [{"action":
      "FailIndex", "onExitCodes": {"operator": "NotIn", "values": [3]}}]}})";
  EXPECT_THAT(WhyJob("{" + rule), HasSubstr("needs spec.backoffLimitPerIndex"));
  EXPECT_EQ(WhyJob(R"({"backoffLimitPerIndex": 0, )" + rule), "right");
}

TEST(JobCheck, PodFailurePolicyIsForPodsThatAreNotRestarted) {
  const std::string rest = R"("podFailurePolicy": {"rules": []}})";
  EXPECT_EQ(WhyJob("{" + rest), "right");
  EXPECT_THAT(
      WhyJob(R"({"template": {"spec": {"restartPolicy": "OnFailure"}}, )" +
             rest),
      HasSubstr("restartPolicy must be Never"));
  EXPECT_THAT(
      WhyJob(R"({"podReplacementPolicy": "TerminatingOrFailed", )" + rest),
      HasSubstr("podReplacementPolicy must be Failed"));
}

}  // namespace
}  // namespace fluxnetes::cluster
