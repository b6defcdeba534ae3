// The scheduler as one object: the database pool, the watch on the cluster, and
// all loops, each calling a worker's RunOnce() on its own thread.
//
//   watch ─▶ intake ─▶ promoter ─▶ match ─▶ binder
//                │                   ▲
//                └──▶ cleanup ───────┘      notices, forecast, maintenance
//
// A loop that has done something wakes the next one; other processes are
// notified by NOTIFY; every loop also wakes on a timer. While the database is
// away or not migrated, the scheduler waits and logs the problem once, at the
// start and later.
//
// Start() and Stop() are for one thread; stopping twice is fine.
// Tests: tests/services/serve/status_pgtest.cc,
// tests/services/serve/two_serves_pgtest.cc.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "cluster/scheduler_names.h"
#include "cluster/structures/structure_sources.h"
#include "queue/clients/client.h"
#include "services/config/log.h"
#include "services/monitoring/health.h"
#include "services/monitoring/metrics_page.h"
#include "services/monitoring/pool_metrics.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

struct SchedulerOptions {
  sql::PoolOptions database;  // the scheduler adds its catalogues
  queue::ClientOptions client;
  cluster::SchedulerNames schedulers{};
  bool binding_events = true;
  std::chrono::milliseconds resync_interval{300'000};
  std::vector<cluster::LabelledStructure> structures = {};
  std::string tracing_endpoint = {};  // see SpanExporter; empty: none
  int keep_days = 7;  // for finished jobs and the history of groups
};

class Scheduler {
 public:
  Scheduler(SchedulerOptions options, cluster::Cluster& cluster,
            const Log& log);
  ~Scheduler();  // Stop()
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void Start();

  // In order: takes no new work, finishes running work, gives back leases and
  // leaderships.
  void Stop();

  // True while the loops run: the database is there and current.
  bool Running() const;

  // Liveness, readiness and all metrics; callable from any thread at any time.
  Health Live() const;
  Health Ready() const;
  void AddTo(MetricsPage& page, PoolMetrics& pools) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
