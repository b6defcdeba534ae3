#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <utility>

#include "queue/catalogue.h"
#include "services/manual/version.h"
#include "services/monitoring/slow_statements.h"
#include "services/serve/loops_queries.h"
#include "services/serve/scheduler_state.h"
#include "workers/catalogue.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;

// Jobs that wait in memory for the match or a binder of this process; more wait
// in the table, where the binders of other replicas find them, too.
constexpr std::size_t kHandover = 1'024;

sql::PoolOptions WithCatalogues(sql::PoolOptions options) {
  options.catalogues = {queue::Catalogue(), workers::Catalogue(),
                        DecisionLog::Catalogue(), queries::kAllLoops};
  options.by_index_only = true;
  return options;
}

sql::PoolOptions OfOneConnection(sql::PoolOptions options) {
  options.max_connections = 1;
  return options;
}

sql::PoolOptions WithoutCatalogues(sql::PoolOptions options) {
  options.catalogues.clear();
  return OfOneConnection(std::move(options));
}

queue::RetentionOptions Keep(int days) {
  queue::RetentionOptions options;
  options.tables = {{"jobs_finished_completed", days},
                    {"jobs_finished_cancelled", days},
                    {"jobs_finished_discarded", days},
                    {"group_history", days}};
  return options;
}

std::string HostName() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::unique_ptr<SpanExporter> ExporterFor(const SchedulerOptions& options,
                                          const Log& log) {
  if (options.tracing_endpoint.empty()) return nullptr;
  SpanExporter::Options wanted;
  wanted.endpoint = options.tracing_endpoint;
  wanted.instance = HostName();
  wanted.version = std::string(Version());
  wanted.on_trouble = [&log](const std::string& why) {
    if (why.empty())
      log.Info("the collector takes spans again");
    else
      log.Warn("the collector takes no spans, they are dropped",
               {{"why", why}});
  };
  return std::make_unique<SpanExporter>(std::move(wanted));
}

}  // namespace

Scheduler::State::State(SchedulerOptions given, cluster::Cluster& door,
                        const Log& logger)
    : options(std::move(given)),
      cluster(door),
      log(logger),
      pool(WithCatalogues(options.database)),
      forecast_pool(OfOneConnection(WithCatalogues(options.database))),
      span_exporter(ExporterFor(options, log)),
      decision_log(log, pool, group_counts, span_exporter.get()),
      jobs(pool),
      client(pool, options.client),
      handover(jobs, client, kHandover),
      intake_leader(pool, client, "intake"),
      cache(options.structures),
      differences([this](workers::DifferenceKind kind, std::int64_t count,
                         const auto& names) {
        log.Warn("a difference was found and is healed",
                 {{"kind", std::string(workers::NameOf(kind))},
                  {"count", count},
                  {"what", fmt::format("{}", fmt::join(names, ","))}});
      }),
      maintenance(pool, jobs, client, MaintenanceWith(options.keep_days)),
      listener(WithoutCatalogues(options.database)),
      database_wait(options.database, client, log),
      probe(
          options.database, [this] { return database_wait.Check(); },
          [this] { return client.id(); }, LogSlowStatements(log)),
      loops(log) {
  for (sql::Pool* each : {&pool, &forecast_pool, &client.HeartbeatPool()})
    sql::OnSlowStatements(*each, LogSlowStatements(log));
}

void Scheduler::State::BuildIntake() {
  promoter = std::make_unique<workers::Promoter>(
      pool, jobs, workers::Promoter::Options{.handover = &handover});
  stalled_groups = std::make_unique<workers::StalledGroups>(
      pool, jobs, *promoter, cluster, workers::StalledGroups::Options{});
  intake = std::make_unique<workers::Intake>(
      pool, jobs, intake_leader, cluster, cache,
      workers::Intake::Options{
          .schedulers = options.schedulers,
          .watch_timeout = milliseconds{100},
          .promoter = promoter.get(),
          .on_recorded =
              [this](const auto& recorded) {
                if (recorded.for_match) bells.match->Ring();
                if (recorded.for_cleanup) bells.cleanup->Ring();
              },
          .on_set_aside =
              [this](const auto& uid, const auto& why) {
                log.Error("a pod is left out, the database refuses its record",
                          {{"uid", uid}, {"why", why}});
              },
          .on_node_warning =
              [this](const auto& warning) {
                log.Warn("what a node has inside cannot be used as it is told",
                         {{"why", warning}});
              },
          .binding_ledger = &binding_ledger,
          .differences = &differences,
          .on_listed =
              [this] {
                resync->Listed();
                bells.resync->Ring();
                bells.RingBinders();
              },
          .on_pod_groups =
              [this](const auto& groups) { group_statuses->Note(groups); }});
}

