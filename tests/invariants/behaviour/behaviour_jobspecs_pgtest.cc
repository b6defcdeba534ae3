// Jobs that get their jobspec after their pods wait as groups of one: the pods
// become one gang, whatever was under way. FLUXNETES_TEST_SEED is the seed of
// the random run.
#include <cstdlib>
#include <random>

#include "tests/invariants/behaviour/behaviour.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

// So many pods of one core on each of so many nodes.
std::string Jobspec(int nodes, int pods) {
  return fmt::format(
      "version: 1\nresources: [{{type: node, count: {}, with: [{{type: slot, "
      "label: s, count: {}, with: [{{type: core, count: 1}}]}}]}}]\n"
      "tasks: []\nattributes: {{}}\n",
      nodes, pods);
}

class BehaviourOfJobspecs : public Behaviour {
 protected:
  // Pods of one cpu each, of no group.
  static std::string JobOf(const std::string& name, int pods, int runs = 60) {
    return fmt::format(
        R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}}}
spec:
  parallelism: {1}
  completions: {1}
  completionMode: Indexed
  template:
    metadata:
      annotations: {{fluxnetes.io/run-seconds: "{2}"}}
    spec: {3}
)",
        name, pods, runs, PodSpecOf({}));
  }
  void Annotate(const std::string& job, const std::string& jobspec) {
    ASSERT_TRUE(system.cluster.AnnotateJob("default", job,
                                           {{"fluxnetes.jobspec", jobspec}}));
  }
  void Cordon(bool cordoned) {
    for (const char* node : {"node0", "node1"})
      system.cluster.Cordon(node, cordoned);
    system.Settle();
  }
  // Keeps all but one cpu of node0, and none of node1, for others.
  void LeaveOneCpu() {
    AddOther("large", "node0", 3);
    AddOther("larger", "node1", 4);
  }
  std::string Groups() {
    return system.database.AskAll(
        "SELECT group_name, group_size, state FROM pod_groups ORDER BY 1");
  }
  std::string NodesOf(const std::string& group) {
    return system.Ask(
        "SELECT coalesce(string_agg(l.node_name, ' ' ORDER BY l.node_name), "
        "'') FROM placements l JOIN pod_groups g ON g.id = l.fluxion_job WHERE "
        "g.group_name = '" +
        group + "'");
  }
  // Each pod was bound so often.
  void ExpectBoundOnce(std::size_t pods) {
    const auto bindings = system.cluster.Bindings();
    std::set<std::string> uids;
    for (const auto& binding : bindings) uids.insert(binding.uid);
    EXPECT_EQ(bindings.size(), pods);
    EXPECT_EQ(uids.size(), pods);
  }
};

TEST_F(BehaviourOfJobspecs, PodsThatWaitAloneStartTogetherByALateJobspec) {
  Cordon(true);
  Submit(JobOf("late", 4));
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pod_groups"), "4");
  Annotate("late", Jobspec(2, 2));
  system.Settle();
  EXPECT_THAT(Groups(), HasSubstr("late|4|"));
  EXPECT_EQ(system.Ask("SELECT count(*) FROM pod_groups"), "1");
  Cordon(false);
  EXPECT_EQ(Groups(), "late|4|bound");
  EXPECT_EQ(NodesOf("late"), "node0 node0 node1 node1");
  RunToEndAndExpectNothingLeft();
  ExpectBoundOnce(4);
  EXPECT_EQ(system.Ask("SELECT string_agg(group_size || ' ' || result, ', ') "
                       "FROM group_history"),
            "4 succeeded");
}

