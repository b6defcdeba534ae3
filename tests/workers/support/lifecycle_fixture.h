// The fixture of the life-cycle workers' tests: a database, a scripted cluster,
// intake and promoter. Its functions act as the match and the binder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "queue/catalogue.h"
#include "queue/clients/client.h"
#include "queue/clients/leadership.h"
#include "queue/store/work_queue.h"
#include "tests/support/postgres.h"
#include "tests/workers/support/scripted_cluster.h"
#include "workers/catalogue.h"
#include "workers/intake/intake.h"
#include "workers/intake/promoter.h"

namespace fluxnetes::workers {

inline constexpr cluster::Time kNoon{std::chrono::hours(24 * 365 * 55 + 12)};

// A pod with owner "" is bare.
struct PodScript {
  std::string name;
  std::string group = "";
  int size = 1;
  std::string owner = "";
  std::string space = "default";
  std::int64_t cpu = 1'000;
  std::int32_t priority = 0;
};

class LifecycleTest : public ::testing::Test {
 protected:
  LifecycleTest() {
    database.UseCatalogues({queue::Catalogue(), Catalogue()});
    client = std::make_unique<queue::Client>(
        database.pool(),
        queue::ClientOptions{.time_to_live = std::chrono::minutes(5)});
    client->Register();
    leadership =
        std::make_unique<queue::Leadership>(database.pool(), *client, "intake");
    jobs = std::make_unique<queue::WorkQueue>(database.pool());
    promoter =
        std::make_unique<Promoter>(database.pool(), *jobs, Promoter::Options{});
    for (const char* name : {"n0", "n1", "n2"}) {
      cluster::Node node;
      node.name = name;
      node.allocatable = {.cpu_milli = 64'000,
                          .memory_bytes = 1L << 40,
                          .ephemeral_bytes = 0,
                          .pods = 110,
                          .extended = {}};
      door.PutNode(node);
    }
    StartIntake();
  }

  void StartIntake(Intake::Options options = {}) {
    cache = std::make_unique<cluster::ClusterCache>();
    intake = std::make_unique<Intake>(database.pool(), *jobs, *leadership, door,
                                      *cache, std::move(options));
  }

  cluster::Pod PodOf(const PodScript& script) {
    cluster::Pod pod;
    pod.namespace_name = script.space;
    pod.name = script.name;
    pod.uid = "uid-" + script.space + "-" + script.name + "-" +
              std::to_string(++created_);
    pod.scheduler_name = "fluxnetes";
    if (!script.group.empty()) {
      pod.labels["fluxnetes.group-name"] = script.group;
      pod.labels["fluxnetes.group-size"] = std::to_string(script.size);
    }
    if (!script.owner.empty())
      pod.controller =
          cluster::Owner{"Job", script.owner, "uid-of-" + script.owner};
    pod.request.resources.cpu_milli = script.cpu;
    pod.request.resources.pods = 1;
    pod.priority = script.priority;
    pod.created_at = kNoon + std::chrono::seconds(created_);
    return pod;
  }

  // Returns the UID.
  std::string Create(const PodScript& script) {
    const cluster::Pod pod = PodOf(script);
    door.Put(pod);
    return pod.uid;
  }

  // Creates pods name-0, name-1, ... of a group, controlled by a Job.
  void CreateGang(const std::string& name, int size, int pods = 0) {
    door.owners["uid-of-" + name] = {"Job", "default", name, "uid-of-" + name};
    for (int i = 0; i < (pods == 0 ? size : pods); ++i)
      Create({.name = name + "-" + std::to_string(i),
              .group = name,
              .size = size,
              .owner = name});
  }

  void Observe(cluster::Time now = kNoon) {
    while (intake->RunOnce(now)) {
    }
  }

  void ObserveAndPromote(cluster::Time now = kNoon) {
    Observe(now);
    while (promoter->RunOnce(now)) {
    }
  }

  // Acts as the match: places each waiting pod without a place on the node.
  void Allocate(const std::string& group, const std::string& node = "n0",
                cluster::Time ends_at = {}) {
    const std::string ends = ends_at == cluster::Time{}
                                 ? "NULL"
                                 : "'" + *sql::Parameter(ends_at).text() + "'";
    const std::string started = *sql::Parameter(kNoon).text();
    database.Execute(
        "UPDATE pod_groups SET state = 'allocated', phase = NULL, "
        "allocated_at = '" +
        started + "' WHERE group_name = '" + group +
        "' AND state = 'pending';"
        "INSERT INTO allocations SELECT id, id, queue, ARRAY['" +
        node + "'], '" + started + "', " + ends +
        ", 1 FROM pod_groups "
        "WHERE group_name = '" +
        group +
        "' ON CONFLICT DO NOTHING;"
        "INSERT INTO placements SELECT p.group_id, p.uid, '" +
        node +
        "', 1000, 0 FROM pods p JOIN pod_groups g ON g.id = p.group_id "
        "WHERE g.group_name = '" +
        group +
        "' AND p.state = 'waiting' "
        "ON CONFLICT DO NOTHING");
  }

  // Acts as the binder's POSTs; intake records them.
  void Bind(const std::string& group, const std::string& space = "default") {
    const std::string placed = database.AskAll(
        "SELECT p.pod_name, l.node_name FROM pods p JOIN placements l "
        "ON l.pod_uid = p.uid JOIN pod_groups g ON g.id = p.group_id "
        "WHERE g.group_name = '" +
        group + "' AND p.state = 'waiting'");
    std::size_t begin = 0;
    while (begin < placed.size()) {
      auto end = placed.find('\n', begin);
      if (end == placed.npos) end = placed.size();
      const std::string line = placed.substr(begin, end - begin);
      const auto bar = line.find('|');
      door.ChangePod(space + "/" + line.substr(0, bar), [&](cluster::Pod& pod) {
        pod.node_name = line.substr(bar + 1);
        pod.phase = cluster::PodPhase::kRunning;
      });
      begin = end + 1;
    }
  }

  // Creates a gang of this size that runs on n0.
  void Run(const std::string& name, int size, cluster::Time ends_at = {}) {
    CreateGang(name, size);
    ObserveAndPromote();
    Allocate(name, "n0", ends_at);
    Bind(name);
    Observe();
    database.Execute("DELETE FROM jobs; DELETE FROM match_inbox");
  }

  std::string Ask(const std::string& sql) { return database.Ask(sql); }
  std::string AskAll(const std::string& sql) { return database.AskAll(sql); }
  std::string StateOf(const std::string& group) {
    return Ask(
        "SELECT state || coalesce(' ' || phase, '') FROM pod_groups "
        "WHERE group_name = '" +
        group + "' ORDER BY id DESC");
  }
  // "3/4": the number of members, and the number needed.
  std::string Filling(const std::string& group) {
    return Ask(
        "SELECT members || '/' || group_size FROM groups_provisional "
        "WHERE group_name = '" +
        group + "'");
  }
  std::string Jobs(const std::string& kind) {
    return Ask("SELECT count(*) FROM jobs WHERE kind = '" + kind + "'");
  }

  fluxnetes::testing::TestDatabase database;
  std::unique_ptr<queue::Client> client;
  std::unique_ptr<queue::Leadership> leadership;
  std::unique_ptr<queue::WorkQueue> jobs;
  ScriptedCluster door;
  std::unique_ptr<cluster::ClusterCache> cache;
  std::unique_ptr<Intake> intake;
  std::unique_ptr<Promoter> promoter;

 private:
  int created_ = 0;
};

}  // namespace fluxnetes::workers
