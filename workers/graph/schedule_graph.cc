#include "workers/graph/schedule_graph.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "matcher/inside/node_interior.h"
#include "matcher/inside/structure_text.h"
#include "matcher/node_devices/node_devices.h"
#include "workers/labels/device_counts.h"
#include "workers/labels/inside_labels.h"
#include "workers/pods/pod_rules.h"

namespace fluxnetes::workers {
namespace {

constexpr std::size_t kBase = 4;

// What the policies by ids of units count as one: a core, a GiB, and one of an
// extended resource, but a GiB of huge pages. Ephemeral storage and places for
// pods have no units.
constexpr std::int64_t kGib = std::int64_t{1} << 30;
constexpr std::int64_t kUnits[kBase] = {1'000, kGib, 0, 0};

std::int64_t ClassOf(const cluster::Node& node) {
  const auto found = node.labels.find(kPerformanceLabel);
  if (found == node.labels.end()) return matcher::kWorstClass;
  return matcher::ParseClass(found->second).value_or(matcher::kWorstClass);
}

std::int64_t Clamp(std::int64_t amount) {
  return std::clamp<std::int64_t>(amount, 0, matcher::kMaxAmount);
}

bool SameForScheduling(const cluster::Node& a, const cluster::Node& b) {
  return a.allocatable == b.allocatable && a.labels == b.labels &&
         a.taints == b.taints && a.structure == b.structure &&
         a.zones.empty() == b.zones.empty() &&
         a.topology_policy == b.topology_policy &&
         cluster::WhyClosed(a).empty() == cluster::WhyClosed(b).empty();
}

// What the kubelet has given away of the domains that it reports.
std::vector<matcher::GivenInside> GivenOf(const cluster::Node& node) {
  std::vector<matcher::GivenInside> given;
  for (const cluster::NumaZone& zone : node.zones) {
    const std::string domain = "numa" + std::to_string(zone.number);
    const auto add = [&](const char* type, std::int64_t all,
                         std::int64_t left) {
      if (all > left) given.push_back({domain, type, all - left});
    };
    add("core", zone.allocatable.cpu_milli / 1'000,
        zone.available.cpu_milli / 1'000);
    for (const auto& [name, all] : zone.allocatable.extended) {
      if (name.ends_with("/gpu"))
        add("gpu", all, zone.available.Extended(name));
      if (name.ends_with("/nic"))
        add("nic", all, zone.available.Extended(name));
    }
  }
  return given;
}

}  // namespace

ScheduleGraph::ScheduleGraph()
    : graph_({"cpu", "memory", "ephemeral-storage", "pods"}),
      requests_(graph_, [this](const cluster::Resources& resources) {
        return Vector(resources);
      }) {
  for (std::size_t r = 0; r < kBase; ++r)
    graph_.SetUnit(static_cast<int>(r), kUnits[r]);
}

std::size_t ScheduleGraph::ResourceIndex(const std::string& name) {
  const auto [place, added] =
      resources_.try_emplace(name, graph_.resources().size());
  if (added) {
    graph_.AddResource(name);
    if (name.starts_with("hugepages-"))
      graph_.SetUnit(static_cast<int>(place->second), kGib);
  }
  return place->second;
}

std::vector<std::int64_t> ScheduleGraph::Vector(
    const cluster::Resources& resources) {
  std::vector<std::int64_t> amounts = {
      Clamp(resources.cpu_milli), Clamp(resources.memory_bytes),
      Clamp(resources.ephemeral_bytes), Clamp(resources.pods)};
  for (const auto& [name, amount] : resources.extended) {
    const std::size_t index = ResourceIndex(name);
    if (amounts.size() <= index) amounts.resize(index + 1);
    amounts[index] = Clamp(amount);
  }
  return amounts;
}

RequestCounts ScheduleGraph::Count(const std::vector<Member>& members) const {
  RequestCounts counts;
  std::unordered_map<const cluster::PodRequest*, std::size_t> positions;
  std::size_t last = 0;
  for (const Member& member : members) {
    if (last >= counts.size() || counts[last].first != member.request) {
      const auto [place, added] =
          positions.try_emplace(member.request, counts.size());
      if (added) counts.emplace_back(member.request, 0);
      last = place->second;
    }
    ++counts[last].second;
  }
  const auto rank = [this](const cluster::PodRequest* request) {
    const cluster::Resources& needs = request->resources;
    return std::tuple(needs.extended.empty(), -needs.cpu_milli,
                      -needs.memory_bytes, requests_.Number(request));
  };
  if (counts.size() > 1) {
    std::sort(counts.begin(), counts.end(), [&](const auto& a, const auto& b) {
      return rank(a.first) < rank(b.first);
    });
  }
  return counts;
}

std::int64_t ScheduleGraph::ChooseId(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
    --digits;
  }
  std::int64_t id = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + digits, end, id);
  if (read.ec == std::errc() && read.ptr == end) return id;
  return appearance_.try_emplace(name, appearance_.size()).first->second;
}

ScheduleGraph::KnownNode& ScheduleGraph::InGraph(const std::string& name) {
  KnownNode& node = nodes_[name];
  if (node.index >= 0) return node;
  node.node.name = name;
  node.id = ChooseId(name);
  node.index = graph_.AddNode(name, node.id, {});
  graph_.SetOpen(node.index, false);
  if (by_index_.size() <= static_cast<std::size_t>(node.index)) {
    by_index_.resize(node.index + 1);
  }
  by_index_[node.index] = &node;
  return node;
}

void ScheduleGraph::Forget(KnownNode& node) {
  if (node.known || node.places > 0 || node.index < 0) return;
  graph_.RemoveNode(node.index);
  by_index_[node.index] = nullptr;
  node.index = -1;
  node.grown.clear();
  if (!(node.unmanaged == cluster::Resources{}) ||
      !node.unmanaged_pods.empty()) {
    return;
  }
  const std::string name = node.node.name;
  nodes_.erase(name);
}

void ScheduleGraph::SetInside(matcher::NodeIndex node,
                              const std::string& structure) {
  if (structure.empty()) return graph_.UnsetInside(node);
  try {
    if (last_structure_ != structure) {
      last_structure_.clear();
      last_inside_ = matcher::ReadStructure(structure);
      last_structure_ = structure;
    }
    graph_.SetInside(node, last_inside_);
  } catch (const matcher::StructureError&) {
    // Whoever read the node has told of it.
    graph_.UnsetInside(node);
  }
}

void ScheduleGraph::SetNode(const cluster::Node& node) {
  KnownNode& known = InGraph(node.name);
  if (known.known && SameForScheduling(known.node, node)) {
    const bool given = !(known.node.zones == node.zones);
    known.node = node;
    if (given) SetGiven(known);
    return;
  }
  if (!known.known || !(known.node.structure == node.structure))
    SetInside(known.index, *node.structure);
  if (!known.known || known.node.topology_policy != node.topology_policy)
    graph_.SetKubelet(known.index, KubeletOf(node));
  const bool given = !known.known || !(known.node.zones == node.zones);
  known.node = node;
  if (given) SetGiven(known);
  if (!std::exchange(known.known, true)) ++known_;
  known.totals = Vector(node.allocatable);
  capacity_.reset();
  graph_.SetTotals(known.index, known.totals);
  graph_.SetLabels(known.index, node.labels, TaintsOf(node));
  graph_.SetClass(known.index, ClassOf(node));
  ChargeUnmanaged(known);
  SetOpenAsKnown(known);
  predicates_.Set(known.index, known.node);
  evictions_.NoteChange();
  Grow(known.index);
  changes_.changed.push_back(known.index);
  changes_.capacity = true;
}

void ScheduleGraph::SetGiven(KnownNode& node) {
  if (node.node.zones.empty()) {
    node.admitted.clear();
    graph_.ForgetGivenInside(node.index);
  } else {
    graph_.SetGivenInside(node.index, GivenOf(node.node));
  }
  evictions_.NoteChange();
  Grow(node.index);
  changes_.changed.push_back(node.index);
}

void ScheduleGraph::SetAdmitted(const std::string& name,
                                std::vector<std::string> pods) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.known) return;
  KnownNode& node = found->second;
  if (node.node.zones.empty()) pods.clear();
  if (node.admitted == pods) return;
  node.admitted = std::move(pods);
  MarkAdmitted(node);
  evictions_.NoteChange();
  Grow(node.index);
  changes_.changed.push_back(node.index);
}