// The match has given a place to each pod, and the binder is about to bind it,
// before or after intake sees the jobspec.
TEST_F(BehaviourOfJobspecs, PlaceThatIsNotBoundYetIsTakenBack) {
  for (const bool binder_first : {false, true}) {
    const std::string name = binder_first ? "second" : "first";
    Allocate(JobOf(name, 2, 600));
    EXPECT_EQ(system.Ask("SELECT count(*) FROM pod_groups WHERE state = "
                         "'allocated'"),
              "2");
    const std::size_t before = system.cluster.Bindings().size();
    Annotate(name, Jobspec(1, 2));
    const auto now = system.cluster.Now();
    if (binder_first) system.process->binder.RunOnce(now);
    system.process->intake.RunOnce(now);
    system.process->binder.RunOnce(now);
    system.Settle();
    EXPECT_EQ(system.cluster.Bindings().size(), before + 2) << name;
    // What was bound before intake saw the jobspec stays as it is.
    EXPECT_EQ(StateOf(name), binder_first ? "" : "bound");
    EXPECT_EQ(NodesOf(name), binder_first ? "" : "node0 node0");
  }
  RunToEndAndExpectNothingLeft();
  ExpectBoundOnce(4);
}

TEST_F(BehaviourOfJobspecs, RestOfAJobOfWhichAPodRunsStartsAsASmallerGang) {
  LeaveOneCpu();
  Submit(JobOf("rest", 3, 600));
  system.Advance(seconds(1));
  ExpectBoundOnce(1);
  Annotate("rest", Jobspec(1, 3));
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT members || '/' || group_size FROM "
                       "groups_provisional WHERE group_name = 'rest'"),
            "2/3");
  RemoveOther("larger");
  system.Advance(seconds(60));
  // The third pod runs already.
  EXPECT_EQ(StateOf("rest"), "bound");
  EXPECT_EQ(NodesOf("rest"), "node1 node1");
  RemoveOther("large");
  RunToEndAndExpectNothingLeft();
  ExpectBoundOnce(3);
}

TEST_F(BehaviourOfJobspecs, JobspecsThatComeAtAnyTimeLoseAndDoubleNothing) {
  const char* const given = std::getenv("FLUXNETES_TEST_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 3;
  RecordProperty("FLUXNETES_TEST_SEED", std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto some = [&random](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  std::size_t pods = 0;
  std::vector<std::string> jobs;
  std::vector<int> sizes;
  for (int step = 0; step < 60; ++step) {
    const int what = some(0, 9);
    if (what <= 3 || jobs.empty()) {
      sizes.push_back(2 * some(1, 2));
      jobs.push_back("job-" + std::to_string(step));
      pods += static_cast<std::size_t>(sizes.back());
      system.Submit(JobOf(jobs.back(), sizes.back(), some(5, 60)));
    } else if (what <= 6) {
      const auto which =
          static_cast<std::size_t>(some(0, static_cast<int>(jobs.size()) - 1));
      std::optional<std::string> text;
      if (some(0, 4) > 0) text = Jobspec(some(1, 2), 1);
      if (some(0, 3) > 0) text = Jobspec(1, sizes[which]);
      system.cluster.AnnotateJob("default", jobs[which],
                                 {{"fluxnetes.jobspec", text}});
    } else if (what == 7) {
      system.CrashAndRestart();
    } else if (what == 8) {
      system.Advance(seconds(some(1, 20)));
    }
    // A few workers, in any order, or all until they rest.
    if (some(0, 2) == 0) {
      system.Settle();
    } else {
      for (int i = some(1, 6); i > 0; --i)
        system.process->RunWorker(some(0, 3), system.cluster.Now());
    }
    if (HasFatalFailure()) return;
  }
  // One that asks for more pods than a Job has left starts with those.
  for (std::size_t i = 0; i < jobs.size(); ++i)
    Annotate(jobs[i], Jobspec(1, sizes[i]));
  for (int i = 0; i < 30; ++i) system.Advance(seconds(20));
  RunToEndAndExpectNothingLeft();
  ExpectBoundOnce(pods);
  for (const std::string& job : jobs)
    EXPECT_EQ(system.cluster.GetJob("default", job)->state,
              cluster::KubernetesJobStatus::State::kComplete);
}

}  // namespace
}  // namespace fluxnetes::testing
