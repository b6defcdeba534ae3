#include "services/scheduler.h"

#include <fmt/ranges.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "queue/leadership.h"
#include "queue/maintenance.h"
#include "queue/work_queue.h"
#include "services/config.h"
#include "services/database.h"
#include "services/decision_log.h"
#include "services/exit_code.h"
#include "sql/listener.h"
#include "workers/announcer.h"
#include "workers/binder.h"
#include "workers/catalogue.h"
#include "workers/cleanup.h"
#include "workers/forecaster.h"
#include "workers/group_jobs.h"
#include "workers/group_statuses.h"
#include "workers/intake.h"
#include "workers/late_starts.h"
#include "workers/loop.h"
#include "workers/match_replica.h"
#include "workers/notices.h"
#include "workers/overdue_bindings.h"
#include "workers/promoter.h"
#include "workers/resync.h"
#include "workers/wait_news.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using workers::Loop;

// While one waits for the cluster, the other one writes.
constexpr std::size_t kBinders = 2;
// A stop should take a few seconds at most.
constexpr std::size_t kEventsAtStop = 1'000;

cluster::Time Now() {
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
}

sql::PoolOptions WithCatalogues(sql::PoolOptions options) {
  options.catalogues = {queue::Catalogue(), workers::Catalogue(),
                        DecisionLog::Catalogue()};
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

// Something that is done at most once in a while by a loop that runs often.
class Seldom {
 public:
  explicit Seldom(milliseconds interval) : interval_(interval) {}
  bool Due() const { return steady_clock::now() >= next_; }
  void Done() { next_ = steady_clock::now() + interval_; }

 private:
  milliseconds interval_;
  steady_clock::time_point next_{};
};

}  // namespace

struct Scheduler::State {
  State(SchedulerOptions given, cluster::Cluster& door, const Log& logger)
      : options(std::move(given)),
        cluster(door),
        log(logger),
        pool(WithCatalogues(options.database)),
        forecast_pool(OfOneConnection(WithCatalogues(options.database))),
        decision_log(log, pool),
        jobs(pool),
        client(pool, options.client),
        intake_leader(pool, client, "intake"),
        differences([this](workers::DifferenceKind kind, std::int64_t count,
                           const auto& names) {
          log.Warn("a difference was found and is healed",
                   {{"kind", std::string(workers::NameOf(kind))},
                    {"count", count},
                    {"what", fmt::format("{}", fmt::join(names, ","))}});
        }),
        maintenance(pool, jobs, client, MaintenanceWith(options.keep_days)),
        listener(WithoutCatalogues(options.database)) {}

  std::string TryDatabase();
  void WaitForDatabase();
  void BuildIntake();
  void BuildTellers();
  void Build();
  void Wire();
  void WireBinders();
  void WireTellers();
  void RingBinders();
  void StartLoops();
  using DueIn = std::function<std::optional<milliseconds>()>;
  void AddLoop(const std::string& name, milliseconds interval, Loop::Step step,
               DueIn due_in = nullptr);
  queue::MaintenanceOptions MaintenanceWith(int keep_days);

  const SchedulerOptions options;
  cluster::Cluster& cluster;
  const Log& log;

  sql::Pool pool;
  sql::Pool forecast_pool;  // what it reads takes long
  const DecisionLog decision_log;
  queue::WorkQueue jobs;
  queue::Client client;
  queue::Leadership intake_leader;
  cluster::ClusterCache cache;
  workers::OwnBindings own_bindings;
  workers::Differences differences;
  queue::Maintenance maintenance;
  sql::Listener listener;

