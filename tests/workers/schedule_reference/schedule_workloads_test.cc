// The policies on synthetic workloads: the same starts, job by job, as by their
// plain definition, and their known properties. A failing workload names its
// seed; FLUXNETES_TEST_SEED runs that seed alone. The long form
// (FLUXNETES_TEST_LONG=1) has 100 workloads of 5,000 jobs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "tests/workers/schedule_reference/lublin_workload.h"

namespace fluxnetes::workers {
namespace {

std::string NameOf(QueuePolicy policy) {
  switch (policy) {
    case QueuePolicy::kFcfs:
      return "fcfs";
    case QueuePolicy::kEasy:
      return "easy";
    case QueuePolicy::kConservative:
      return "conservative";
    case QueuePolicy::kHybrid:
      return "hybrid";
  }
  return "";
}

bool IsLong() { return std::getenv("FLUXNETES_TEST_LONG") != nullptr; }

// "10: 3 on node0": when each group started.
std::map<GroupId, std::int64_t> StartsOf(const std::string& log) {
  std::map<GroupId, std::int64_t> starts;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::int64_t time = 0;
    GroupId group = 0;
    char colon = 0;
    std::string what;
    words >> time >> colon >> group >> what;
    if (what == "on") starts.emplace(group, time);
  }
  return starts;
}

// The mean of max(1, time from coming to end / max(run time, 10 s)) (Feitelson
// and Rudolph 1998, "Metrics and Benchmarking for Parallel Job Scheduling").
double BoundedSlowdown(const Workload& workload, const std::string& log) {
  const auto starts = StartsOf(log);
  double sum = 0;
  for (const TimedGroup& group : workload.groups) {
    const auto turnaround =
        static_cast<double>(starts.at(group.id) + group.runs - group.comes);
    sum += std::max(
        1.0, turnaround / std::max(static_cast<double>(group.runs), 10.0));
  }
  return sum / static_cast<double>(workload.groups.size());
}

LublinOptions Drawn(unsigned seed) {
  LublinOptions options;
  options.seed = seed;
  options.jobs = IsLong() ? 5'000 : 400;
  options.nodes = seed % 4 == 0 ? 256 : seed % 4 == 1 ? 64 : 128;
  options.load = 0.5 + 0.05 * (seed % 10);
  options.longest_estimate = seed % 3 == 0 ? 3 : 1;
  return options;
}

class OnWorkloads : public ::testing::TestWithParam<QueuePolicy> {};

TEST_P(OnWorkloads, StartsAndReservesAsThePlainDefinition) {
  // The plain definition of conservative is slow.
  const bool slow = GetParam() == QueuePolicy::kConservative;
  const char* const only = std::getenv("FLUXNETES_TEST_SEED");
  const auto first = static_cast<unsigned>(only ? std::atoi(only) : 1);
  const unsigned last = only != nullptr ? first : IsLong() ? 100 : 8;
  for (unsigned seed = first; seed <= last; ++seed) {
    LublinOptions drawn = Drawn(seed);
    if (slow && !IsLong()) drawn.jobs = 120;
    const Workload workload = LublinWorkload(drawn);
    const std::string expected = RunReference(workload, GetParam());
    const std::string got = RunSchedule(workload, GetParam());
    ASSERT_EQ(StartsOf(got).size(), workload.groups.size()) << seed;
    ASSERT_TRUE(expected == got)
        << "seed " << seed << FirstDifference(expected, got);
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, OnWorkloads,
                         ::testing::Values(QueuePolicy::kFcfs,
                                           QueuePolicy::kEasy,
                                           QueuePolicy::kConservative),
                         [](const auto& instance) {
                           return NameOf(instance.param);
                         });

TEST(ScheduleWorkloads, BackfillingSavesMostOfTheSlowdown) {
  double fcfs = 0;
  double easy = 0;
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Workload workload =
        LublinWorkload({.seed = seed, .jobs = 600, .load = 0.7});
    fcfs +=
        BoundedSlowdown(workload, RunSchedule(workload, QueuePolicy::kFcfs));
    easy +=
        BoundedSlowdown(workload, RunSchedule(workload, QueuePolicy::kEasy));
  }
  EXPECT_LT(2 * easy, fcfs);
}

// The worst case that conservative guarantees, and easy does not.
TEST(ScheduleWorkloads, ConservativeStartsNobodyLaterThanInOrderIfAllIsKnown) {
  int later_by_easy = 0;
  for (const unsigned seed : {1, 4, 7}) {
    LublinOptions drawn{.seed = seed, .jobs = 250, .load = 0.7};
    drawn.nodes = 64;
    const Workload workload = LublinWorkload(drawn);
    const auto in_order = StartsOf(RunSchedule(workload, QueuePolicy::kFcfs));
    const auto later = [&](QueuePolicy policy) {
      const auto starts = StartsOf(RunSchedule(workload, policy));
      return static_cast<int>(
          std::ranges::count_if(starts, [&](const auto& each) {
            return each.second > in_order.at(each.first);
          }));
    };
    EXPECT_EQ(later(QueuePolicy::kConservative), 0) << "seed " << seed;
    later_by_easy += later(QueuePolicy::kEasy);
  }
  EXPECT_GT(later_by_easy, 0);
}

TEST(LublinWorkload, IsAsTheModelSays) {
  const LublinOptions options{.jobs = 20'000, .load = 0.8};
  const Workload workload = LublinWorkload(options);
  ASSERT_EQ(workload.groups.size(), 20'000U);
  double serial = 0;
  double power_of_two = 0;
  double work = 0;
  double logs_of_small = 0;
  double small = 0;
  double logs_of_large = 0;
  double large = 0;
  std::int64_t before = 0;
  for (const TimedGroup& group : workload.groups) {
    ASSERT_GE(group.comes, before);
    before = group.comes;
    ASSERT_GE(group.pods, 1);
    ASSERT_LE(group.pods, 128);
    ASSERT_LE(group.runs, std::exp(12) + 1);
    ASSERT_EQ(group.duration, group.runs);
    if (group.pods == 1) ++serial;
    if ((group.pods & (group.pods - 1)) == 0) ++power_of_two;
    work += static_cast<double>(group.pods * group.runs);
    const double log = std::log(static_cast<double>(group.runs));
    (group.pods < 64 ? logs_of_small : logs_of_large) += log;
    ++(group.pods < 64 ? small : large);
  }
  const double jobs = 20'000;
  EXPECT_NEAR(serial / jobs, 0.244, 0.02);
  // Sizes that are powers of two by chance are added.
  EXPECT_GE(power_of_two / jobs, 0.244 + 0.576);
  EXPECT_LE(power_of_two / jobs, 0.9);
  EXPECT_NEAR(work / (128 * static_cast<double>(before)), 0.8, 0.001);
  EXPECT_GT(logs_of_large / large, logs_of_small / small + 0.5);
}

}  // namespace
}  // namespace fluxnetes::workers
