// Bindings that are cut off in the middle of a gang, and bindings that come too
// late: sent by a process that was asleep, or held up on their way, while
// another has taken over.
#include <csignal>
#include <tuple>

#include "tests/kubernetes/support/api_trouble.h"
#include "tests/kubernetes/support/kube_test.h"
#include "tests/kubernetes/support/pod_journal.h"

namespace fluxnetes::testing {
namespace {

using When = ApiTrouble::When;

constexpr int kMembers = 4;
constexpr const char* kAnyBinding = "/binding$";

class LateBindings : public OnKubernetes {
 protected:
  LateBindings() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    journal_ = JournalOf(2);
    trouble_ = std::make_unique<ApiTrouble>(plane(), /*seed=*/0);
  }
  void TearDown() override {
    if (!HasFailure()) ExpectEachBoundOnce();
    OnKubernetes::TearDown();
    sleeper_.reset();
    trouble_.reset();
    journal_.reset();
  }

  // With answers held back and no full comparison, which would find out what
  // they say.
  std::map<std::string, std::string> Held() const {
    auto environment = Quick();
    environment["FLUXNETES_KUBECONFIG"] = trouble_->kubeconfig();
    environment["FLUXNETES_RESYNC_INTERVAL"] = "10m";
    return environment;
  }
  static std::map<std::string, std::string> Quick() {
    return {{"FLUXNETES_CLIENT_TTL", "1500ms"},
            {"FLUXNETES_CLIENT_HEARTBEAT", "200ms"}};
  }

  void SubmitGang(const std::string& name) {
    for (int i = 0; i < kMembers; ++i)
      Submit(BarePod(name + "-" + std::to_string(i), name, kMembers));
  }
  void Cordon(int node, bool cordoned) {
    Patch("nodes/" + Node(node), {{"spec", {{"unschedulable", cordoned}}}});
  }
  int BoundPods() { return journal_->Look().bound; }

  virtual void ExpectEachBoundOnce() {
    PodJournal::Sum sum;
    // The journal may hear of the last binding later than the scheduler did.
    Comes([&] {
      sum = journal_->Look();
      return sum.bound == sum.made;
    });
    EXPECT_EQ(sum.violations, std::vector<std::string>{});
    EXPECT_EQ(sum.in_part, std::vector<std::string>{});
    EXPECT_EQ(sum.bound, sum.made);
  }

