// The fixture of the match worker's and the binder's tests: the life-cycle
// fixture with a match worker and a binder, as one scheduler process.
#pragma once

#include <memory>
#include <string>

#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/bind/binder.h"
#include "workers/bind/overdue_bindings.h"
#include "workers/match/match_worker.h"

namespace fluxnetes::workers {

// A process of its own, with client, store and worker. Only with `hands_over`
// do bind jobs pass to its binder in memory.
struct MatchProcess {
  MatchProcess(sql::Pool& pool, queue::WorkQueue& jobs,
               cluster::ClusterCache& cache, bool hands_over = false)
      : client(pool, {.time_to_live = std::chrono::minutes(5)}),
        handover(jobs, client, 100),
        store(pool, jobs, client, {"default"},
              hands_over ? &handover : nullptr),
        worker(store, cache, {}) {
    client.Register();
  }

  queue::Client client;
  queue::Handover handover;
  PostgresMatchStore store;
  MatchWorker worker;
};

class MatchTest : public LifecycleTest {
 protected:
  MatchTest() { StartMatch(); }

  void StartMatch() {
    match = std::make_unique<MatchProcess>(database.pool(), *jobs, *cache,
                                           hands_over);
    binder = std::make_unique<Binder>(
        database.pool(), *jobs, match->client, door, *cache,
        Binder::Options{.event_recorder = &event_recorder,
                        .handover = &match->handover});
    overdue = std::make_unique<OverdueBindings>(database.pool(), door, *cache);
  }

  void Match(cluster::Time now = kNoon) {
    match->worker.NoteNodes(cache->TakeChangedNodes());
    match->worker.NoteClaims(cache->TakeChangedClaims());
    match->worker.TakeDevices(cache->TakeChangedDevices());
    for (int i = 0; i < 10; ++i) match->worker.RunOnce(now);
  }

  void Place(const std::string& gang, int size) {
    CreateGang(gang, size);
    ObserveAndPromote();
    Match();
    ASSERT_EQ(StateOf(gang), "allocated");
  }

  void BindPlaced(cluster::Time now = kNoon) {
    while (binder->RunOnce(now)) {
    }
  }

  void SetNode(const std::string& name, std::int64_t cpu_milli,
               bool cordoned = false) {
    cluster::Node node;
    node.name = name;
    node.unschedulable = cordoned;
    node.allocatable = {.cpu_milli = cpu_milli,
                        .memory_bytes = 1L << 40,
                        .ephemeral_bytes = 0,
                        .pods = 110,
                        .extended = {}};
    door.PutNode(node);
    Observe();
  }

  // "n0 n0 n1": the places of a group's pods, in order of their names.
  std::string PlacesOf(const std::string& group) {
    return Ask(
        "SELECT string_agg(l.node_name, ' ' ORDER BY p.pod_name) FROM "
        "placements l JOIN pods p ON p.uid = l.pod_uid JOIN pod_groups g "
        "ON g.id = p.group_id WHERE g.group_name = '" +
        group + "'");
  }

  bool hands_over = false;
  std::unique_ptr<MatchProcess> match;
  BindingLedger binding_ledger;
  EventRecorder event_recorder{door, binding_ledger, {}};
  std::unique_ptr<Binder> binder;
  std::unique_ptr<OverdueBindings> overdue;
};

}  // namespace fluxnetes::workers
