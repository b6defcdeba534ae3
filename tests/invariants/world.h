// One snapshot for the invariant checker: the cluster's own state, the tables
// and the graph in memory, with the violations found in them.
//
//   world.cc                   reads the snapshot
//   gang_invariants.cc         1, 2
//   capacity_invariants.cc     3, 4
//   inside_invariants.cc       3, inside of nodes
//   device_invariants.cc       3, 6, devices of claims
//   pool_invariants.cc         3
//   fencing_invariants.cc      5, 8
//   loss_invariants.cc         6
//   reservation_invariants.cc  7
//
// Used by one thread.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "sql/connection/transaction.h"
#include "tests/invariants/behaviour/scene.h"
#include "tests/support/whole_system.h"

namespace fluxnetes::testing {

using Id = std::int64_t;

inline constexpr const char* kOurs = "fluxnetes";

// Neither succeeded nor failed.
bool Lives(const cluster::Pod& pod);

// By Kubernetes' resource names; AmountOf: 0 if missing.
std::map<std::string, std::int64_t> ByName(const cluster::Resources& resources);
std::int64_t AmountOf(const std::map<std::string, std::int64_t>& amounts,
                      const std::string& name);

struct Group {
  Id id = 0;
  std::string name, queue, state, phase;
  int size = 0, revision = 0, whole = 0;
  std::int64_t priority = 0;
  bool first_in_line = false, cancelled = false;
  bool grown = false;     // it has pods beyond its size
  bool external = false;  // a caller starts its pods
  Id extends = 0;
  std::optional<Id> match_job;
  std::int64_t submitted = 0;
  std::int64_t went_back = 0;  // latest; microseconds

  auto Rank() const {
    return std::tuple(!first_in_line, -priority, submitted, id);
  }
  bool Waits() const { return state == "pending" || state == "unsatisfiable"; }
};

struct MemberRow {
  Id group = 0;
  std::string state, node;
  std::string together;  // the label for which the group's nodes share a value
  bool whole_nodes = false;  // its group has its nodes for itself
  std::string inside;        // what it asks inside of its node, in JSON
  cluster::GroupTopology topology = {};
};

struct Place {
  Id group = 0;
  std::string uid, node;
  cluster::Resources amounts;
  bool held = false;
  std::string parts;         // what it has inside of its node
  std::string devices = {};  // of its claims
};

struct Allocation {
  Id term = 0;
  std::string queue;
  std::int64_t start = 0;
  std::optional<std::int64_t> end;
  bool whole_nodes = false;
  bool aside = false;  // whole nodes of others do not keep it away
  std::map<std::string, std::int64_t> pools = {};
};

struct Promised {
  std::optional<double> start;
  int revision = 0;
};

struct LiveJob {
  Id id = 0;
  std::string kind, state;
  Id group = 0;
  bool of_living_client = true;
};

struct World {
  World(Scene& s, const World* b) : scene(s), before(b) { Read(); }

  // The usage of a node, in total and by others.
  struct Use {
    cluster::Resources others, all;
    // In addition to `others`: usage of our pods that others bound to the node
    // and that have a placement there by now.
    cluster::Resources adopted;
  };

  void Read();
  void ReadGroups(sql::Transaction& transaction);
  void ReadHeld(sql::Transaction& transaction);
  void ReadJobs(sql::Transaction& transaction);
  bool HasHeardAll(const cluster::ClusterCache& cache) const;
  void CountUse();
  void CoverPods();
  bool Same(const World& other) const;
  bool IsExternal(Id group) const {
    const auto found = groups.find(group);
    return found != groups.end() && found->second.external;
  }

  template <typename... Arguments>
  void Say(int number, fmt::format_string<Arguments...> text,
           Arguments&&... arguments) {
    violations.push_back(
        std::to_string(number) + ": " +
        fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  void Ask(int number, const std::string& what, const std::string& question);

  void CheckRecordedOnce();
  void CheckAllOrNone(bool calm);
  void CheckTogether();
  void CheckTopology();
  void CheckWholeNodes();
  void CheckLevels();
  void CheckCapacity();
  void CheckInside();
  void CheckDevices();
  void CheckDeviceClaims();
  bool IsNeeded(const cluster::ResourceClaim& claim) const;
  void CheckDevicesOf(const cluster::Pod& pod, const Place& place);
  void CountPools();
  void CheckPools();
  void CheckGraph();
  std::string Rebuild(const std::vector<std::string>& queues) const;
  void CheckFencing();
  void CheckBindings();
  void CheckNothingLost();
  void CheckWork();
  void CheckPlaces();
  void CheckExternal();
  void CheckReservations();
  bool IsBefore(const Group& group, const Group& head) const;
  bool Excused(const Group& head) const;
  void CheckClocks();

  Scene& scene;
  const World* before;  // only during the check
  cluster::SimulatedCluster::Snapshot truth;
  std::map<std::string, cluster::PodPointer> pods;  // actual pods, by UID
  std::map<std::string, cluster::NodePointer> nodes;
  // The actual claims of devices, by "namespace/name".
  std::map<std::string, cluster::ResourceClaimPointer> device_claims;
  std::map<std::string, Use> use;
  std::size_t bindings = 0;  // number so far
  std::vector<cluster::SimulatedCluster::BindingRecord> fresh_bindings;

  std::map<Id, Group> groups;
  std::map<std::string, MemberRow> members;
  std::set<std::string> provisional;
  std::map<std::string, Place> places;  // by UID
  // Pods of others on placements of external groups, which charge them.
  std::set<std::string> covered;
  std::map<Id, Allocation> allocations;
  std::map<std::string, std::int64_t> pool_totals;
  std::map<std::string, std::int64_t> pool_use;
  // Groups of which others bound a pod, once: they have their pools whether
  // these are free or not.
  std::set<Id> pools_by_others;
  std::map<Id, Promised> reservations;
  std::vector<LiveJob> jobs;
  std::string queues, accounts;
  std::map<std::string, std::int64_t> assumed_durations;  // seconds, by queue
  std::map<std::string, std::map<std::string, std::string>> selectors;
  std::map<std::string, Id> terms;            // of the match, by queue
  std::map<std::string, std::string> claims;  // by node: a queue that has it
  bool synced = false;   // the scheduler has received every event
  bool settled = false;  // and has no work in progress
  std::vector<std::string> violations;
};
}  // namespace fluxnetes::testing