void Scheduler::State::BuildTellers() {
  event_recorder = std::make_unique<workers::EventRecorder>(
      cluster, binding_ledger, workers::EventRecorder::Options{});
  notices = std::make_unique<workers::Notices>(jobs, client, cluster,
                                               workers::Notices::Options{});
  group_statuses = std::make_unique<workers::GroupStatuses>(
      cluster, cache, binding_ledger, workers::GroupStatuses::Options{});
  wait_news = std::make_unique<workers::WaitNews>(
      pool, cluster, binding_ledger,
      workers::WaitNews::Options{
          .on_told = [this](const auto& uid, const auto& why) {
            group_statuses->NoteWhy(uid, why);
          }});
}

void Scheduler::State::BuildMatch() {
  forecaster = std::make_unique<workers::Forecaster>(
      forecast_pool, client, cache, workers::Forecaster::Options{});
  match = std::make_unique<workers::MatchReplica>(
      pool, jobs, client, cache,
      workers::MatchReplica::Options{
          .schedulers = options.schedulers,
          .worker = {.on_decision =
                         [this](const auto& decision, auto took) {
                           bells.RingBinders();
                           decision_log.Decided(decision, took);
                         },
                     .times = &cycle_times},
          .on_owner =
              [this](const auto& queues, bool owns) {
                forecaster->Own(queues, owns);
                log.Info(
                    owns ? "owns the match of queues"
                         : "no longer owns the match of queues",
                    {{"queues", fmt::format("{}", fmt::join(queues, ","))}});
              },
          .on_change = [this](const auto& queues) { forecaster->Note(queues); },
          .differences = &differences,
          .handover = &handover});
}

void Scheduler::State::BuildBinders() {
  for (auto& binder : binders) {
    binder = std::make_unique<workers::Binder>(
        pool, jobs, client, cluster, cache,
        workers::Binder::Options{
            .schedulers = options.schedulers,
            .on_more = [this] { bells.RingBinders(); },
            .on_bound =
                [this](const auto& bound, const auto& back) {
                  group_counts.NoteBound(std::ssize(bound), std::ssize(back));
                  decision_log.Bound(bound, back);
                },
            .binding_ledger = &binding_ledger,
            .event_recorder =
                options.binding_events ? event_recorder.get() : nullptr,
            .handover = &handover});
  }
}

void Scheduler::State::Build() {
  BuildIntake();
  BuildTellers();
  BuildMatch();
  BuildBinders();
  overdue_bindings =
      std::make_unique<workers::OverdueBindings>(pool, cluster, cache);
  claim_release = std::make_unique<workers::ClaimRelease>(pool, cluster, cache,
                                                          options.schedulers);
  usage_roll_up = std::make_unique<workers::UsageRollUp>(pool);
  start_by_deadlines = std::make_unique<workers::StartByDeadlines>(
      pool, jobs, workers::StartByDeadlines::Options{});
  cleanup = std::make_unique<workers::Cleanup>(
      pool, jobs, client, cluster,
      workers::Cleanup::Options{
          .on_refused = [this, said = std::string()](const auto& why) mutable {
            if (std::exchange(said, why) != why)
              log.Warn("the API server refuses a request of cleanup",
                       {{"why", why}});
          }});
  resync = std::make_unique<workers::Resync>(
      pool, jobs, cluster, cache, *intake, *match, differences,
      workers::Resync::Options{
          .interval = options.resync_interval,
          .listing = {.watch_timeout = milliseconds{100}}});
}

queue::MaintenanceOptions Scheduler::State::MaintenanceWith(int keep_days) {
  queue::MaintenanceOptions maintained;
  maintained.retention = Keep(keep_days);
  maintained.on_event = [this](const queue::MaintenanceEvent& event) {
    using Kind = queue::MaintenanceEvent::Kind;
    if (event.kind == Kind::kDone)
      log.Info(event.task, {{"what", event.text}});
    else if (event.kind == Kind::kFailed)
      log.Error("failed, trying again",
                {{"loop", event.task}, {"why", event.text}});
    else if (event.kind == Kind::kRecovered)
      log.Info("recovered", {{"loop", event.task}});
    else if (event.kind == Kind::kDeposed)
      log.Info("no longer leads the maintenance of the work queue",
               {{"why", event.text}});
    else
      log.Info("leads the maintenance of the work queue");
  };
  return maintained;
}

}  // namespace fluxnetes::services
