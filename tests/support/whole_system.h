// The whole scheduler on one thread: every worker, on a simulated cluster in
// virtual time and on a real PostgreSQL. Settle() runs the workers until none
// has work left; Advance() lets time pass.
//
//   WholeSystem system("nodes: [{count: 4, cpu: 4, memory: 16Gi}]");
//   system.Submit(R"({apiVersion: batch/v1, kind: Job, ...})");
//   system.Settle();
//   EXPECT_EQ(system.Ask("SELECT state FROM pod_groups"), "bound");
//
// If a checker was given, it checks the invariants after every settling.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "cluster/cluster_cache.h"
#include "cluster/simulated/simulated_cluster.h"
#include "queue/clients/client.h"
#include "queue/clients/leadership.h"
#include "queue/store/work_queue.h"
#include "tests/support/postgres.h"
#include "workers/bind/binder.h"
#include "workers/bind/claim_release.h"
#include "workers/bind/overdue_bindings.h"
#include "workers/cleanup/cleanup.h"
#include "workers/cleanup/start_by_deadlines.h"
#include "workers/forecast/forecaster.h"
#include "workers/intake/intake.h"
#include "workers/intake/promoter.h"
#include "workers/intake/stalled_groups.h"
#include "workers/match/match_replica.h"
#include "workers/news/notices.h"
#include "workers/news/wait_news.h"
#include "workers/resync/resync.h"

namespace fluxnetes::testing {

// One scheduler process: all workers of a client. Several may share a database
// and a cluster.
struct SchedulerProcess {
  SchedulerProcess(const sql::PoolOptions& database, cluster::Cluster& cluster);

  // Runs each worker once; returns true if any has more to do. Ignores an
  // unreachable cluster.
  bool Step(cluster::Time now);
  // Runs one worker; 0 is intake.
  static constexpr int kWorkers = 9;
  bool RunWorker(int which, cluster::Time now);
  // A clean stop: hands everything over.
  void Stop();

  sql::Pool pool;
  queue::WorkQueue jobs;
  queue::Client client;
  queue::Leadership intake_leader;
  cluster::ClusterCache cache;
  workers::BindingLedger binding_ledger;
  workers::Differences differences;
  workers::Intake intake;
  workers::Promoter promoter;
  workers::StalledGroups stalled_groups;
  workers::Forecaster forecaster;
  workers::MatchReplica match;
  workers::EventRecorder event_recorder;
  workers::Binder binder;
  workers::OverdueBindings overdue;
  workers::ClaimRelease claim_release;
  workers::StartByDeadlines start_by_deadlines;
  workers::Cleanup cleanup;
  workers::Notices notices;
  workers::Resync resync;
  workers::WaitNews wait_news;
};

class WholeSystem {
 public:
  // `nodes` in the short form of node files.
  explicit WholeSystem(const std::string& nodes, std::uint64_t seed = 1);

  // Manifests, as YAML text.
  void Submit(const std::string& manifests);

  // Runs all workers until none makes progress; fails the test if that never
  // comes.
  void Settle();

  // Lets time pass, event by event, settling after each.
  void Advance(std::chrono::microseconds duration);

  // Runs until no event is left, at most this long in virtual time.
  void RunToEnd(std::chrono::hours limit = std::chrono::hours(1'000));

  // Kills the process without notice and starts another; its client counts as
  // dead at once.
  void CrashAndRestart();

  // Makes its client miss its heartbeats and frees its leases.
  void DeclareDead(SchedulerProcess& dead);

  std::string Ask(const std::string& question) {
    return database.Ask(question);
  }

  TestDatabase database;
  cluster::SimulatedCluster cluster;
  std::unique_ptr<SchedulerProcess> process;
  // A second process, or null. For each worker the seed decides at random which
  // of the two runs first.
  std::unique_ptr<SchedulerProcess> standby;
  // UIDs of our pods that someone else bound.
  std::set<std::string> bound_by_others;
  std::function<void(WholeSystem&)> check;  // after every settling

 private:
  bool Step();
  bool Quiet();  // the tables have no work left

  std::mt19937_64 turns_;
};

}  // namespace fluxnetes::testing
