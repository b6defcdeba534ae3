// kube-scheduler places pods on the same nodes. Neither asks the other: each
// goes by what the API server has told it. So who comes late may come to a node
// that has just been filled, and its kubelet turns the pod away; where all is
// known, nobody comes to a node without room.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <random>

#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {
namespace {

constexpr int kSharedNodes = 4;
constexpr int kSharedCpu = kSharedNodes * 4;  // cpu

class BesideKubeScheduler : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    const std::string program = ControlPlane::Tool("kube-scheduler");
    if (program.empty()) GTEST_SKIP() << "there is no Go for kube-scheduler";
    journal_ = JournalOf(kSharedNodes);
    const std::string file = plane().folder() + "/" + home_;
    std::ofstream(file + "-kube-scheduler.yaml")
        << "apiVersion: kubescheduler.config.k8s.io/v1\n"
           "kind: KubeSchedulerConfiguration\n"
           "leaderElection: {leaderElect: false}\n"
           "clientConnection: {qps: 1000, burst: 1000, kubeconfig: "
        << plane().folder() << "/admin.kubeconfig}\n";
    other_ = std::make_unique<Process>(
        std::vector<std::string>{program,
                                 "--config=" + file + "-kube-scheduler.yaml",
                                 "--bind-address=127.0.0.1", "--secure-port=0"},
        std::map<std::string, std::string>{}, file + "-kube-scheduler.log");
  }
  void TearDown() override {
    OnKubernetes::TearDown();
    other_.reset();
    journal_.reset();
  }

  // Of one cpu each.
  void SubmitTheirs(const std::string& prefix, int pods,
                    const std::string& seconds = {}) {
    for (int i = 0; i < pods; ++i) {
      std::string pod =
          BarePod(fmt::format("{}-{}", prefix, i), "", 0, {.seconds = seconds});
      pod.replace(pod.find("fluxnetes,"), 9, "default-scheduler");
      Submit(pod);
    }
  }
  // What we think that they use.
  std::string TheirCpu() {
    return Ask("SELECT coalesce(sum(unmanaged_cpu_milli), 0) FROM nodes");
  }
  int BoundPods() { return journal_->Look().bound; }
  void ExpectNobodyCrowded() {
    EXPECT_EQ(journal_->Look().violations, std::vector<std::string>{});
  }

  std::unique_ptr<PodJournal> journal_;
  std::unique_ptr<Process> other_;
};

TEST_F(BesideKubeScheduler, WhatItLeavesIsFilledToTheLastCpu) {
  SubmitTheirs("theirs", 10);
  ASSERT_TRUE(Comes([&] { return BoundPods() == 10 && TheirCpu() == "10000"; }))
      << BoundPods() << " bound, " << TheirCpu();
  Submit(Gang("ours", kSharedCpu - 10));
  EXPECT_TRUE(Comes("ours", "bound"));
  Submit(Gang("more", 1));
  EXPECT_TRUE(Waits("more"));
  ExpectNobodyCrowded();
  EndPod("theirs-0");
  EXPECT_TRUE(Comes("more", "bound"));
  ExpectNobodyCrowded();
}

TEST_F(BesideKubeScheduler, FillsWhatWeLeaveAndIsNotInOurWayAfterwards) {
  Submit(Gang("ours", 10));
  ASSERT_TRUE(Comes("ours", "bound"));
  SubmitTheirs("theirs", kSharedCpu - 10);
  ASSERT_TRUE(Comes([&] { return BoundPods() == kSharedCpu; })) << BoundPods();
  Submit(Gang("next", 10));
  EXPECT_TRUE(Waits("next"));
  ExpectNobodyCrowded();
  EndGroup("ours");
  EXPECT_TRUE(Comes("next", "bound"));
  ExpectNobodyCrowded();
}

// What both fill at the same time is what their kubelets make of it; then
// nothing is counted that is no more.
class FloodBesideKubeScheduler : public BesideKubeScheduler {
 protected:
  static constexpr int kGangs = 25;

  void Flood() {
    std::mt19937 random(1);
    for (int i = 0; i < kGangs; ++i) {
      const int size = 1 + static_cast<int>(random() % 4);
      const std::string gang = fmt::format("gang{}", i);
      for (int pod = 0; pod < size; ++pod)
        Submit(BarePod(fmt::format("{}-{}", gang, pod), gang, size,
                       {.seconds = "0.5"}));
      SubmitTheirs(fmt::format("theirs{}", i), 3, "0.5");
    }
  }

  // As a kubelet does with the pods that came last to a full node. They run in
  // KWOK's eyes, and may be over when the test looks.
  void Reject(const std::string& pod) {
    const bool is_over = !Comes([&] {
      return PodNamed(pod).phase != cluster::PodPhase::kPending;
    }) || PodNamed(pod).phase != cluster::PodPhase::kRunning;
    if (is_over) return;
    Patch("pods/" + pod + "/status",
          {{"status", {{"phase", "Failed"}, {"reason", "OutOfcpu"}}}});
    ++(pod.starts_with("theirs") ? theirs_rejected_ : ours_rejected_);
  }

  int ours_rejected_ = 0, theirs_rejected_ = 0;
};

TEST_F(FloodBesideKubeScheduler, EndsAndNothingIsCountedThatIsNoMore) {
  Flood();
  std::size_t seen = 0;
  EXPECT_TRUE(Comes([&] {
    const PodJournal::Sum sum = journal_->Look();
    for (; seen < sum.crowding.size(); ++seen) Reject(sum.crowding[seen]);
    return sum.ended == sum.made;
  }));
  PodJournal::Sum sum = journal_->Look();
  EXPECT_EQ(sum.bound, sum.made);
  EXPECT_EQ(sum.violations.size(), sum.crowding.size());
  EXPECT_TRUE(Comes([&] { return Leftovers().empty() && TheirCpu() == "0"; }))
      << Leftovers() << TheirCpu();
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), std::to_string(kGangs));
  RecordProperty("ours_rejected", ours_rejected_);
  RecordProperty("theirs_rejected", theirs_rejected_);

  const std::size_t violations = sum.violations.size();
  SubmitTheirs("last", 5);
  ASSERT_TRUE(Comes([&] { return TheirCpu() == "5000"; })) << TheirCpu();
  Submit(Gang("rest", kSharedCpu - 5));
  EXPECT_TRUE(Comes("rest", "bound"));
  EXPECT_EQ(journal_->Look().violations.size(), violations);
}

}  // namespace
}  // namespace fluxnetes::testing
