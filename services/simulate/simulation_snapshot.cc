#include "services/simulate/simulation_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "cluster/structures/topology_policy.h"
#include "services/simulate/simulation_queries.h"
#include "sql/connection/transaction.h"
#include "workers/match/node_reporter.h"
#include "workers/pods/other_resources.h"
#include "workers/pods/pod_rules.h"
#include "workers/simulation/scenario_parts.h"
#include "workers/store/component_snapshot.h"

namespace fluxnetes::services {
namespace {

using workers::Scenario;

constexpr std::ptrdiff_t kGroupsNamed = 5;  // groups named in a note

cluster::Resources ResourcesIn(const sql::Row& row, const std::string& whose) {
  cluster::Resources resources;
  resources.cpu_milli = row.Get<std::int64_t>(whose + "cpu_milli");
  resources.memory_bytes = row.Get<std::int64_t>(whose + "memory_bytes");
  resources.pods = row.Get<std::int64_t>(whose + "pods");
  workers::ReadOtherResources(row.Get<std::string>(whose + "other"), resources);
  return resources;
}

void ForgetPods(cluster::PodRequest& request) {
  cluster::PodRules& rules = request.rules.Own();
  rules.affinity.clear();
  rules.anti_affinity.clear();
  rules.preferred_pods.clear();
  rules.spread.clear();
}

using Structures = std::map<std::string, cluster::CopyOnWrite<std::string>>;

Structures ReadStructures(sql::Transaction& transaction) {
  Structures structures;
  for (const sql::Row row : transaction.Run(queries::kSnapshotStructures))
    structures[row.Get<std::string>("id")].Own() =
        row.Get<std::string>("structure");
  return structures;
}

cluster::Node NodeIn(const sql::Row& row, const Structures& structures) {
  cluster::Node node;
  node.name = row.Get<std::string>("node_name");
  node.allocatable = ResourcesIn(row, "");
  node.labels = nlohmann::json::parse(row.Get<std::string>("labels"))
                    .get<std::map<std::string, std::string>>();
  node.taints = workers::ReadTaints(row.Get<std::string>("taints"));
  node.unschedulable = row.Get<bool>("closed");
  const auto id = row.Find<std::string>("structure");
  const auto structure = id ? structures.find(*id) : structures.end();
  if (structure != structures.end()) node.structure = structure->second;
  node.topology_policy = cluster::TopologyPolicyOf(
      row.Find<std::string>("topology_policy").value_or(""));
  return node;
}

class SnapshotWriter {
 public:
  SnapshotWriter(const workers::ComponentSnapshot& records, Snapshot& snapshot)
      : records_(records),
        scenario_(snapshot.scenario),
        notes_(snapshot.notes),
        parts_(MadeOf(records, snapshot.scenario)),
        snapshot_(snapshot) {}

  void Write(const sql::Result& groups) {
    for (const auto& [id, holder] : records_.holders) AddHolder(id, holder);
    std::set<workers::GroupId> to_grow;
    for (const sql::Row row : groups)
      if (row.Get<bool>("waits")) to_grow.insert(row.Get<std::int64_t>("id"));
    std::vector<const workers::PendingGroup*> line;
    for (const auto& [id, group] : records_.waiting) {
      const bool waits = !group.held || to_grow.contains(id);
      if (waits && !group.members.empty()) line.push_back(&group);
    }
    std::ranges::sort(line, {}, [](const workers::PendingGroup* group) {
      return std::tuple(group->submitted_at, group->id);
    });
    for (const workers::PendingGroup* group : line) AddWaiting(*group);
    for (const auto& [id, number] : snapshot_.waiting_parts)
      GroupAt(number).name += " (pods that wait)";
    for (const sql::Row row : groups) {
      const auto known = snapshot_.numbers.find(row.Get<std::int64_t>("id"));
      if (known == snapshot_.numbers.end()) continue;
      Scenario::Group& group = GroupAt(known->second);
      group.submit = row.Get<std::int64_t>("submitted");
      const auto base =
          snapshot_.numbers.find(row.Get<std::int64_t>("extends"));
      if (base != snapshot_.numbers.end()) group.grows = base->second;
    }
    for (const workers::Reservation& promised : records_.promised) {
      if (const auto number = snapshot_.WaitingPartOf(promised.group))
        scenario_.promised.push_back({*number, promised.start, promised.nodes,
                                      promised.places, promised.parts});
    }
    LeaveRulesOut();
  }

