#include "cluster/http/api_tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ApiTally, NamesVerbAndResourceAsARoleDoesAndLeavesNamesOut) {
  EXPECT_THAT(VerbAndResource("POST", "/api/v1/namespaces/a/pods/b/binding"),
              Pair("create", "pods/binding"));
  EXPECT_THAT(VerbAndResource("GET", "/api/v1/pods?limit=1&continue=x%2Fy"),
              Pair("list", "pods"));
  EXPECT_THAT(VerbAndResource("GET", "/api/v1/namespaces/a/pods/b"),
              Pair("get", "pods"));
  EXPECT_THAT(VerbAndResource("PATCH", "/api/v1/namespaces/a/pods/b/status"),
              Pair("patch", "pods/status"));
  EXPECT_THAT(VerbAndResource("DELETE", "/apis/batch/v1/namespaces/a/jobs/j"),
              Pair("delete", "jobs"));
  EXPECT_THAT(VerbAndResource("PUT", "/api/v1/nodes/n"),
              Pair("update", "nodes"));
  EXPECT_THAT(VerbAndResource("GET", "/api/v1/namespaces/a"),
              Pair("get", "namespaces"));
  EXPECT_THAT(VerbAndResource("GET", "/api/v1/namespaces"),
              Pair("list", "namespaces"));
  EXPECT_THAT(VerbAndResource("GET", "/"), Pair("get", "other"));
  EXPECT_THAT(VerbAndResource("BREW", "/api"), Pair("other", "other"));
}

TEST(ApiTally, CountsAnswersAndTimeOfEachKindOfRequest) {
  ApiTally tally;
  const char* binding = "/api/v1/namespaces/a/pods/b/binding";
  tally.Answered("POST", binding, 201, milliseconds(2));
  tally.Answered("POST", binding, 201, milliseconds(2));
  tally.Answered("POST", "/api/v1/namespaces/a/pods/c/binding", 409,
                 milliseconds(2));
  tally.Answered("GET", "/api/v1/nodes", 0, milliseconds(50));
  const auto calls = tally.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].resource, "pods/binding");
  EXPECT_THAT(calls[0].answers, ElementsAre(Pair(201, 2), Pair(409, 1)));
  EXPECT_EQ(calls[0].durations.Total(), 3U);
  EXPECT_NEAR(calls[0].durations.seconds, 0.006, 1e-9);
  EXPECT_THAT(calls[1].answers, ElementsAre(Pair(0, 1)));
}

TEST(ApiTally, CountsListsAndStreamsOfEachKind) {
  ApiTally tally;
  tally.Lists(WatchedKind::kPods);
  tally.Streams(WatchedKind::kPods);
  tally.Streams(WatchedKind::kPods);
  for (const WatchCounts& counts : tally.watches()) {
    const bool pods = counts.kind == WatchedKind::kPods;
    EXPECT_EQ(counts.lists, pods ? 1U : 0U);
    EXPECT_EQ(counts.streams, pods ? 2U : 0U);
  }
}

}  // namespace
}  // namespace fluxnetes::cluster
