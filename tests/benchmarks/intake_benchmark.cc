// Measures pods per second through intake and promoter, from events in memory
// to active groups with match jobs, on a real PostgreSQL. Prints a JSON object
// per row.

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

#include "queue/catalogue.h"
#include "queue/clients/client.h"
#include "queue/clients/leadership.h"
#include "tests/support/postgres.h"
#include "tests/workers/support/scripted_cluster.h"
#include "workers/catalogue.h"
#include "workers/intake/intake.h"
#include "workers/intake/promoter.h"

namespace fluxnetes::workers {
namespace {

constexpr int kPods = 20'000;

double SecondsOf(const auto& step) {
  const auto begin = std::chrono::steady_clock::now();
  step();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

void Report(const char* what, int group_size, double seconds) {
  fmt::print(
      "{{\"benchmark\": \"{}\", \"group_size\": {}, \"pods\": {}, "
      "\"seconds\": {:.3f}, \"pods_per_second\": {:.0f}}}\n",
      what, group_size, kPods, seconds, kPods / seconds);
}

void PutPods(ScriptedCluster& door, int group_size) {
  for (int i = 0; i < kPods; ++i) {
    cluster::Pod pod;
    pod.namespace_name = "default";
    pod.name = fmt::format("pod-{:06}", i);
    pod.uid =
        fmt::format("{:08x}-2c3d-4e5f-8a9b-0c1d2e3f4a5b", i * 2654435761U);
    pod.scheduler_name = "fluxnetes";
    if (group_size > 1) {
      pod.labels["fluxnetes.group-name"] =
          fmt::format("gang-{}", i / group_size);
      pod.labels["fluxnetes.group-size"] = std::to_string(group_size);
    }
    pod.controller =
        cluster::Owner{"Job", "job", fmt::format("{:08x}-job", i / group_size)};
    pod.request.resources.cpu_milli = 1'000;
    pod.request.resources.memory_bytes = 1L << 30;
    pod.request.resources.pods = 1;
    door.Put(std::move(pod));
  }
}

void Measure(int group_size) {
  testing::TestDatabase database;
  database.UseCatalogues({queue::Catalogue(), Catalogue()});
  sql::Pool& pool = database.pool();
  queue::Client client(pool, {.time_to_live = std::chrono::minutes(5)});
  client.Register();
  queue::Leadership leadership(pool, client, "intake");
  queue::WorkQueue jobs(pool);
  ScriptedCluster door;
  cluster::ClusterCache cache;
  Intake intake(pool, jobs, leadership, door, cache, {});
  Promoter promoter(pool, jobs, {});
  const cluster::Time now{};
  intake.RunOnce(now);
  PutPods(door, group_size);
  const double intake_time = SecondsOf([&] {
    while (intake.RunOnce(now)) {
    }
  });
  const double promoter_time = SecondsOf([&] {
    while (promoter.RunOnce(now)) {
    }
  });
  Report("intake", group_size, intake_time);
  Report("promoter", group_size, promoter_time);
  Report("intake and promoter", group_size, intake_time + promoter_time);
  intake.CompareEverything();
  Report("full comparison", group_size, SecondsOf([&] {
           while (intake.RunOnce(now)) {
           }
         }));
}

}  // namespace
}  // namespace fluxnetes::workers

int main() {
  for (int run = 0; run < 3; ++run) {
    for (const int group_size : {1, 16})
      fluxnetes::workers::Measure(group_size);
  }
}
