// Nothing gets through to the API server for longer than anybody waits for an
// answer, while it goes on by itself.
#include "tests/kubernetes/support/api_trouble.h"
#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class CutOffFromKubernetes : public OnKubernetes {
 protected:
  CutOffFromKubernetes() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    journal_ = JournalOf(2);
    trouble_ = std::make_unique<ApiTrouble>(plane(), /*seed=*/0);
    StartScheduler({{"FLUXNETES_KUBECONFIG", trouble_->kubeconfig()}});
  }
  void TearDown() override {
    OnKubernetes::TearDown();
    trouble_.reset();
    journal_.reset();
  }

  std::unique_ptr<PodJournal> journal_;
  std::unique_ptr<ApiTrouble> trouble_;
};

TEST_F(CutOffFromKubernetes, WhatHappensMeanwhileIsNoticedLater) {
  Submit(Gang("runs", 4, {.cpu = 2}));
  ASSERT_TRUE(Comes("runs", "bound"));
  Submit(Gang("waits", 4, {.cpu = 2}));
  Submit(Gang("dropped", 4, {.cpu = 2}));
  Submit(Gang("changed", 2));
  for (const char* gang : {"waits", "dropped", "changed"})
    EXPECT_TRUE(Waits(gang));
  trouble_->GoAway();
  EndGroup("runs");
  Delete("jobs/dropped");
  Delete("pods/" + PodsOf("changed")[0].name);  // its Job makes another
  Submit(Gang("later", 2));
  EXPECT_EQ(scheduler_->WaitForEnd(IsLong() ? seconds(60) : seconds(5)),
            std::nullopt);
  EXPECT_GT(trouble_->Count("away"), 0);
  EXPECT_EQ(Bound("waits"), 0);
  EXPECT_EQ(StateOf("runs"), "bound");
  EXPECT_EQ(StateOf("later"), "");
  trouble_->ComeBack();
  EXPECT_TRUE(Comes("runs", "succeeded")) << StateOf("runs");
  EXPECT_TRUE(Comes("dropped", "cancelled")) << StateOf("dropped");
  EXPECT_TRUE(Comes("waits", "bound")) << StateOf("waits");
  EndGroup("waits");
  for (const char* gang : {"changed", "later"}) {
    EXPECT_TRUE(Comes(gang, "bound")) << gang << " " << StateOf(gang);
    EXPECT_EQ(Bound(gang), 2);
  }
  EXPECT_EQ(journal_->Look().violations, std::vector<std::string>{});
}

}  // namespace
}  // namespace fluxnetes::testing