 private:
  static Scenario& MadeOf(const workers::ComponentSnapshot& records,
                          Scenario& scenario) {
    scenario.queues = records.queues;
    scenario.maintenance = records.maintenance;
    scenario.pools = records.pools;
    scenario.pools_elsewhere = records.pools_elsewhere;
    scenario.accounts = records.accounts;
    scenario.used = records.used;
    scenario.used.at = std::min(scenario.used.at, scenario.begin);
    return scenario;
  }

  Scenario::Group& GroupAt(int number) {
    return scenario_.groups[static_cast<std::size_t>(number)];
  }

  // Adds a group with an allocation. A group that is to end ends when its grace
  // period is over; one of which other pods wait goes on.
  void AddHolder(workers::GroupId id,
                 const workers::ComponentSnapshot::Holder& holder) {
    const workers::Held& held = holder.held;
    Scenario::Group& group =
        Add(id, held.namespace_name, held.account, held.queue);
    group.name = holder.name.empty() ? std::to_string(id) : holder.name;
    group.submit = held.start;
    group.priority = held.priority;
    group.grace = held.grace;
    if (held.end)
      group.duration = std::max<std::int64_t>(*held.end - held.start, 1);
    if (!holder.stays && !records_.waiting.contains(id)) {
      const std::int64_t ends =
          std::max<std::int64_t>(scenario_.begin + held.grace - held.start, 1);
      group.duration = std::min(group.duration.value_or(ends), ends);
    }
    group.runs = group.duration;
    struct Pod {
      int request = 0;
      std::string node;
      std::string parts;
    };
    std::vector<Pod> pods;
    std::vector<int> requests;
    cluster::GroupTopology topology;
    topology.whole_nodes = held.sharing.whole_nodes;
    topology.aside = held.sharing.aside;
    topology.pools = held.pools;
    for (const workers::PlacedMember& member : held.members) {
      pods.push_back(
          {parts_.Request(cluster::WithTopology(*member.request, topology),
                          held.namespace_name),
           member.node, member.parts});
      requests.push_back(pods.back().request);
    }
    group.shape = parts_.Shape(requests);
    std::ranges::stable_sort(pods, {}, &Pod::request);
    Scenario::Running& running = scenario_.running.emplace_back();
    running.group = snapshot_.numbers.at(id);
    running.start = held.start;
    running.evictable = held.evictable && !held.external;
    const bool inside =
        !std::ranges::all_of(pods, &std::string::empty, &Pod::parts);
    for (Pod& pod : pods) {
      running.nodes.push_back(std::move(pod.node));
      if (inside) running.parts.push_back(std::move(pod.parts));
    }
  }

  void AddWaiting(const workers::PendingGroup& waiting) {
    // Pods of a group that holds something take no more of pools.
    const bool holds = snapshot_.numbers.contains(waiting.id);
    Scenario::Group& group =
        Add(waiting.id, waiting.namespace_name, waiting.account, waiting.queue);
    group.name = waiting.namespace_name + "/" + waiting.name;
    group.duration = group.runs = waiting.duration;
    group.start_after = waiting.start_after;
    group.start_by = waiting.start_by;
    group.priority = waiting.priority;
    group.first_in_line = waiting.first_in_line;
    group.preempts = waiting.preempts;
    group.grace = waiting.grace;
    std::vector<int> requests;
    for (const workers::Member& member : waiting.members) {
      cluster::PodRequest request = *member.request;
      if (holds && request.rules.Any()) request.rules.Own().topology.pools = {};
      requests.push_back(parts_.Request(request, waiting.namespace_name));
    }
    group.shape = parts_.Shape(requests);
  }

