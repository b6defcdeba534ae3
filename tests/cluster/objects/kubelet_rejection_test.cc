#include "cluster/objects/kubelet_rejection.h"

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

TEST(KubeletRejection, IsWhoFailedForWhatItsNodeHasOrIs) {
  for (const char* reason :
       {"OutOfcpu", "OutOfpods", "OutOfnvidia.com/gpu", "NodeAffinity",
        "UnexpectedAdmissionError", "TaintToleration"}) {
    EXPECT_TRUE(IsRejectedByKubelet(Ended(PodPhase::kFailed, reason)))
        << reason;
  }
}

TEST(KubeletRejection, IsNotWhoFailedByItselfOrRuns) {
  EXPECT_FALSE(IsRejectedByKubelet(Ended(PodPhase::kFailed, "")));
  EXPECT_FALSE(
      IsRejectedByKubelet(Ended(PodPhase::kFailed, "DeadlineExceeded")));
  EXPECT_FALSE(IsRejectedByKubelet(Ended(PodPhase::kFailed, "Evicted")));
  EXPECT_FALSE(IsRejectedByKubelet(Ended(PodPhase::kRunning, "OutOfcpu")));
}

}  // namespace
}  // namespace fluxnetes::cluster
