// Groups whose makers can no longer make them whole, and members without a
// controller that are made again.
#include "tests/invariants/behaviour/behaviour.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class BehaviourOfMakers : public Behaviour {
 protected:
  // An Indexed Job whose pods are gangs of `size`.
  void SubmitJob(const std::string& name, int parallelism, int completions,
                 int size, const GangShape& shape = {}) {
    std::string text = GangOf(name, size, shape);
    const auto set = [&text](const std::string& field, int value) {
      const auto begin = text.find("  " + field + ": ");
      const auto end = text.find('\n', begin);
      text.replace(begin, end - begin,
                   "  " + field + ": " + std::to_string(value));
    };
    set("parallelism", parallelism);
    set("completions", completions);
    Submit(text);
  }
  std::string Filling(const std::string& group) {
    return system.Ask(
        "SELECT members || '/' || group_size FROM groups_provisional "
        "WHERE group_name = '" +
        group + "'");
  }
  std::string ReasonOf(const std::string& group) {
    return system.Ask(
        "SELECT reason FROM inactive_groups WHERE state = 'provisional' AND "
        "group_name = '" +
        group + "'");
  }
  std::string SizeOf(const std::string& group) {
    return system.Ask("SELECT group_size FROM pod_groups WHERE group_name = '" +
                      group + "'");
  }
  std::string ResultsOf(const std::string& group) {
    return system.Ask(
        "SELECT string_agg(group_size || ' ' || result, ', ' ORDER BY "
        "group_id) FROM group_history WHERE group_name = '" +
        group + "'");
  }
  cluster::KubernetesJobStatus::State JobState(const std::string& name) {
    return system.cluster.GetJob("default", name)->state;
  }
  void End(const std::string& pod, int exit_code) {
    ASSERT_TRUE(system.cluster.EndPod("default", pod, exit_code));
    system.Settle();
  }
  void Delete(const std::string& pod) {
    ASSERT_TRUE(system.cluster.Delete({"Pod", "default", pod, ""}));
    system.Advance(seconds(1));
  }
  // Bare pods name-0, name-1 of a gang of two, which runs.
  void RunPair(const std::string& name) {
    Submit(PodOf(name + "-0", name, 2, {.seconds = 600}));
    Submit(PodOf(name + "-1", name, 2, {.seconds = 600}));
    system.Advance(seconds(1));
    ASSERT_EQ(StateOf(name), "bound");
  }
  std::string RunningOf(const std::string& name) {
    std::string names;
    for (const auto& pod : system.cluster.TakeSnapshot().pods) {
      if (pod->phase == cluster::PodPhase::kRunning &&
          pod->name.starts_with(name))
        names += (names.empty() ? "" : " ") + pod->name;
    }
    return names;
  }
};

TEST_F(BehaviourOfMakers, RestOfTheCompletionsRunsAsASmallerGang) {
  SubmitJob("rest", 4, 5, 4, {.seconds = 2});
  EXPECT_EQ(StateOf("rest"), "bound");
  system.Advance(seconds(4));
  EXPECT_EQ(Filling("rest"), "1/4");
  system.Advance(seconds(10));
  EXPECT_EQ(Filling("rest"), "");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultsOf("rest"), "4 succeeded, 1 succeeded");
  EXPECT_EQ(JobState("rest"), cluster::KubernetesJobStatus::State::kComplete);
}

TEST_F(BehaviourOfMakers, IndexThatSucceededBeforeASuspendIsNotWaitedFor) {
  SubmitJob("train", 3, 3, 3, {.seconds = 30});
  system.Advance(seconds(1));
  End(PodOfIndex(0)->name, 0);
  ASSERT_TRUE(system.cluster.SuspendJob("default", "train", true));
  system.Advance(seconds(2));
  ASSERT_TRUE(system.cluster.SuspendJob("default", "train", false));
  system.Advance(seconds(1));
  EXPECT_EQ(Filling("train"), "2/3");
  system.Advance(seconds(10));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(SizeOf("train"), "2");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(JobState("train"), cluster::KubernetesJobStatus::State::kComplete);
}

