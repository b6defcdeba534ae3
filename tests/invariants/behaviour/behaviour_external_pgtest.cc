// Groups whose callers start the pods themselves, among normal groups; the
// invariants are checked after each settling.
#include "tests/invariants/behaviour/behaviour.h"
#include "workers/requests/external_groups.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using AnswerState = workers::ExternalAnswer::State;

class External : public Behaviour {
 protected:
  // Requests placements for pods of 2 CPUs, of which four fit.
  workers::GroupId Ask(const std::string& name, int pods, bool reserve = false,
                       seconds lifetime = hours(48)) {
    workers::ExternalAsk ask;
    ask.namespace_name = "kube-system";  // the namespace of AddOther's pods
    ask.name = name;
    ask.queue = "default";
    ask.request.resources.cpu_milli = 2'000;
    ask.request.resources.pods = 1;
    ask.pods = pods;
    ask.reserve = reserve;
    ask.lifetime = lifetime;
    ask.answer_by = system.cluster.Now() + seconds(5);
    const auto group = external().Ask(ask, system.cluster.Now())->group;
    system.Settle();
    return group;
  }
  AnswerState Look(workers::GroupId group) {
    return external().Look(group).state;
  }
  workers::ExternalGroups external() {
    return {system.process->pool, system.process->jobs};
  }
};

TEST_F(External, PodsStartOnWhatItLeavesAndWhenItIsCancelled) {
  const auto group = Ask("train", 3);
  ASSERT_EQ(Look(group), AnswerState::kAllocated);
  Submit(GangOf("fits", 2, {.cpu = "1", .seconds = 1'000}));
  Submit(GangOf("waits", 2, {.cpu = "2", .seconds = 1'000}));
  EXPECT_EQ(StateOf("fits"), "bound");
  EXPECT_EQ(StateOf("waits"), "pending");
  external().Cancel(group, "done");
  system.Settle();
  EXPECT_EQ(StateOf("waits"), "bound");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM external_groups"), "0");
}

TEST_F(External, PodsThatItsCallerStartsCountOnce) {
  const auto group = Ask("train", 1);
  ASSERT_EQ(Look(group), AnswerState::kAllocated);
  AddOther("train", "node0", 2);
  system.Settle();
  Submit(GangOf("fits", 6, {.cpu = "1", .seconds = 1'000}));
  EXPECT_EQ(StateOf("fits"), "bound");
  external().Cancel(group, "done");
  system.Settle();
  Submit(GangOf("waits", 1, {.cpu = "1", .seconds = 1'000}));
  EXPECT_EQ(StateOf("waits"), "pending");
}

TEST_F(External, CrashKeepsItAndWhatItIsPromised) {
  const auto first = Ask("first", 4, false, seconds(600));
  const auto second = Ask("second", 2, true);
  ASSERT_EQ(Look(second), AnswerState::kReserved);
  system.CrashAndRestart();
  system.Settle();
  EXPECT_EQ(Look(first), AnswerState::kAllocated);
  EXPECT_EQ(Look(second), AnswerState::kReserved);
  system.Advance(seconds(602));
  EXPECT_EQ(Look(first), AnswerState::kGone);
  EXPECT_EQ(Look(second), AnswerState::kAllocated);
}

TEST_F(External, AnotherReplicaTakesItOver) {
  const auto group = Ask("train", 4);
  system.standby = std::make_unique<SchedulerProcess>(system.database.options(),
                                                      system.cluster);
  system.process->Stop();
  system.DeclareDead(*system.process);
  system.process = std::move(system.standby);
  system.Settle();
  EXPECT_EQ(Look(group), AnswerState::kAllocated);
  EXPECT_EQ(Look(Ask("more", 1)), AnswerState::kGone);
}

TEST_F(External, FullComparisonLeavesItAlone) {
  const auto group = Ask("train", 3);
  system.process->resync.CompareEverything();
  system.Settle();
  system.process->resync.CompareEverything();
  system.Settle();
  EXPECT_EQ(Look(group), AnswerState::kAllocated);
  EXPECT_EQ(system.Ask("SELECT count(*) FROM resync_differences"), "0");
}

TEST_F(External, FullComparisonGivesItTheJobThatItLacks) {
  Ask("first", 4, false, seconds(600));
  const auto second = Ask("second", 2, true);
  system.database.Execute("DELETE FROM jobs WHERE kind = 'match'");
  system.process->resync.CompareEverything();
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT kind FROM resync_differences"), "job");
  system.Advance(seconds(602));
  EXPECT_EQ(Look(second), AnswerState::kAllocated);
}

TEST_F(External, NodeThatGoesAndComesBackFindsItsPlacesTaken) {
  const auto group = Ask("train", 4);
  const cluster::Node node = *system.cluster.GetNode("node0");
  system.cluster.RemoveNode("node0");
  system.Settle();
  EXPECT_EQ(Look(group), AnswerState::kAllocated);
  system.cluster.AddNode(node);
  system.Settle();
  EXPECT_EQ(Look(Ask("more", 1)), AnswerState::kGone);
}

}  // namespace
}  // namespace fluxnetes::testing
