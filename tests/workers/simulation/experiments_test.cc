// The public experiments with gangs in virtual time: the results of the
// policies on paper, by their plain definition and by hand. hack/benchmark
// experiments runs them in real time, beside other schedulers.
#include <gtest/gtest.h>

#include "tests/experiments/virtual_run.h"

namespace fluxnetes::testing {
namespace {

using workers::QueuePolicy;

constexpr double kAbovePaper = 1.02;
constexpr double kTick = 0.05;  // half of one

struct Entry {
  std::string name;
  GangExperiment experiment;
};

class InVirtualTime
    : public ::testing::TestWithParam<std::tuple<Entry, QueuePolicy>> {};

TEST_P(InVirtualTime, TakesAsLongAsByThePlainDefinition) {
  const auto& [entry, policy] = GetParam();
  const ExperimentResult result = RunInVirtualTime(entry.experiment, policy);
  const PaperFigures paper = OnPaper(entry.experiment, policy);
  EXPECT_EQ(result.ended, result.gangs);
  EXPECT_NEAR(result.makespan, paper.makespan, kTick);
  EXPECT_NEAR(result.turnaround, paper.turnaround, kTick);
}

// No cpu is given twice, nor for longer than the gang runs.
TEST_P(InVirtualTime, HoldsWhatThereIs) {
  const auto& [entry, policy] = GetParam();
  const GangExperiment& experiment = entry.experiment;
  const ExperimentResult result = RunInVirtualTime(experiment, policy);
  double held = 0;
  double before = 0;
  int cpus = 0;
  for (const HeldCpus& moment : result.held) {
    held += cpus * (moment.at - before);
    before = moment.at;
    cpus = moment.whole;
    EXPECT_LE(cpus, experiment.nodes * experiment.cpu_of_node) << moment.at;
  }
  EXPECT_EQ(cpus, 0);
  double work = 0;
  for (const ExperimentGang& gang : experiment.gangs)
    work += gang.pods * gang.cpu * gang.runs;
  EXPECT_NEAR(held, work, work / 100);
}

INSTANTIATE_TEST_SUITE_P(
    Experiments, InVirtualTime,
    ::testing::Combine(
        ::testing::Values(
            Entry{"Run10", PingGangs(10)}, Entry{"Run10Of100", PingGangs(20)},
            Entry{"Mixed", MixedGangs(10, 1)}, Entry{"Run8", LammpsGangs(20)},
            Entry{"Run8Unsteady", Unsteady(LammpsGangs(20), 0.5, 1)},
            Entry{"Run6", LoneGangs(16, 10)}),
        ::testing::Values(QueuePolicy::kFcfs, QueuePolicy::kEasy,
                          QueuePolicy::kConservative)),
    [](const auto& instance) {
      return std::get<0>(instance.param).name + "_" +
             std::string(ToString(std::get<1>(instance.param)));
    });

// Figures worked out by hand, by slots alone.
struct ByHand {
  QueuePolicy policy;
  int iterations;
  PaperFigures figures;
};

class Run10ByHand : public ::testing::TestWithParam<ByHand> {};

TEST_P(Run10ByHand, TakesNoLongerThanOnPaper) {
  const auto& [policy, iterations, figures] = GetParam();
  const auto result = RunInVirtualTime(PingGangs(iterations), policy);
  EXPECT_LE(result.makespan, figures.makespan * kAbovePaper);
  EXPECT_LE(result.turnaround, figures.turnaround * kAbovePaper);
}

INSTANTIATE_TEST_SUITE_P(
    Policies, Run10ByHand,
    ::testing::Values(ByHand{QueuePolicy::kFcfs, 10, {1'054, 533}},
                      ByHand{QueuePolicy::kFcfs, 20, {2'074, 1'035}},
                      ByHand{QueuePolicy::kEasy, 10, {1'020, 460}},
                      ByHand{QueuePolicy::kEasy, 20, {1'938, 877}}),
    [](const auto& instance) {
      return std::string(ToString(instance.param.policy)) + "_" +
             std::to_string(instance.param.iterations * 5);
    });

// If all gangs run for the same, known time, backfilling saves a wave or two;
// if their times differ, it saves a good part.
TEST(MixedGangs, AreWhatBackfillingIsFor) {
  double fcfs = 0;
  double easy = 0;
  for (unsigned seed = 1; seed <= 5; ++seed) {
    const GangExperiment experiment = MixedGangs(10, seed);
    fcfs += RunInVirtualTime(experiment, QueuePolicy::kFcfs).turnaround;
    easy += RunInVirtualTime(experiment, QueuePolicy::kEasy).turnaround;
  }
  EXPECT_LT(easy, 0.8 * fcfs);
}

}  // namespace
}  // namespace fluxnetes::testing