void ScheduleGraph::MarkAdmitted(const KnownNode& node) {
  std::vector<matcher::InsideTask> tasks;
  for (const std::string& uid : node.admitted)
    if (const auto place = holdings_.PlaceOf(uid))
      tasks.push_back({place->group, place->position});
  graph_.SetAdmitted(node.index, tasks);
}

void ScheduleGraph::RemoveNode(const std::string& name) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.known) return;
  KnownNode& node = found->second;
  node.known = node.shut = false;
  --known_;
  capacity_.reset();
  node.closures.clear();
  graph_.SetOpen(node.index, false);
  graph_.SetTotals(node.index, {});
  graph_.SetUnmanaged(node.index, {});
  graph_.SetLabels(node.index, {});
  graph_.UnsetInside(node.index);
  graph_.ForgetGivenInside(node.index);
  node.admitted.clear();
  graph_.SetKubelet(node.index, matcher::TasksOfKubelet::kAny);
  predicates_.Remove(node.index);
  evictions_.NoteChange();
  changes_.changed.push_back(node.index);
  changes_.capacity = true;
  Forget(node);
}

void ScheduleGraph::ChargeUnmanaged(KnownNode& node) {
  node.others = Vector(node.unmanaged);
  std::vector<matcher::RulesId> rules;
  for (const cluster::PodRequest* pod : node.unmanaged_pods) {
    rules.push_back(requests_.Rules(pod));
  }
  graph_.SetUnmanaged(node.index, node.others, rules, node.occupants);
}

