#include "services/serve/loop_set.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "services/serve/loops_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

using std::chrono::duration_cast;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Longer than any step takes, even during outages: all waits have limits.
constexpr seconds kStuck{900};
// A loop that fails for longer is not likely to recover by itself.
constexpr seconds kFailing{15};

seconds TimeSince(steady_clock::time_point time) {
  return duration_cast<seconds>(steady_clock::now() - time);
}

// The counts of all loops of one name.
struct LoopSum {
  sql::Durations::Counts runs;
  std::uint64_t failures = 0;
  double last_success = 0;
  double running = 0;

  void Add(const workers::LoopCounts& counts) {
    for (std::size_t i = 0; i < runs.within.size(); ++i)
      runs.within.at(i) += counts.runs.within.at(i);
    runs.seconds += counts.runs.seconds;
    failures += counts.failures;
    if (counts.last_success) {
      const std::chrono::duration<double> unix_time =
          counts.last_success->time_since_epoch();
      last_success = std::max(last_success, unix_time.count());
    }
    if (counts.running_since)
      running =
          std::max(running, std::chrono::duration<double>(steady_clock::now() -
                                                          *counts.running_since)
                                .count());
  }
};

template <typename Duration>
std::optional<double> InSeconds(const std::optional<Duration>& duration) {
  if (!duration) return std::nullopt;
  return std::chrono::duration<double>(*duration).count();
}

std::optional<double> SecondsSince(
    const std::optional<steady_clock::time_point>& time) {
  if (!time) return std::nullopt;
  return std::chrono::duration<double>(steady_clock::now() - *time).count();
}

}  // namespace

workers::Loop& LoopSet::Add(workers::LoopOptions options,
                            workers::Loop::Step step) {
  loops_.push_back(std::make_unique<workers::Loop>(
      std::move(options), std::move(step),
      [this](const std::string& loop, const std::string& what) {
        if (what.empty()) {
          log_.Info("recovered", {{"loop", loop}});
        } else {
          log_.Error("failed, trying again", {{"loop", loop}, {"why", what}});
        }
      }));
  return *loops_.back();
}

void LoopSet::Start() {
  for (const auto& loop : loops_) loop->Start();
}

void LoopSet::Stop() {
  for (const auto& loop : loops_) loop->Stop();
}

HealthCheck LoopSet::Stuck() const {
  HealthCheck check{.name = "loops"};
  for (const auto& loop : loops_) {
    const workers::LoopCounts counts = loop->counts();
    if (counts.running_since &&
        steady_clock::now() > *counts.running_since + kStuck)
      check.problem =
          fmt::format("{} has been at one step for {}", loop->name(),
                      TimeSince(*counts.running_since));
  }
  return check;
}

HealthCheck LoopSet::Failing() const {
  HealthCheck check = Stuck();
  if (!check.Well()) return check;
  for (const auto& loop : loops_) {
    const workers::LoopCounts counts = loop->counts();
    if (counts.failing_since &&
        steady_clock::now() > *counts.failing_since + kFailing)
      check.problem =
          fmt::format("{} has been failing for {}, see the log", loop->name(),
                      TimeSince(*counts.failing_since));
  }
  return check;
}

void LoopSet::AddTo(MetricsPage& page) const {
  std::map<std::string, LoopSum> sums;
  for (const auto& loop : loops_) sums[loop->name()].Add(loop->counts());
  for (const auto& [name, sum] : sums) {
    page.Add(metrics::kLoopRun, sum.runs, {name});
    page.Add(metrics::kLoopFailures, static_cast<double>(sum.failures), {name});
    page.Add(metrics::kLoopLastSuccess, sum.last_success, {name});
    page.Add(metrics::kLoopRunning, sum.running, {name});
  }
}

void LoopSet::Report(sql::Pool& pool, std::int64_t client) const {
  std::vector<std::string> names;
  std::vector<int> numbers;
  std::vector<std::int64_t> runs, failures;
  std::vector<std::optional<sql::Timestamp>> last_runs;
  std::vector<std::optional<double>> took, lag, running, failing;
  std::map<std::string, int> same;
  for (const auto& loop : loops_) {
    const workers::LoopCounts counts = loop->counts();
    names.push_back(loop->name());
    numbers.push_back(same[loop->name()]++);
    runs.push_back(static_cast<std::int64_t>(counts.runs.Total()));
    failures.push_back(static_cast<std::int64_t>(counts.failures));
    last_runs.push_back(
        counts.last_success
            ? std::optional(std::chrono::floor<std::chrono::microseconds>(
                  *counts.last_success))
            : std::nullopt);
    took.push_back(InSeconds(counts.took));
    lag.push_back(InSeconds(counts.lag));
    running.push_back(SecondsSince(counts.running_since));
    failing.push_back(SecondsSince(counts.failing_since));
  }
  sql::RunAlone(pool, queries::kReportLoops, client, names, numbers, runs,
                failures, last_runs, took, lag, running, failing);
}

}  // namespace fluxnetes::services
