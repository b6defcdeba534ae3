#include <fmt/chrono.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "services/serve/scheduler_state.h"

namespace fluxnetes::services {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// An older answer of the database is out of date.
constexpr seconds kStale{10};

std::string Since(steady_clock::time_point time) {
  return fmt::format("{}", duration_cast<seconds>(steady_clock::now() - time));
}

double PlainSeconds(steady_clock::duration time) {
  return std::chrono::duration<double>(time).count();
}

void AddSample(MetricsPage& page, const DatabaseSample& sample) {
  for (const std::string& name : sample.leads)
    page.Add(metrics::kLeader, 1, {name});
  page.Add(metrics::kReplicas, static_cast<double>(sample.replicas));
  if (!sample.counted_at) return;
  page.Add(metrics::kSampleAge,
           PlainSeconds(steady_clock::now() - *sample.counted_at));
  page.Add(metrics::kSampleDuration, PlainSeconds(sample.counting));
  std::map<std::pair<std::string, std::string>, std::int64_t> states;
  std::map<std::string, double> oldest;
  for (const auto& groups : sample.groups) {
    states[{groups.queue, groups.state}] += groups.count;
    if (groups.state == "pending")
      oldest[groups.queue] = std::max(oldest[groups.queue], groups.oldest);
    if (!groups.reason.empty())
      page.Add(metrics::kGroupsWaiting, static_cast<double>(groups.count),
               {groups.queue, groups.reason});
  }
  for (const auto& [key, count] : states)
    page.Add(metrics::kGroups, static_cast<double>(count),
             {key.first, key.second});
  for (const auto& [queue, age] : oldest)
    page.Add(metrics::kOldestPending, age, {queue});
  for (const auto& usage : sample.usage)
    page.Add(metrics::kUsage, usage.used, {usage.queue, usage.resource});
  for (const auto& jobs : sample.jobs) {
    page.Add(metrics::kJobs, static_cast<double>(jobs.count),
             {jobs.kind, jobs.state});
    if (jobs.oldest) page.Add(metrics::kOldestJob, *jobs.oldest, {jobs.kind});
  }
}

}  // namespace

Health Scheduler::Live() const {
  if (!state_->running) return {{.name = "loops", .note = "not started"}};
  return {state_->loops.Stuck()};
}

Health Scheduler::Ready() const {
  const auto sample = state_->probe.Look();
  Health health;
  HealthCheck database{.name = "database", .problem = sample->problem};
  if (sample->asked_at == steady_clock::time_point{}) {
    database.problem = "it has not answered yet";
  } else if (steady_clock::now() > sample->asked_at + kStale) {
    database.problem = "it has not answered for " + Since(sample->asked_at);
  }
  health.push_back(database);
  const bool answers = database.Well();
  const auto unless = [&](bool well, const std::string& problem) {
    return !answers ? "not known without the database" : well ? "" : problem;
  };
  health.push_back({.name = "schema",
                    .problem = unless(sample->schema_problem.empty(),
                                      sample->schema_problem)});
  const bool running = state_->running;
  health.push_back({.name = "cluster",
                    .problem = running && state_->cache.Synced()
                                   ? ""
                                   : "it has not been listed to its end yet"});
  health.push_back(
      {.name = "replica",
       .problem = unless(sample->registered,
                         "its heartbeat is too old for it to lead or lease"),
       .note = sample->leads.empty()
                   ? "stands by"
                   : fmt::format("leads {}", fmt::join(sample->leads, ", "))});
  HealthCheck loops{.name = "loops", .problem = "not running"};
  if (running) loops = state_->loops.Failing();
  health.push_back(loops);
  return health;
}

void Scheduler::AddTo(MetricsPage& page, PoolMetrics& pools) const {
  State& state = *state_;
  for (const HealthCheck& check : Ready())
    page.Add(metrics::kReady, check.Well() ? 1 : 0, {check.name});
  AddSample(page, *state_->probe.Look(milliseconds{0}));
  if (state.span_exporter)
    page.Add(metrics::kSpansDropped,
             static_cast<double>(state.span_exporter->dropped()));
  pools.Add("main", state.options.database.max_connections,
            sql::CountsOf(state.pool));
  pools.Add("forecast", 1, sql::CountsOf(state.forecast_pool));
  pools.Add("probe", 1, state.probe.counts());
  pools.Add("heartbeat", 1, sql::CountsOf(state.client.HeartbeatPool()));
  page.Add(metrics::kDecision, state.cycle_times.decisions.counts());
  page.Add(metrics::kCommit, state.cycle_times.commits.counts());
  state.group_counts.AddTo(page);
  const auto differences = state.differences.counts();
  for (std::size_t i = 0; i < differences.size(); ++i)
    page.Add(metrics::kDifferences, static_cast<double>(differences.at(i)),
             {std::string(
                 workers::NameOf(static_cast<workers::DifferenceKind>(i)))});
  page.Add(metrics::kClusterSynced, state.cache.Synced() ? 1 : 0);
  if (!state.running) return;
  state.loops.AddTo(page);
  const workers::IntakeCounts& counts = state.intake->counts();
  page.Add(metrics::kPodsRecorded, static_cast<double>(counts.recorded));
  page.Add(metrics::kPodsSetAside, static_cast<double>(counts.set_aside));
  page.Add(metrics::kResyncs, static_cast<double>(counts.resyncs));
  page.Add(metrics::kEventsDropped,
           static_cast<double>(state.event_recorder->dropped()));
}

}  // namespace fluxnetes::services
