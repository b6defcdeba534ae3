#include "cluster/json/job_fields.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

KubernetesJob DecodeFields(const char* spec) {
  KubernetesJob job;
  DecodeJobEnds(Json::parse(spec), job);
  return job;
}

TEST(JobFields, AreReadAndWrittenBack) {
  const char* const spec = R"({
      "activeDeadlineSeconds": 0, "backoffLimit": 3, "backoffLimitPerIndex": 1,
      "maxFailedIndexes": 2, "podReplacementPolicy": "Failed",
      "ttlSecondsAfterFinished": 60,
      "podFailurePolicy": {"rules": [
        {"action": "FailJob", "onExitCodes": {"containerName": "a",
         "operator": "NotIn", "values": [1, 42]}},
        {"action": "Ignore", "onPodConditions": [
         {"type": "DisruptionTarget", "status": "True"}]}]},
      "successPolicy": {"rules": [{"succeededIndexes": "0,3-5",
                                   "succeededCount": 2},
                                  {"succeededCount": 7}]}})";
  const KubernetesJob job = DecodeFields(spec);
  EXPECT_EQ(job.failure_rules.size(), 2U);
  EXPECT_EQ(job.failure_rules[0].exit_codes->values, (std::vector{1, 42}));
  EXPECT_EQ(job.success_rules[1].count, 7);
  JsonText json;
  json.Object([&] { WriteJobEnds(json, job); });
  EXPECT_EQ(Json::parse(json.Take()), Json::parse(spec));
}

TEST(JobFields, HaveTheDefaultsOfKubernetes) {
  EXPECT_EQ(DecodeFields("{}").backoff_limit, 6);
  EXPECT_FALSE(DecodeFields("{}").replaces_when_gone);
  EXPECT_EQ(DecodeFields(R"({"backoffLimitPerIndex": 1})").backoff_limit,
            std::numeric_limits<int>::max());
  EXPECT_TRUE(DecodeFields(R"({"podFailurePolicy": {"rules": []}})")
                  .replaces_when_gone);
  EXPECT_EQ(DecodeFields(R"({"podFailurePolicy": {"rules": [{"onPodConditions":
                       [{"type": "Ready"}]}]}})")
                .failure_rules.at(0)
                .conditions.at(0)
                .status,
            "True");
}

TEST(JobFields, WhatCannotBeReadCountsAsMissing) {
  const KubernetesJob job = DecodeFields(R"({"backoffLimit": "x",
      "backoffLimitPerIndex": -1, "successPolicy": 3, "podFailurePolicy":
      {"rules": [{"onExitCodes": {"values": [99999999999, "a"]}}]}})");
  EXPECT_EQ(job.backoff_limit, 6);
  EXPECT_FALSE(job.backoff_limit_per_index);
  EXPECT_TRUE(job.success_rules.empty());
  EXPECT_TRUE(job.failure_rules.at(0).exit_codes->values.empty());
}

}  // namespace
}  // namespace fluxnetes::cluster