  std::unique_ptr<workers::Intake> intake;
  std::unique_ptr<workers::Promoter> promoter;
  std::unique_ptr<workers::Forecaster> forecaster;
  std::unique_ptr<workers::MatchReplica> match;
  std::unique_ptr<workers::Announcer> announcer;
  std::array<std::unique_ptr<workers::Binder>, kBinders> binders;
  std::unique_ptr<workers::OverdueBindings> overdue_bindings;
  std::unique_ptr<workers::LateStarts> late_starts;
  std::unique_ptr<workers::Cleanup> cleanup;
  std::unique_ptr<workers::Notices> notices;
  std::unique_ptr<workers::Resync> resync;
  std::unique_ptr<workers::WaitNews> wait_news;
  std::unique_ptr<workers::GroupStatuses> group_statuses;
  std::vector<std::unique_ptr<Loop>> loops;
  Loop* match_loop = nullptr;
  std::array<Loop*, kBinders> binder_loops{};
  Loop* cleanup_loop = nullptr;
  Loop* notices_loop = nullptr;
  Loop* resync_loop = nullptr;

  std::thread starter;
  std::mutex mutex;
  std::condition_variable stop_asked;
  bool stopping = false;  // protected by mutex
  std::atomic<bool> running{false};
};

// Registers the client if the database can be worked with; else says why not,
// and what to do.
std::string Scheduler::State::TryDatabase() {
  Config config;
  config.database.connection = options.database.connection;
  config.database.schema = options.database.schema;
  config.database.transaction_pooling = options.database.transaction_pooling;
  try {
    OpenDatabase(config, {});
    try {
      client.Start();
    } catch (const sql::Error& error) {
      throw Explain(error, config);
    }
  } catch (const Failure& failure) {
    return failure.what() + (". " + failure.next());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

void Scheduler::State::WaitForDatabase() {
  std::string said;
  while (true) {
    const std::string problem = TryDatabase();
    if (problem.empty()) return;
    if (problem != said) {
      log.Warn("waiting for the database", {{"why", problem}});
      said = problem;
    }
    std::unique_lock lock(mutex);
    if (stop_asked.wait_for(lock, milliseconds{500},
                            [this] { return stopping; })) {
      return;
    }
  }
}

void Scheduler::State::BuildIntake() {
  promoter = std::make_unique<workers::Promoter>(pool, jobs,
                                                 workers::Promoter::Options{});
  intake = std::make_unique<workers::Intake>(
      pool, jobs, intake_leader, cluster, cache,
      workers::Intake::Options{
          .scheduler_name = options.scheduler_name,
          .watch_timeout = milliseconds{100},
          .promoter = promoter.get(),
          .on_recorded =
              [this](const auto& recorded) {
                if (recorded.for_match) match_loop->Ring();
                if (recorded.for_cleanup) cleanup_loop->Ring();
              },
          .on_set_aside =
              [this](const auto& uid, const auto& why) {
                log.Error("pod set aside", {{"uid", uid}, {"why", why}});
              },
          .own_bindings = &own_bindings,
          .differences = &differences,
          .on_listed =
              [this] {
                resync->Listed();
                resync_loop->Ring();
                RingBinders();
              },
          .on_pod_groups =
              [this](const auto& groups) { group_statuses->Note(groups); }});
}

void Scheduler::State::BuildTellers() {
  announcer = std::make_unique<workers::Announcer>(
      cluster, own_bindings, workers::Announcer::Options{});
  notices = std::make_unique<workers::Notices>(jobs, client, cluster,
                                               workers::Notices::Options{});
  group_statuses = std::make_unique<workers::GroupStatuses>(
      cluster, cache, own_bindings, workers::GroupStatuses::Options{});
  wait_news = std::make_unique<workers::WaitNews>(
      pool, cluster, own_bindings,
      workers::WaitNews::Options{
          .on_told = [this](const auto& uid, const auto& why) {
            group_statuses->NoteWhy(uid, why);
          }});
}

void Scheduler::State::Build() {
  BuildIntake();
  BuildTellers();
  forecaster = std::make_unique<workers::Forecaster>(
      forecast_pool, client, cache, workers::Forecaster::Options{});
  match = std::make_unique<workers::MatchReplica>(
      pool, jobs, client, cache,
      workers::MatchReplica::Options{
          .scheduler_name = options.scheduler_name,
          .worker = {.on_decision =
                         [this](const auto& decision, auto took) {
                           RingBinders();
                           decision_log.Decided(decision, took);
                         }},
          .on_owner =
              [this](const auto& queues, bool owns) {
                forecaster->Own(queues, owns);
                log.Info(
                    owns ? "matches" : "matches no more",
                    {{"queues", fmt::format("{}", fmt::join(queues, ","))}});
              },
          .on_change = [this](const auto& queues) { forecaster->Note(queues); },
          .differences = &differences});
  for (auto& binder : binders) {
    binder = std::make_unique<workers::Binder>(
        pool, jobs, client, cluster, cache,
        workers::Binder::Options{
            .on_more = [this] { RingBinders(); },
            .on_bound =
                [this](const auto& bound, const auto& back) {
                  decision_log.Bound(bound, back);
                },
            .own_bindings = &own_bindings,
            .announcer = options.binding_events ? announcer.get() : nullptr});
  }
  overdue_bindings =
      std::make_unique<workers::OverdueBindings>(pool, cluster, cache);
  late_starts = std::make_unique<workers::LateStarts>(
      pool, jobs, workers::LateStarts::Options{});
  cleanup = std::make_unique<workers::Cleanup>(
      pool, jobs, client, cluster,
      workers::Cleanup::Options{
          .on_refused = [this, said = std::string()](const auto& why) mutable {
            if (std::exchange(said, why) != why)
              log.Warn("the cluster refuses", {{"why", why}});
          }});
  resync = std::make_unique<workers::Resync>(
      pool, jobs, cluster, cache, *intake, *match, differences,
      workers::Resync::Options{
          .interval = options.resync_interval,
          .listing = {.watch_timeout = milliseconds{100}}});
}

void Scheduler::State::AddLoop(const std::string& name, milliseconds interval,
                               Loop::Step step, DueIn due_in) {
  loops.push_back(std::make_unique<Loop>(
      workers::LoopOptions{
          .name = name, .interval = interval, .due_in = std::move(due_in)},
      std::move(step),
      [this](const std::string& loop, const std::string& what) {
        if (what.empty()) {
          log.Info("recovered", {{"loop", loop}});
        } else {
          log.Error("failed, trying again", {{"loop", loop}, {"why", what}});
        }
      }));
}

void Scheduler::State::WireBinders() {
  for (std::size_t i = 0; i < kBinders; ++i) {
    AddLoop("binder", milliseconds{1'000},
            [this, i] { return binders[i]->RunOnce(Now()); });
    binder_loops[i] = loops.back().get();
  }
  AddLoop("overdue", milliseconds{5'000}, [this] {
    overdue_bindings->GiveUp(Now());
    return false;
  });
  AddLoop("events", milliseconds{100},
          [this, said = std::int64_t{0}]() mutable {
            const std::int64_t dropped = announcer->dropped();
            if (std::exchange(said, dropped) != dropped)
              log.Warn("too many events of bindings wait, some are not told",
                       {{"count", dropped}});
            return announcer->RunOnce(Now());
          });
}

// One that is idle, if there is one: two would only race for the same jobs.
void Scheduler::State::RingBinders() {
  for (Loop* loop : binder_loops) {
    if (loop->Idle()) return loop->Ring();
  }
  for (Loop* loop : binder_loops) loop->Ring();
}

void Scheduler::State::WireTellers() {
  AddLoop("notices", milliseconds{1'000},
          [this] { return notices->RunOnce(); });
  notices_loop = loops.back().get();
  AddLoop("news", milliseconds{1'000}, [this] {
    wait_news->RunOnce(Now());
    return false;  // a batch a second: there is more important work
  });
  AddLoop("statuses", milliseconds{1'000}, [this] {
    group_statuses->RunOnce(Now());
    return false;  // the same
  });
}

void Scheduler::State::Wire() {
  AddLoop("intake", milliseconds{0}, [this] {
    intake->RunOnce(Now());
    return true;  // it waits in the watch
  });
  AddLoop("promoter", milliseconds{1'000},
          [this] { return promoter->RunOnce(Now()); });
  // Half a second: how soon it is seen that an owner is gone.
  AddLoop(
      "match", milliseconds{500},
      [this, report = Seldom(milliseconds{1'000})]() mutable {
        const bool more = match->RunOnce(Now());
        if (report.Due()) {
          match->ReportNodes(Now());
          report.Done();
        }
        return more;
      },
      [this]() -> std::optional<milliseconds> {
        const auto due = match->NextDue();
        if (!due) return std::nullopt;
        return std::chrono::ceil<milliseconds>(
            cluster::Time(std::chrono::seconds(*due)) - Now());
      });
  match_loop = loops.back().get();
  // It rests by itself.
  AddLoop("forecast", milliseconds{250}, [this] {
    forecaster->RunOnce(Now());
    return false;
  });
  WireBinders();
  AddLoop("cleanup", milliseconds{1'000}, [this] {
    const bool more = cleanup->RunOnce(Now());
    match_loop->Ring();
    return more;
  });
  cleanup_loop = loops.back().get();
  AddLoop("late", milliseconds{1'000},
          [this] { return late_starts->RunOnce(Now()); });
  AddLoop("resync", milliseconds{1'000},
          [this] { return resync->RunOnce(Now()); });
  resync_loop = loops.back().get();
  WireTellers();
  listener.On("jobs", [this](const std::string& queue) {
    if (queue == workers::kBindQueue) {
      RingBinders();
    } else if (queue == workers::kCleanupQueue) {
      cleanup_loop->Ring();
    } else if (queue == workers::kNoticeQueue) {
      notices_loop->Ring();
    } else {
      match_loop->Ring();
    }
  });
  for (const char* channel : {"match", "leaders"}) {
    listener.On(channel, [this](const std::string&) {
      match->Look();
      match_loop->Ring();
    });
  }
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
      log.Info("maintenance is over", {{"why", event.text}});
    else
      log.Info("maintains");
  };
  return maintained;
}

void Scheduler::State::StartLoops() {
  WaitForDatabase();
  {
    const std::lock_guard lock(mutex);
    if (stopping) return;
  }
  Build();
  Wire();
  listener.Start();
  for (const auto& loop : loops) loop->Start();
  maintenance.Start();
  running = true;
  log.Info("scheduling", {{"client", client.id()}});
}

Scheduler::Scheduler(SchedulerOptions options, cluster::Cluster& cluster,
                     const Log& log)
    : state_(std::make_unique<State>(std::move(options), cluster, log)) {}

Scheduler::~Scheduler() { Stop(); }

void Scheduler::Start() {
  state_->starter = std::thread([this] { state_->StartLoops(); });
}

void Scheduler::Stop() {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->stopping) return;
    state_->stopping = true;
  }
  state_->stop_asked.notify_all();
  if (state_->starter.joinable()) state_->starter.join();
  if (!state_->running) return state_->client.Stop();  // it may be registered
  state_->running = false;
  state_->listener.Stop();
  state_->maintenance.Stop();
  for (const auto& loop : state_->loops) loop->Stop();
  try {
    const std::size_t untold = state_->announcer->Flush(kEventsAtStop);
    if (untold > 0)
      state_->log.Warn("events of bindings are not told", {{"count", untold}});
  } catch (const cluster::Unreachable& error) {
    state_->log.Warn("events of bindings are not told",
                     {{"why", error.what()}});
  }
  try {
    state_->match->Stop();
    state_->intake_leader.Resign();
  } catch (const std::exception& error) {
    state_->log.Warn("could not hand over", {{"why", error.what()}});
  }
  state_->client.Stop();
}

bool Scheduler::Running() const { return state_->running; }

}  // namespace fluxnetes::services
