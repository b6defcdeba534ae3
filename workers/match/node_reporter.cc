#include "workers/match/node_reporter.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cluster/structures/topology_policy.h"
#include "sql/connection/transaction.h"
#include "workers/match/replicas_queries.h"
#include "workers/match/unmanaged_devices.h"
#include "workers/pods/other_resources.h"

namespace fluxnetes::workers {

std::string WriteTaints(const std::vector<cluster::Taint>& taints) {
  nlohmann::json all = nlohmann::json::array();
  for (const cluster::Taint& taint : taints)
    all.push_back(
        {{"key", taint.key}, {"value", taint.value}, {"effect", taint.effect}});
  return all.dump();
}

std::vector<cluster::Taint> ReadTaints(const std::string& json) {
  std::vector<cluster::Taint> taints;
  for (const nlohmann::json& each : nlohmann::json::parse(json))
    taints.push_back({each.value("key", ""), each.value("value", ""),
                      each.value("effect", "")});
  return taints;
}

std::map<std::string, DriverCounts> CountDevicesOfNodes(
    const std::vector<cluster::ResourceSlicePointer>& slices) {
  std::map<std::pair<std::string, std::string>, std::int64_t> latest;
  for (const auto& each : slices) {
    std::int64_t& generation = latest[{each->slice.driver, each->slice.pool}];
    generation = std::max(generation, each->slice.generation);
  }
  std::map<std::string, DriverCounts> counts;
  for (const auto& each : slices) {
    const matcher::DeviceSlice& slice = each->slice;
    if (slice.generation != latest.at({slice.driver, slice.pool})) continue;
    for (const matcher::Device& device : slice.devices) {
      const std::string& node =
          device.nodes ? device.nodes->node : slice.nodes.node;
      if (!node.empty()) ++counts[node][slice.driver];
    }
  }
  return counts;
}

void NodeReporter::Note(const std::vector<std::string>& nodes) {
  if (!all_) noted_.insert(nodes.begin(), nodes.end());
}

void NodeReporter::NoteDevices(const cluster::ChangedDevices& changed) {
  slices_noted_ = slices_noted_ || !changed.slices.empty();
  if (all_) return;
  for (const std::string& key : changed.claims) {
    if (const auto known = nodes_of_claim_.extract(key))
      noted_.insert(known.mapped().begin(), known.mapped().end());
    const std::size_t slash = key.find('/');
    const auto claim =
        cache_.ResourceClaimByName(key.substr(0, slash), key.substr(slash + 1));
    if (claim == nullptr) continue;
    for (const cluster::ClaimConsumer& consumer : claim->reserved_for) {
      const cluster::PodPointer pod = cache_.PodByUid(consumer.uid);
      if (pod != nullptr && !pod->node_name.empty() &&
          !schedulers_.Contain(pod->scheduler_name))
        noted_.insert(pod->node_name);
    }
  }
}

void NodeReporter::Forget() {
  all_ = true;
  nodes_of_claim_.clear();
  written_.clear();
  noted_.clear();
}

NodeReporter::Report NodeReporter::ReportOf(const cluster::Node& node) {
  Report report{node, {}, 0};
  const auto devices = devices_.find(node.name);
  if (devices != devices_.end()) report.devices = devices->second;
  report.node.zones = {};  // are not written
  std::vector<cluster::PodPointer> pods = cache_.PodsOnNode(node.name);
  std::erase_if(pods, [this](const cluster::PodPointer& pod) {
    return schedulers_.Contain(pod->scheduler_name);
  });
  for (const cluster::PodPointer& pod : pods) {
    cluster::AddUpTo(node.allocatable, report.unmanaged,
                     pod->request.resources);
    if (!cluster::BelongsToItsNode(*pod)) ++report.occupants;
  }
  UnmanagedDevices held = DevicesOfUnmanaged(pods, cache_);
  report.unmanaged_devices = std::move(held.json);
  for (const std::string& claim : held.claims)
    nodes_of_claim_[claim].insert(node.name);
  return report;
}

// Notes the nodes whose devices are no longer as many as before.
void NodeReporter::CountDevices() {
  auto counts = CountDevicesOfNodes(cache_.ResourceSlices());
  std::swap(devices_, counts);
  if (all_) return;  // all are looked at
  for (const auto& [node, before] : counts)
    if (!devices_.contains(node)) noted_.insert(node);
  for (const auto& [node, now] : devices_) {
    const auto before = counts.find(node);
    if (before == counts.end() || before->second != now) noted_.insert(node);
  }
}

void NodeReporter::Write(cluster::Time now) {
  if (std::exchange(slices_noted_, false)) CountDevices();
  std::vector<Report> changed;
  std::vector<std::string> gone;
  const auto consider = [&](const cluster::Node& node) {
    Report report = ReportOf(node);
    const auto written = written_.find(node.name);
    if (written == written_.end() || !(written->second == report))
      changed.push_back(std::move(report));
  };
  if (all_) {
    for (const cluster::NodePointer& node : cache_.Nodes()) consider(*node);
  }
  for (const std::string& name : noted_) {
    const cluster::NodePointer node = cache_.NodeByName(name);
    if (node != nullptr) {
      consider(*node);
    } else if (written_.contains(name)) {
      gone.push_back(name);
    }
  }
  if (!all_ && changed.empty() && gone.empty()) return noted_.clear();
  Send(changed, gone, now);
  for (const std::string& name : gone) written_.erase(name);
  for (Report& report : changed) {
    std::string name = report.node.name;
    written_.insert_or_assign(std::move(name), std::move(report));
  }
  noted_.clear();
  all_ = false;
}

bool NodeReporter::LeavesStructures(
    const std::vector<Report>& changed,
    const std::vector<std::string>& gone) const {
  const auto has_one = [this](const std::string& name) {
    return !written_.at(name).node.structure->empty();
  };
  return std::ranges::any_of(gone, has_one) ||
         std::ranges::any_of(changed, [&](const Report& report) {
           return written_.contains(report.node.name) &&
                  has_one(report.node.name) &&
                  !(written_.at(report.node.name).node.structure ==
                    report.node.structure);
         });
}

void NodeReporter::Send(const std::vector<Report>& changed,
                        const std::vector<std::string>& gone,
                        cluster::Time now) {
  std::vector<std::string> names, other, labels, unmanaged_other, taints,
      devices, unmanaged_devices;
  std::vector<std::int64_t> cpu, memory, pods;
  std::vector<std::int64_t> unmanaged_cpu, unmanaged_memory, unmanaged_pods;
  std::vector<int> occupants;
  std::vector<std::optional<std::string>> closed, policies;
  std::vector<int> places;
  std::vector<std::string> structures;
  std::map<std::string, int> place_of;
  for (const Report& report : changed) {
    const cluster::Resources& total = report.node.allocatable;
    names.push_back(report.node.name);
    cpu.push_back(total.cpu_milli);
    memory.push_back(total.memory_bytes);
    pods.push_back(total.pods);
    other.push_back(OtherResources(total).value_or("{}"));
    unmanaged_cpu.push_back(report.unmanaged.cpu_milli);
    unmanaged_memory.push_back(report.unmanaged.memory_bytes);
    unmanaged_pods.push_back(report.unmanaged.pods);
    occupants.push_back(report.occupants);
    unmanaged_other.push_back(OtherResources(report.unmanaged).value_or("{}"));
    const std::string why = cluster::WhyClosed(report.node);
    closed.push_back(why.empty() ? std::nullopt : std::optional(why));
    const std::string policy(cluster::NameOf(report.node.topology_policy));
    policies.push_back(policy.empty() ? std::nullopt : std::optional(policy));
    labels.push_back(nlohmann::json(report.node.labels).dump());
    taints.push_back(WriteTaints(report.node.taints));
    devices.push_back(nlohmann::json(report.devices).dump());
    unmanaged_devices.push_back(report.unmanaged_devices);
    const std::string& structure = *report.node.structure;
    int place = 0;
    if (!structure.empty()) {
      const auto [known, added] = place_of.try_emplace(
          structure, static_cast<int>(structures.size()) + 1);
      if (added) structures.push_back(structure);
      place = known->second;
    }
    places.push_back(place);
  }
  sql::Transaction transaction(pool_);
  if (!names.empty()) {
    transaction.Run(queries::kWriteNodes, names, cpu, memory, pods, other,
                    unmanaged_cpu, unmanaged_memory, unmanaged_pods, closed,
                    labels, unmanaged_other, taints, now, occupants, places,
                    structures, policies, devices, unmanaged_devices);
  }
  if (all_) {
    transaction.Run(queries::kDropNodes, names, true);
  } else if (!gone.empty()) {
    transaction.Run(queries::kDropNodes, gone, false);
  }
  if (all_ || LeavesStructures(changed, gone))
    transaction.Run(queries::kDropUnusedStructures);
  transaction.Commit();
}

}  // namespace fluxnetes::workers
