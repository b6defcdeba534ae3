#include "tests/support/whole_system.h"

#include <gtest/gtest.h>

#include <utility>

#include "cluster/files/manifest.h"
#include "cluster/files/node_file.h"
#include "queue/catalogue.h"
#include "workers/catalogue.h"

namespace fluxnetes::testing {
namespace {

constexpr int kTooLong = 2'000;

sql::PoolOptions Prepared(sql::PoolOptions options) {
  options.catalogues = {queue::Catalogue(), workers::Catalogue()};
  options.by_index_only = true;
  return options;
}

}  // namespace

SchedulerProcess::SchedulerProcess(const sql::PoolOptions& database,
                                   cluster::Cluster& cluster)
    : pool(Prepared(database)),
      jobs(pool),
      client(pool, {.time_to_live = std::chrono::hours(1)}),
      intake_leader(pool, client, "intake"),
      intake(pool, jobs, intake_leader, cluster, cache,
             {.promoter = &promoter,
              .binding_ledger = &binding_ledger,
              .differences = &differences,
              .on_listed = [this] { resync.Listed(); }}),
      promoter(pool, jobs, {}),
      stalled_groups(pool, jobs, promoter, cluster, {}),
      forecaster(pool, client, cache, {.interval = {}}),
      match(
          pool, jobs, client, cache,
          {.look = {},
           .on_owner = [this](const auto& queues,
                              bool owns) { forecaster.Own(queues, owns); },
           .on_change = [this](const auto& queues) { forecaster.Note(queues); },
           .differences = &differences}),
      event_recorder(cluster, binding_ledger, {.pause = {}}),
      binder(pool, jobs, client, cluster, cache,
             {.binding_ledger = &binding_ledger,
              .event_recorder = &event_recorder}),
      overdue(pool, cluster, cache),
      claim_release(pool, cluster, cache, {}),
      start_by_deadlines(pool, jobs, {}),
      cleanup(pool, jobs, client, cluster, {}),
      notices(jobs, client, cluster, {}),
      resync(pool, jobs, cluster, cache, intake, match, differences, {}),
      wait_news(pool, cluster, binding_ledger, {}) {
  client.Register();
}

bool SchedulerProcess::Step(cluster::Time now) {
  bool more = false;
  for (int i = 0; i < kWorkers; ++i) more |= RunWorker(i, now);
  return jobs.MakeDueAvailable() > 0 || more;
}

bool SchedulerProcess::RunWorker(int which, cluster::Time now) {
  try {
    switch (which) {
      case 0:
        return intake.RunOnce(now);
      case 1: {
        const bool more = promoter.RunOnce(now);
        return stalled_groups.RunOnce(now) || more;
      }
      case 2:
        return match.RunOnce(now);
      case 3: {
        const bool more = binder.RunOnce(now);
        overdue.GiveUp(now);
        claim_release.RunOnce();
        return event_recorder.RunOnce(now) || more;
      }
      case 4: {
        const bool more = start_by_deadlines.RunOnce(now);
        return cleanup.RunOnce(now) || more;
      }
      case 5:
        return notices.RunOnce();
      case 6:
        return resync.RunOnce(now);
      case 7:
        return forecaster.RunOnce(now);
      default:
        return wait_news.RunOnce(now);
    }
  } catch (const cluster::Unreachable&) {
    return false;  // its thread would back off and retry, as the next step does
  }
}

void SchedulerProcess::Stop() {
  match.Stop();
  intake_leader.Resign();
  client.Stop();
}

WholeSystem::WholeSystem(const std::string& nodes, std::uint64_t seed)
    : cluster({.seed = seed}),
      process(std::make_unique<SchedulerProcess>(database.options(), cluster)),
      turns_(seed) {
  for (const cluster::Node& node : cluster::ReadNodes(nodes, "nodes")) {
    cluster.AddNode(node);
  }
}

void WholeSystem::Submit(const std::string& manifests) {
  for (const cluster::Manifest& manifest :
       cluster::ReadManifests(manifests, "manifests")) {
    if (const auto* job =
            std::get_if<cluster::KubernetesJob>(&manifest.object)) {
      ASSERT_TRUE(cluster.CreateJob(*job)) << manifest.place;
    } else if (const auto* pod =
                   std::get_if<cluster::PodTemplate>(&manifest.object)) {
      ASSERT_TRUE(cluster.CreatePod(*pod)) << manifest.place;
    } else {
      cluster.AddNode(std::get<cluster::Node>(manifest.object));
    }
  }
}

bool WholeSystem::Step() {
  if (standby == nullptr) return process->Step(cluster.Now());
  bool more = false;
  for (int i = 0; i < SchedulerProcess::kWorkers; ++i) {
    SchedulerProcess* both[] = {process.get(), standby.get()};
    if (turns_() % 2 == 0) std::swap(both[0], both[1]);
    for (SchedulerProcess* one : both) more |= one->RunWorker(i, cluster.Now());
  }
  return process->jobs.MakeDueAvailable() > 0 || more;
}

bool WholeSystem::Quiet() {
  return Ask("SELECT NOT EXISTS (SELECT FROM match_inbox) AND NOT EXISTS ("
             "SELECT FROM jobs WHERE state = 'available') AND NOT EXISTS ("
             "SELECT FROM groups_provisional WHERE members >= "
             "coalesce(rest_size, group_size))") == "t";
}

void WholeSystem::Settle() {
  int postponed = 0;
  bool quiet = false;  // true if the step before was quiet too
  for (int steps = 0;; ++steps) {
    ASSERT_LT(steps, kTooLong) << "the workers never come to rest";
    const bool before = std::exchange(quiet, !Step() && Quiet());
    // Results of later workers reach the first ones in the next step.
    if (!quiet || !before) continue;
    quiet = false;
    // Runs jobs that the database's clock has postponed now, for a few rounds,
    // because they may depend on one another.
    sql::Transaction transaction(database.pool());
    const auto put_off = transaction.RunScript(
        "UPDATE jobs SET scheduled_at = now() "
        "WHERE state IN ('scheduled', 'retryable')");
    transaction.Commit();
    if (put_off.affected() == 0 || ++postponed > 3) break;
  }
  if (check) check(*this);
}

void WholeSystem::Advance(std::chrono::microseconds duration) {
  const cluster::Time end = cluster.Now() + duration;
  while (true) {
    const auto next = cluster.NextEventTime();
    if (!next || *next > end) break;
    cluster.AdvanceTo(*next);
    Settle();
    if (::testing::Test::HasFatalFailure()) return;
  }
  cluster.AdvanceTo(end);
  Settle();
}

void WholeSystem::RunToEnd(std::chrono::hours limit) {
  const cluster::Time end = cluster.Now() + limit;
  Settle();
  while (const auto next = cluster.NextEventTime()) {
    ASSERT_LE(*next, end) << "there is no end in sight";
    cluster.AdvanceTo(*next);
    Settle();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void WholeSystem::CrashAndRestart() {
  DeclareDead(*process);
  process = std::make_unique<SchedulerProcess>(database.options(), cluster);
}

void WholeSystem::DeclareDead(SchedulerProcess& dead) {
  database.Execute(
      "UPDATE clients SET heartbeat_at = now() - interval '1 day' "
      "WHERE id = " +
      std::to_string(dead.client.id()));
  dead.jobs.Rescue();
}

}  // namespace fluxnetes::testing