void ScheduleGraph::SetUnmanaged(
    const std::string& name, const cluster::Resources& used,
    const std::vector<const cluster::PodRequest*>& pods, int occupants) {
  KnownNode& node = nodes_[name];
  node.node.name = name;
  if (!(node.unmanaged == used) || node.unmanaged_pods != pods ||
      node.occupants != occupants) {
    node.unmanaged = used;
    node.occupants = occupants;
    node.unmanaged_pods = pods;
    if (node.known) {
      ChargeUnmanaged(node);
      evictions_.NoteChange();
      Grow(node.index);
      changes_.changed.push_back(node.index);
      changes_.capacity = true;
    }
  }
  const bool unused =
      node.index < 0 && used == cluster::Resources{} && pods.empty();
  if (unused) nodes_.erase(name);
}

void ScheduleGraph::SetGrown(
    const std::string& name,
    const std::map<std::string, cluster::Resources>& grown) {
  const auto found = nodes_.find(name);
  if (found == nodes_.end() || !found->second.known) return;
  KnownNode& node = found->second;
  std::map<std::string, std::vector<std::int64_t>> amounts;
  for (const auto& [uid, more] : grown) amounts.emplace(uid, Vector(more));
  if (amounts == node.grown) return;
  std::set<GroupId> groups;
  for (const auto* pods : {&node.grown, &amounts}) {
    for (const auto& [uid, more] : *pods) {
      if (const auto place = holdings_.PlaceOf(uid))
        groups.insert(place->group);
    }
  }
  node.grown = std::move(amounts);
  for (const GroupId group : groups) {
    graph_.Cancel(group);
    Book(holdings_.at(group));
  }
  evictions_.NoteChange();
  Grow(node.index);
  changes_.changed.push_back(node.index);
}

const cluster::Node* ScheduleGraph::NodeAt(matcher::NodeIndex index) const {
  if (static_cast<std::size_t>(index) >= by_index_.size()) return nullptr;
  const KnownNode* node = by_index_[index];
  return node != nullptr && node->known ? &node->node : nullptr;
}

bool ScheduleGraph::Open(matcher::NodeIndex index) const {
  const cluster::Node* node = NodeAt(index);
  return node != nullptr && cluster::WhyClosed(*node).empty() &&
         !by_index_[index]->shut;
}

