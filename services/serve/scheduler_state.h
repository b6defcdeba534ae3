// The inside of Scheduler: its parts and their wiring. Only for scheduler.cc
// (start and stop), scheduler_parts.cc (creates the parts), scheduler_loops.cc
// (gives each its loop) and scheduler_status.cc (reports their state).
//
// The starting thread creates the parts; other threads use them once `running`
// is true. They live as long as the Scheduler.
// Tests: tests/services/serve/status_pgtest.cc,
// tests/services/serve/database_trouble_pgtest.cc.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "queue/clients/handover.h"
#include "queue/clients/leadership.h"
#include "queue/maintenance/maintenance.h"
#include "queue/store/work_queue.h"
#include "services/monitoring/database_probe.h"
#include "services/monitoring/decision_log.h"
#include "services/monitoring/group_counts.h"
#include "services/serve/database_wait.h"
#include "services/serve/loop_set.h"
#include "services/serve/scheduler.h"
#include "sql/connection/listener.h"
#include "workers/bind/binder.h"
#include "workers/bind/claim_release.h"
#include "workers/bind/event_recorder.h"
#include "workers/bind/overdue_bindings.h"
#include "workers/cleanup/cleanup.h"
#include "workers/cleanup/start_by_deadlines.h"
#include "workers/forecast/forecaster.h"
#include "workers/intake/intake.h"
#include "workers/intake/promoter.h"
#include "workers/intake/stalled_groups.h"
#include "workers/loops/loop.h"
#include "workers/match/match_replica.h"
#include "workers/news/group_statuses.h"
#include "workers/news/notices.h"
#include "workers/news/wait_news.h"
#include "workers/resync/resync.h"
#include "workers/usage/usage_roll_up.h"

namespace fluxnetes::services {

// While one binder waits for the API server, the other one writes to the
// database.
inline constexpr std::size_t kBinders = 2;

// The loops that others wake.
struct Bells {
  using Loop = workers::Loop;

  // Wakes one idle binder if there is one: two would race for the same jobs.
  void RingBinders();

  Loop* match = nullptr;
  std::array<Loop*, kBinders> binders{};
  Loop* cleanup = nullptr;
  Loop* notices = nullptr;
  Loop* resync = nullptr;
};

struct Scheduler::State {
  using Loop = workers::Loop;
  using milliseconds = std::chrono::milliseconds;
  using DueIn = std::function<std::optional<milliseconds>()>;

  State(SchedulerOptions given, cluster::Cluster& door, const Log& logger);

  void StartLoops();

  void BuildIntake();
  void BuildTellers();
  void BuildMatch();
  void BuildBinders();
  void Build();
  queue::MaintenanceOptions MaintenanceWith(int keep_days);

  void Wire();
  void WireListener();
  bool StepIntake();
  bool StepPromoter();
  bool StepStalled();
  bool StepMatch();
  std::optional<milliseconds> MatchDue() const;
  bool StepForecast();
  template <std::size_t kBinder>
  bool StepBinder();
  bool StepOverdue();
  bool StepClaims();
  bool StepEvents();
  bool StepCleanup();
  bool StepLate();
  bool StepUsage();
  bool StepResync();
  bool StepNotices();
  bool StepNews();
  bool StepStatuses();
  bool StepReport();

  const SchedulerOptions options;
  cluster::Cluster& cluster;
  const Log& log;

  sql::Pool pool;
  sql::Pool forecast_pool;  // for slow reads
  GroupCounts group_counts;
  workers::CycleTimes cycle_times;
  const std::unique_ptr<SpanExporter> span_exporter;  // null: none is wanted
  const DecisionLog decision_log;
  queue::WorkQueue jobs;
  queue::Client client;
  queue::Handover handover;  // to the match, and from it to the binders
  queue::Leadership intake_leader;
  cluster::ClusterCache cache;
  workers::BindingLedger binding_ledger;
  workers::Differences differences;
  queue::Maintenance maintenance;
  sql::Listener listener;
  DatabaseWait database_wait;
  DatabaseProbe probe;

  std::unique_ptr<workers::Intake> intake;
  std::unique_ptr<workers::Promoter> promoter;
  std::unique_ptr<workers::StalledGroups> stalled_groups;
  std::unique_ptr<workers::Forecaster> forecaster;
  std::unique_ptr<workers::MatchReplica> match;
  std::unique_ptr<workers::EventRecorder> event_recorder;
  std::array<std::unique_ptr<workers::Binder>, kBinders> binders;
  std::unique_ptr<workers::OverdueBindings> overdue_bindings;
  std::unique_ptr<workers::ClaimRelease> claim_release;
  std::unique_ptr<workers::StartByDeadlines> start_by_deadlines;
  std::unique_ptr<workers::UsageRollUp> usage_roll_up;
  std::unique_ptr<workers::Cleanup> cleanup;
  std::unique_ptr<workers::Notices> notices;
  std::unique_ptr<workers::Resync> resync;
  std::unique_ptr<workers::WaitNews> wait_news;
  std::unique_ptr<workers::GroupStatuses> group_statuses;
  LoopSet loops;
  Bells bells;
  // Used by the thread of the loop `match` and of `events`.
  std::chrono::steady_clock::time_point report_nodes{};
  std::int64_t events_dropped = 0;  // as last reported

  std::thread starter;
  bool stopped = false;  // Stop() was called
  std::atomic<bool> running{false};
};

cluster::Time SchedulingNow();

}  // namespace fluxnetes::services
