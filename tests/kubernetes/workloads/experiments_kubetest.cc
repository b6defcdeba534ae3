// The short form of a public experiment: gangs that come faster than they can
// run. hack/benchmark experiments has it in full, beside other schedulers.
#include <gmock/gmock.h>

#include <thread>

#include "tests/experiments/experiment_run.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

using ::testing::IsEmpty;
using workers::QueuePolicy;

constexpr int kPingNodes = 8;
constexpr int kPodCpu = 4;  // all that a node has
// Gangs hold their nodes for a second instead of 34.
constexpr double kPingScale = 34;
// What a busy machine may take for decisions and for bindings.
constexpr double kMostOfPaper = 1.5;
// Gangs that start together may become whole in any order.
constexpr double kBurst = 0.5 * kPingScale;

class ExperimentOnKubernetes : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    for (int i = 2; i < kPingNodes; ++i) AddNode(Node(i));
  }

  // A pod to a node, as there.
  static GangExperiment TwoIterations() {
    GangExperiment experiment = PingGangs(2);
    experiment.cpu_of_node = kPodCpu;
    for (ExperimentGang& gang : experiment.gangs) gang.cpu = kPodCpu;
    return experiment;
  }

  ExperimentResult RunAs(const std::string& queue_policy,
                         std::chrono::seconds patience) {
    database_->Execute("UPDATE queues SET queue_policy = '" + queue_policy +
                       "' WHERE name = 'default'");
    return RunExperiment(plane().access(), TwoIterations(),
                         {.scheduler = "fluxnetes",
                          .name_space = home_,
                          .scale = kPingScale,
                          .patience = patience});
  }

  // How long the gangs would take if no node were ever free.
  static double FullNodes() {
    double held = 0;
    for (const ExperimentGang& gang : TwoIterations().gangs)
      held += gang.pods * gang.runs;
    return held / kPingNodes;
  }

  static void ExpectAsOnPaper(const ExperimentResult& result,
                              QueuePolicy policy) {
    const PaperFigures paper = OnPaper(TwoIterations(), policy);
    EXPECT_EQ(result.ended, result.gangs);
    EXPECT_EQ(result.in_part, 0);
    EXPECT_GE(result.makespan, FullNodes());
    EXPECT_LE(result.makespan, paper.makespan * kMostOfPaper);
    EXPECT_LE(result.turnaround, paper.turnaround * kMostOfPaper);
  }
};

constexpr std::chrono::seconds kLongestWait{120};

TEST_F(ExperimentOnKubernetes, FcfsStartsEachGangWholeInOrder) {
  const ExperimentResult result = RunAs("fcfs", kLongestWait);
  ExpectAsOnPaper(result, QueuePolicy::kFcfs);
  for (int gang = 1; gang < result.gangs; ++gang)
    EXPECT_GE(result.whole_at[gang], result.whole_at[gang - 1] - kBurst)
        << gang;
}

TEST_F(ExperimentOnKubernetes, EasyStartsEachGangWhole) {
  ExpectAsOnPaper(RunAs("easy", kLongestWait), QueuePolicy::kEasy);
}

TEST_F(ExperimentOnKubernetes, IsFrozenWithoutAScheduler) {
  StopScheduler();
  const ExperimentResult result = RunAs("easy", std::chrono::seconds(2));
  EXPECT_EQ(result.ended, 0);
  EXPECT_THAT(result.held, IsEmpty());
  StartScheduler();
  Send("DELETE", Path("pods"));
}

// Whoever binds pods one by one leaves gangs in part, which hold their nodes
// and never end.
TEST_F(ExperimentOnKubernetes, IsFrozenByGangsThatAreBoundInPart) {
  StopScheduler();
  std::thread binder([&] {
    // The first pod of each of eight gangs.
    for (int gang = 0; gang < kPingNodes; ++gang) {
      const std::string pod = fmt::format("g{}-0", gang);
      Comes([&] {
        return plane()
            .api()
            .Send({.method = "POST",
                   .path = Path("pods/" + pod + "/binding"),
                   .body = Json{{"apiVersion", "v1"},
                                {"kind", "Binding"},
                                {"metadata", {{"name", pod}}},
                                {"target", {{"name", Node(gang)}}}}
                               .dump()})
            .Succeeded();
      });
    }
  });
  const ExperimentResult result = RunAs("easy", std::chrono::seconds(2));
  binder.join();
  EXPECT_EQ(result.ended, 0);
  EXPECT_EQ(result.in_part, kPingNodes);
  EXPECT_EQ(result.held.back().in_part, kPingNodes * kPodCpu);
  for (const cluster::Pod& pod : Pods()) bound_by_others_.insert(pod.uid);
  Send("DELETE", Path("pods"));
  StartScheduler();
}

}  // namespace
}  // namespace fluxnetes::testing
