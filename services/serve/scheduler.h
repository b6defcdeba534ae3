// The scheduler as one object: the database pool, the watch on the cluster and
// all loops, each a worker's RunOnce() on a thread of its own.
//
//   watch ─▶ intake ─▶ promoter ─▶ match ─▶ binder
//                │                   ▲
//                └──▶ cleanup ───────┘      notices, forecast, maintenance
//
// A loop that has done something rings the next one's bell; other processes are
// told by NOTIFY; every loop also wakes on a timer. A database that is away or
// not migrated yet is waited for and said once, at the start and at any time.
//
// Start() and Stop() from one thread; stopping twice is fine.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "cluster/cluster.h"
#include "queue/clients/client.h"
#include "services/config/log.h"
#include "services/monitoring/health.h"
#include "services/monitoring/metrics_page.h"
#include "sql/connection/pool.h"

namespace fluxnetes::services {

struct SchedulerOptions {
  sql::PoolOptions database;  // catalogues are added by the scheduler
  queue::ClientOptions client;
  std::string scheduler_name = "fluxnetes";
  bool binding_events = true;
  std::chrono::milliseconds resync_interval{300'000};
  int keep_days = 7;  // of finished jobs and of the history of groups
};

class Scheduler {
 public:
  Scheduler(SchedulerOptions options, cluster::Cluster& cluster,
            const Log& log);
  ~Scheduler();  // Stop()
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  void Start();

  // In order: no new work is taken, what is under way is finished, leases and
  // leaderships are given back.
  void Stop();

  // The loops are running: the database is there and current.
  bool Running() const;

  // How it is, from any thread, at any time: whether it lives, whether it can
  // do its work, and all its figures.
  Health Live() const;
  Health Ready() const;
  void AddTo(MetricsPage& page) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