TEST_F(BehaviourOfMakers, LoweredParallelismMakesAWaitingGangSmaller) {
  Submit(GangOf("filler", 6, {.seconds = 60}));
  SubmitJob("train", 4, 8, 4, {.seconds = 5});
  EXPECT_EQ(StateOf("train"), "pending");
  ASSERT_TRUE(system.cluster.ScaleJob("default", "train", 2));
  system.Settle();
  EXPECT_EQ(Filling("train"), "2/4");
  system.Advance(seconds(10));
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(SizeOf("train"), "2");
  for (int i = 0; i < 20; ++i) system.Advance(seconds(5));
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultsOf("train"),
            "2 succeeded, 2 succeeded, 2 succeeded, 2 succeeded");
  EXPECT_EQ(JobState("train"), cluster::KubernetesJobStatus::State::kComplete);
}

TEST_F(BehaviourOfMakers, RaisedParallelismMakesAWaitingGangWholeAgain) {
  Submit(GangOf("filler", 7, {.seconds = 60}));
  SubmitJob("train", 4, 4, 4, {.seconds = 5});
  ASSERT_TRUE(system.cluster.ScaleJob("default", "train", 2));
  system.Advance(seconds(10));
  EXPECT_EQ(SizeOf("train"), "2");
  EXPECT_EQ(StateOf("train"), "pending");
  ASSERT_TRUE(system.cluster.ScaleJob("default", "train", 4));
  system.Settle();
  EXPECT_EQ(SizeOf("train"), "4");
  EXPECT_EQ(StateOf("train"), "pending");
  system.Advance(seconds(51));
  EXPECT_EQ(StateOf("train"), "bound");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(ResultsOf("train"), "4 succeeded");
}

TEST_F(BehaviourOfMakers, LauncherIsNotStartedBeforeItsWorkersAreMade) {
  Submit(
      GangOf("mpi-launcher", 3, {.seconds = 5, .group = "mpi", .absent = 2}));
  system.Advance(std::chrono::minutes(10));
  EXPECT_EQ(Filling("mpi"), "1/3");
  EXPECT_THAT(ReasonOf("mpi"),
              HasSubstr("1 of 3 pods have arrived; never whole unless others "
                        "make the missing pods: Job mpi-launcher makes 1 pod "
                        "at a time"));
  Submit(GangOf("mpi-workers", 3, {.seconds = 5, .group = "mpi", .absent = 1}));
  EXPECT_EQ(StateOf("mpi"), "bound");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMakers, GangThatCanNeverBeWholeIsClearedByCancel) {
  SubmitJob("wrong", 2, 8, 4);
  system.Advance(seconds(10));
  EXPECT_THAT(ReasonOf("wrong"), HasSubstr("Job wrong makes 2 pods at a time"));
  const auto pod = system.cluster.TakeSnapshot().pods.front();
  const auto condition = system.cluster.ConditionOf("default", pod->name);
  ASSERT_TRUE(condition);
  EXPECT_THAT(condition->message, HasSubstr("never whole unless others make"));
  EXPECT_EQ(workers::CancelGroup(system.process->pool, "default", "wrong",
                                 "not needed", system.cluster.Now()),
            1);
  system.Settle();
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMakers, BarePodThatIsMadeAgainUnderItsNameRunsInItsGang) {
  RunPair("a");
  Delete("a-1");
  Submit(PodOf("a-1", "a", 2, {.seconds = 600}));
  system.Advance(seconds(1));
  EXPECT_EQ(RunningOf("a"), "a-0 a-1");
  End("a-1", 1);
  Delete("a-1");
  Submit(PodOf("a-1", "a", 2, {.seconds = 600}));
  system.Advance(seconds(1));
  EXPECT_EQ(RunningOf("a"), "a-0 a-1");
  End("a-1", 0);
  Delete("a-1");
  Submit(PodOf("a-1", "a", 2, {.seconds = 600}));
  system.Advance(seconds(1));
  EXPECT_EQ(RunningOf("a"), "a-0 a-1");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM groups_provisional"), "0");
  RunToEndAndExpectNothingLeft();
}

TEST_F(BehaviourOfMakers, BarePodOfAnotherNameRunsInTheSteadOfAFailedOne) {
  RunPair("b");
  End("b-1", 1);
  Submit(PodOf("b-2", "b", 2, {.seconds = 600}));
  system.Advance(seconds(1));
  EXPECT_EQ(RunningOf("b"), "b-0 b-2");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM groups_provisional"), "0");
  RunToEndAndExpectNothingLeft();
}

}  // namespace
}  // namespace fluxnetes::testing
