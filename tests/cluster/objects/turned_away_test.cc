#include "cluster/objects/turned_away.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

Pod Ended(PodPhase phase, const std::string& reason) {
  Pod pod;
  pod.node_name = "n0";
  pod.phase = phase;
  pod.reason = reason;
  return pod;
}

TEST(TurnedAway, IsWhoFailedForWhatItsNodeHasOrIs) {
  for (const char* reason :
       {"OutOfcpu", "OutOfpods", "OutOfnvidia.com/gpu", "NodeAffinity",
        "UnexpectedAdmissionError", "TaintToleration"}) {
    EXPECT_TRUE(IsTurnedAway(Ended(PodPhase::kFailed, reason))) << reason;
  }
}

TEST(TurnedAway, IsNotWhoFailedByItselfOrRuns) {
  EXPECT_FALSE(IsTurnedAway(Ended(PodPhase::kFailed, "")));
  EXPECT_FALSE(IsTurnedAway(Ended(PodPhase::kFailed, "DeadlineExceeded")));
  EXPECT_FALSE(IsTurnedAway(Ended(PodPhase::kFailed, "Evicted")));
  EXPECT_FALSE(IsTurnedAway(Ended(PodPhase::kRunning, "OutOfcpu")));
}

}  // namespace
}  // namespace fluxnetes::cluster