std::vector<std::int64_t> ScheduleGraph::WithoutHeld(
    matcher::NodeIndex index) const {
  const KnownNode& node = *by_index_.at(index);
  std::vector<std::int64_t> left = node.totals;
  left.resize(graph_.resources().size());
  for (std::size_t r = 0; r < node.others.size(); ++r) {
    left[r] -= node.others[r];
  }
  return left;
}

cluster::Resources ScheduleGraph::Free(const NodePredicates::Labels& selector,
                                       matcher::Time now) const {
  std::vector<std::int64_t> sum(graph_.resources().size());
  for (const KnownNode* node : by_index_) {
    if (node == nullptr || !node->known || !Open(node->index) ||
        !cluster::Selects(selector, node->node) ||
        HasMaintenance(node->index, now, now + 1))
      continue;
    const auto free = graph_.Free(node->index, now);
    for (std::size_t r = 0; r < free.size(); ++r) {
      if (__builtin_add_overflow(sum[r], free[r], &sum[r])) {
        sum[r] = std::numeric_limits<std::int64_t>::max();
      }
    }
  }
  cluster::Resources total{sum[0], sum[1], sum[2], sum[3]};
  for (const auto& [name, index] : resources_)
    total.SetExtended(name, sum[index]);
  return total;
}

bool ScheduleGraph::Selected(const NodePredicates::Labels& selector,
                             const std::string& name) const {
  const auto found = nodes_.find(name);
  return found != nodes_.end() && found->second.known &&
         cluster::Selects(selector, found->second.node);
}

std::int64_t ScheduleGraph::LogicalId(matcher::NodeIndex index) const {
  return by_index_.at(index)->id;
}

std::int64_t ScheduleGraph::PerformanceClass(matcher::NodeIndex index) const {
  return ClassOf(by_index_.at(index)->node);
}

std::vector<matcher::NodeIndex> ScheduleGraph::KnownNodes() const {
  std::vector<matcher::NodeIndex> known;
  for (const KnownNode* node : by_index_) {
    if (node != nullptr && node->known) known.push_back(node->index);
  }
  return known;
}

void ScheduleGraph::Sweep(std::vector<const cluster::PodRequest*> others) {
  for (const auto& [name, node] : nodes_) {
    others.insert(others.end(), node.unmanaged_pods.begin(),
                  node.unmanaged_pods.end());
  }
  for (const auto& [group, holding] : holdings_.by_group()) {
    for (const PlacedMember& member : holding.held.members) {
      if (!member.uid.empty()) others.push_back(member.request);
    }
  }
  requests_.Sweep(others);
}

std::size_t ScheduleGraph::IndexOf(const std::string& resource) {
  if (resource.starts_with(kPoolPrefix)) {
    const std::string pool = resource.substr(std::strlen(kPoolPrefix));
    return graph_.ResourceOfPool(PoolInGraph(pool).index);
  }
  const auto& names = graph_.resources();
  const auto found = std::find(names.begin(), names.end(), resource);
  return found == names.end() ? ResourceIndex(resource)
                              : static_cast<std::size_t>(found - names.begin());
}

const std::vector<double>& ScheduleGraph::Capacity() const {
  // A resource that was added since may count devices of a class.
  if (capacity_ && capacity_->size() == graph_.resources().size())
    return *capacity_;
  std::vector<double> sum(graph_.resources().size());
  for (const KnownNode* node : by_index_) {
    if (node == nullptr || !node->known) continue;
    for (std::size_t r = 0; r < node->totals.size(); ++r)
      sum[r] += static_cast<double>(node->totals[r]);
  }
  for (const auto& [name, pool] : pools_)
    sum[graph_.ResourceOfPool(pool.index)] =
        static_cast<double>(pool.pool.total);
  for (const auto& [name, index] : resources_) {
    const std::string_view counted = ClassCountedBy(name);
    if (!counted.empty()) sum[index] = graph_.devices().CountOfClass(counted);
  }
  return capacity_.emplace(std::move(sum));
}

GraphChanges ScheduleGraph::TakeChanges() {
  return std::exchange(changes_, GraphChanges{});
}

}  // namespace fluxnetes::workers