  std::unique_ptr<PodJournal> journal_;
  std::unique_ptr<ApiTrouble> trouble_;
  std::unique_ptr<Process> sleeper_;
};

class CutOff : public LateBindings,
               public ::testing::WithParamInterface<std::tuple<int, When>> {};

// Killed after so many of the gang's bindings and before the others have left,
// or before it has heard of them.
TEST_P(CutOff, TheNextOneBindsTheRest) {
  const int let_through = std::get<0>(GetParam());
  const When when = std::get<1>(GetParam());
  trouble_->Hold(
      fmt::format("/half-[{}-{}]/binding$", let_through, kMembers - 1), when);
  StartScheduler(Held());
  SubmitGang("half");
  const int arrived = when == When::kBefore ? let_through : kMembers;
  ASSERT_TRUE(Comes([&] {
    return BoundPods() == arrived &&
           trouble_->Count("held") >= kMembers - let_through;
  })) << BoundPods()
      << " bound";
  EXPECT_EQ(StateOf("half"), "allocated");
  scheduler_->Kill();
  // Some were held more than once if they were sent again meanwhile.
  ASSERT_TRUE(Comes(
      [&] { return trouble_->Count("dropped") == trouble_->Count("held"); }));
  trouble_->Release();
  EXPECT_EQ(BoundPods(), arrived);
  StartScheduler(Quick());
  EXPECT_TRUE(Comes("half", "bound")) << StateOf("half");
  EXPECT_TRUE(Comes([&] { return BoundPods() == kMembers; })) << BoundPods();
  EXPECT_EQ(journal_->Look().whole, 1);
}

std::string NameOfCut(
    const ::testing::TestParamInfo<std::tuple<int, When>>& instance) {
  const auto [let_through, when] = instance.param;
  return (when == When::kBefore ? "sent_" : "heard_of_") +
         std::to_string(let_through);
}

INSTANTIATE_TEST_SUITE_P(Bindings, CutOff,
                         ::testing::Values(std::tuple(1, When::kBefore),
                                           std::tuple(2, When::kBefore),
                                           std::tuple(3, When::kBefore),
                                           std::tuple(0, When::kAfter),
                                           std::tuple(2, When::kAfter)),
                         NameOfCut);

// Something happens to the gang while some of its bindings are on their way.
class HalfSent : public LateBindings {
 protected:
  // Bound: members 0 and 1, or (kAfter) all; the scheduler has heard of the
  // first two.
  void BindHalf(When when) {
    trouble_->Hold("/half-[23]-[a-z0-9]+/binding$", when);
    // The places of what was bound are kept, however slow the machine is.
    database_->Execute("UPDATE queues SET bind_timeout = '1 hour'");
    StartScheduler(
        {{"FLUXNETES_KUBECONFIG", trouble_->kubeconfig()},
         {"FLUXNETES_RESYNC_INTERVAL", when == When::kAfter ? "10m" : "1s"}});
    Submit(Gang("half", kMembers, {.cpu = 2}));
    const int arrived = when == When::kBefore ? 2 : kMembers;
    ASSERT_TRUE(Comes([&] {
      return BoundPods() == arrived && trouble_->Count("held") >= 2;
    })) << BoundPods();
    EXPECT_EQ(StateOf("half"), "allocated");
  }
  cluster::Pod Member(int index) {
    for (const cluster::Pod& pod : PodsOf("half"))
      if (pod.completion_index == index) return pod;
    ADD_FAILURE() << "there is no member " << index;
    return {};
  }
  // Not all of those that were deleted have had a node. A thief does not ask.
  void ExpectEachBoundOnce() override {
    const PodJournal::Sum sum = journal_->Look();
    for (const std::string& pod : sum.crowding) EXPECT_EQ(pod, "thief");
    EXPECT_EQ(sum.violations.size(), sum.crowding.size());
  }
};

class DeletedHalfSent : public HalfSent,
                        public ::testing::WithParamInterface<When> {};

TEST_P(DeletedHalfSent, WhatWasBoundIsGivenBack) {
  BindHalf(GetParam());
  if (HasFailure()) return;
  const int bound = BoundPods();
  Delete("jobs/half");
  ASSERT_TRUE(Comes([&] { return PodsOf("half").empty(); }));
  trouble_->Release();
  EXPECT_TRUE(Comes("half", "cancelled")) << StateOf("half");
  EXPECT_TRUE(Comes([&] { return Leftovers().empty(); })) << Leftovers();
  EXPECT_EQ(BoundPods(), bound);
  Submit(Gang("next", kMembers, {.cpu = 2}));
  EXPECT_TRUE(Comes("next", "bound")) << StateOf("next");
}

INSTANTIATE_TEST_SUITE_P(Bindings, DeletedHalfSent,
                         ::testing::Values(When::kBefore, When::kAfter),
                         [](const auto& instance) {
                           return instance.param == When::kBefore ? "sent"
                                                                  : "heard_of";
                         });

TEST_F(HalfSent, GangGetsAnotherPodForOneThatItsKubeletTurnsAwayMeanwhile) {
  BindHalf(When::kBefore);
  if (HasFailure()) return;
  const cluster::Pod refused = Member(0);
  AddUnmanaged("thief", refused.node_name, 2);
  ASSERT_TRUE(Comes([&] {
    return PodNamed(refused.name).phase == cluster::PodPhase::kRunning;
  }));
  Patch("pods/" + refused.name + "/status",
        {{"status", {{"phase", "Failed"}, {"reason", "OutOfcpu"}}}});
  trouble_->Release();
  // The thief, the three others, and not yet the one that is made instead.
  EXPECT_TRUE(Comes([&] {
    return BoundPods() == kMembers + 1 && PodsOf("half").size() == kMembers + 1;
  })) << BoundPods()
      << " bound of " << PodsOf("half").size();
  AddNode(Node(2));
  EXPECT_TRUE(Comes([&] { return BoundPods() == kMembers + 2; }));
  EXPECT_TRUE(Comes("half", "bound")) << StateOf("half");
  int on_new_node = 0;
  for (const cluster::Pod& pod : PodsOf("half"))
    if (pod.node_name == Node(2)) ++on_new_node;
  EXPECT_EQ(on_new_node, 1);
}

enum class Where { kUnsent, kOnTheWay };
enum class Meanwhile { kTakenBack, kPlacedElsewhere };

class TooLate
    : public LateBindings,
      public ::testing::WithParamInterface<std::tuple<Where, Meanwhile>> {
 protected:
  // A scheduler whose bindings to node 0 are about to be sent, or are on their
  // way, and that has stopped.
  void FallAsleep(Where where) {
    auto environment = Held();
    if (where == Where::kUnsent) {
      environment["FLUXNETES_FAILPOINT"] = "bind-confirmed:1:pause";
    } else {
      trouble_->Hold(kAnyBinding, When::kBefore);
    }
    Cordon(1, true);
    sleeper_ = Serve(environment);
    SubmitGang("gang");
    if (where == Where::kOnTheWay) {
      ASSERT_TRUE(Comes([&] { return trouble_->Count("held") >= kMembers; }));
      sleeper_->Signal(SIGSTOP);
    }
    ASSERT_TRUE(Comes([&] { return sleeper_->HasStopped(); }));
  }

  void WakeUp(Where where) {
    if (where == Where::kOnTheWay) trouble_->Release();
    if (where == Where::kUnsent) sleeper_->Signal(SIGCONT);
    // The API server has refused them all.
    EXPECT_TRUE(
        Comes([&] { return trouble_->Count("binding: 409") >= kMembers; }));
    EXPECT_EQ(trouble_->Count("binding: 201"), 0);
    sleeper_->Signal(SIGCONT);
    // It lives again when it has a client again.
    EXPECT_TRUE(
        Comes([&] { return Ask("SELECT count(*) FROM clients") == "2"; }));
  }
};

TEST_P(TooLate, NothingIsBoundThatWasTakenBack) {
  const auto [where, meanwhile] = GetParam();
#ifndef FLUXNETES_FAULTS
  if (where == Where::kUnsent)
    GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
  FallAsleep(where);
  ASSERT_FALSE(HasFailure());
  Cordon(0, true);
  StartScheduler(Quick());
  // No node is open.
  ASSERT_TRUE(Comes([&] {
    const std::string state = StateOf("gang");
    return state == "pending" || state == "unsatisfiable";
  })) << StateOf("gang");
  EXPECT_EQ(BoundPods(), 0);
  if (meanwhile == Meanwhile::kTakenBack) {
    WakeUp(where);
    EXPECT_EQ(BoundPods(), 0);
  }
  Cordon(1, false);
  EXPECT_TRUE(Comes("gang", "bound")) << StateOf("gang");
  if (meanwhile == Meanwhile::kPlacedElsewhere) WakeUp(where);
  EXPECT_TRUE(Comes([&] { return BoundPods() == kMembers; })) << BoundPods();
  for (int i = 0; i < kMembers; ++i)
    EXPECT_EQ(journal_->NodeOf("gang-" + std::to_string(i)), Node(1));
  Cordon(0, false);
  SubmitGang("next");
  EXPECT_TRUE(Comes("next", "bound")) << StateOf("next");
  EXPECT_FALSE(sleeper_->HasEnded());
}

std::string NameOfDelay(
    const ::testing::TestParamInfo<std::tuple<Where, Meanwhile>>& instance) {
  const auto [where, meanwhile] = instance.param;
  return std::string(where == Where::kUnsent ? "unsent" : "on_the_way") +
         (meanwhile == Meanwhile::kTakenBack ? "_taken_back"
                                             : "_placed_elsewhere");
}

INSTANTIATE_TEST_SUITE_P(
    Bindings, TooLate,
    ::testing::Combine(::testing::Values(Where::kUnsent, Where::kOnTheWay),
                       ::testing::Values(Meanwhile::kTakenBack,
                                         Meanwhile::kPlacedElsewhere)),
    NameOfDelay);

}  // namespace
}  // namespace fluxnetes::testing
