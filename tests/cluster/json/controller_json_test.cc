#include "cluster/json/controller_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Life = ControllerState::Life;

ControllerState Read(const std::string& kind, const char* text) {
  return DecodeControllerState(kind, nlohmann::json::parse(text));
}

TEST(CountIndexes, CountsNumbersAndRanges) {
  EXPECT_EQ(CountIndexes(""), 0);
  EXPECT_EQ(CountIndexes("0"), 1);
  EXPECT_EQ(CountIndexes("1,3-5,7"), 5);
  EXPECT_EQ(CountIndexes("0-99999"), 100'000);
}

TEST(CountIndexes, UnreadablePartsCountAsNone) {
  for (const char* text : {",", "-", "a", "5-3", "1-", "-1", "1-2-3"})
    EXPECT_EQ(CountIndexes(text), 0) << text;
  EXPECT_EQ(CountIndexes("x,2,99999999999"), 1);
}

TEST(DecodeControllerState, IndexedJob) {
  const ControllerState job = Read("Job", R"({
      "metadata": {"ownerReferences": [
        {"kind": "JobSet", "name": "s", "uid": "u", "controller": true}]},
      "spec": {"parallelism": 3, "completions": 8, "backoffLimit": 2,
               "suspend": true},
      "status": {"active": 2, "succeeded": 3, "failed": 1,
                 "completedIndexes": "0,2-4", "failedIndexes": "5"}})");
  EXPECT_EQ(job.life, Life::kLives);
  EXPECT_TRUE(job.job);
  EXPECT_TRUE(job.controlled);
  EXPECT_EQ(job.at_once, 3);
  EXPECT_EQ(job.completions, 8);
  EXPECT_EQ(job.succeeded, 4) << "the indexes are ahead of the count";
  EXPECT_EQ(job.failed_indexes, 1);
  EXPECT_EQ(job.failed, 1);
  EXPECT_EQ(job.active, 2);
  EXPECT_EQ(job.backoff_limit, 2);
  EXPECT_TRUE(job.suspended);
}

TEST(DecodeControllerState, JobWithoutCompletionsHasNone) {
  const ControllerState job = Read("Job", R"({"spec": {"parallelism": 3}})");
  EXPECT_EQ(job.completions, std::nullopt);
  EXPECT_EQ(job.at_once, 3);
}

TEST(DecodeControllerState, EndOfAJob) {
  const auto with = [](const std::string& type, const std::string& status) {
    return Read("Job",
                (R"({"status": {"conditions": [{"type": ")" + type +
                 R"(", "status": ")" + status + R"(", "reason": "Why"}]}})")
                    .c_str());
  };
  EXPECT_EQ(with("Complete", "True").life, Life::kComplete);
  EXPECT_EQ(with("SuccessCriteriaMet", "True").life, Life::kComplete);
  EXPECT_EQ(with("Failed", "True").life, Life::kFailed);
  EXPECT_EQ(with("Failed", "True").reason, "Why");
  EXPECT_EQ(with("FailureTarget", "True").life, Life::kFailed);
  EXPECT_EQ(with("Failed", "False").life, Life::kLives);
  EXPECT_EQ(with("Suspended", "True").life, Life::kLives);
}

TEST(DecodeControllerState, ReplicasOfOtherKinds) {
  for (const char* kind :
       {"ReplicaSet", "StatefulSet", "ReplicationController"}) {
    const ControllerState set = Read(kind, R"({"spec": {"replicas": 5}})");
    EXPECT_EQ(set.life, Life::kLives) << kind;
    EXPECT_EQ(set.at_once, 5) << kind;
    EXPECT_FALSE(set.job) << kind;
  }
  EXPECT_EQ(
      Read("DaemonSet", R"({"status": {"desiredNumberScheduled": 7}})").at_once,
      7);
}

TEST(DecodeControllerState, WhatDoesNotSayHowManyIsUnknown) {
  EXPECT_EQ(Read("ReplicaSet", "{}").life, Life::kUnknown);
  EXPECT_EQ(Read("MPIJob", R"({"spec": {"replicas": 5}})").life,
            Life::kUnknown);
}

TEST(DecodeControllerState, WhatIsBeingDeletedIsGone) {
  const char* const text =
      R"({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"},
          "spec": {"replicas": 5, "parallelism": 5}})";
  EXPECT_EQ(Read("ReplicaSet", text).life, Life::kGone);
  EXPECT_EQ(Read("Job", text).life, Life::kGone);
}

}  // namespace
}  // namespace fluxnetes::cluster