  Scenario::Group& Add(workers::GroupId id, const std::string& space,
                       const std::string& account, const std::string& queue) {
    const auto number = static_cast<int>(scenario_.groups.size());
    if (!snapshot_.numbers.emplace(id, number).second)
      snapshot_.waiting_parts[id] = number;
    Scenario::Group& group = scenario_.groups.emplace_back();
    const auto place = parts_.Queue(queue);
    if (!place) throw std::logic_error("a group of a queue that is not there");
    group.queue = *place;
    group.user = parts_.User(space);
    group.label = parts_.Label(account);
    return group;
  }

  void LeaveRulesOut() {
    const std::string whose = WithRulesAboutPods(scenario_, 0);
    if (whose.empty()) return;
    notes_.push_back(
        "rules about other pods are left out, since the records have no labels "
        "of pods: of " +
        whose);
    for (Scenario::Request& each : scenario_.requests)
      if (workers::LooksAtPods(each.request)) ForgetPods(each.request);
  }

  const workers::ComponentSnapshot& records_;
  Scenario& scenario_;
  std::vector<std::string>& notes_;
  workers::ScenarioParts parts_;
  Snapshot& snapshot_;
};

}  // namespace

std::optional<int> Snapshot::WaitingPartOf(workers::GroupId id) const {
  for (const auto* part : {&waiting_parts, &numbers}) {
    const auto known = part->find(id);
    if (known != part->end()) return known->second;
  }
  return std::nullopt;
}

Snapshot ReadSnapshot(sql::Pool& pool, std::int64_t now) {
  Snapshot snapshot;
  snapshot.scenario.begin = now;
  sql::Transaction transaction(pool, sql::Isolation::kRepeatableRead);
  const Structures structures = ReadStructures(transaction);
  for (const sql::Row row : transaction.Run(queries::kSnapshotNodes)) {
    snapshot.scenario.nodes.push_back(NodeIn(row, structures));
    const cluster::Resources others = ResourcesIn(row, "unmanaged_");
    if (!(others == cluster::Resources{}))
      snapshot.scenario.others[snapshot.scenario.nodes.back().name] = {
          others, row.Get<std::int32_t>("occupants")};
  }
  std::vector<std::string> queues;
  for (const sql::Row row : transaction.Run(queries::kSnapshotQueues))
    queues.push_back(row.Get<std::string>("name"));
  workers::SnapshotReader reader(queues);
  reader.Read(transaction);
  SnapshotWriter(*reader.snapshot(), snapshot)
      .Write(transaction.Run(queries::kSnapshotGroups));
  return snapshot;
}

std::vector<cluster::Node> ReadSnapshotNodes(sql::Pool& pool) {
  std::vector<cluster::Node> nodes;
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  const Structures structures = ReadStructures(transaction);
  for (const sql::Row row : transaction.Run(queries::kSnapshotNodes))
    nodes.push_back(NodeIn(row, structures));
  return nodes;
}

std::string WithRulesAboutPods(const Scenario& scenario, std::size_t from) {
  std::string names;
  std::ptrdiff_t more = -kGroupsNamed;
  for (std::size_t i = from; i < scenario.groups.size(); ++i) {
    const Scenario::Group& group = scenario.groups[i];
    const auto& shape = scenario.shapes[static_cast<std::size_t>(group.shape)];
    if (std::ranges::none_of(shape, [&](const Scenario::Pods& pods) {
          return workers::LooksAtPods(
              scenario.requests[static_cast<std::size_t>(pods.request)]
                  .request);
        }))
      continue;
    if (++more <= 0) names += (names.empty() ? "" : ", ") + group.name;
  }
  return more > 0 ? fmt::format("{} and {} more", names, more) : names;
}

}  // namespace fluxnetes::services
