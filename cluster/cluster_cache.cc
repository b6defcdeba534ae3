#include "cluster/cluster_cache.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fluxnetes::cluster {
namespace {

// 0 if the version is not a number.
std::uint64_t Number(const std::string& version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [stop, error] = std::from_chars(version.data(), end, number);
  return error == std::errc{} && stop == end ? number : 0;
}

bool Occupies(const Pod& pod) {
  return !pod.node_name.empty() &&
         (pod.phase == PodPhase::kPending || pod.phase == PodPhase::kRunning);
}

bool ChargesAlike(const Pod& a, const Pod& b) {
  return Occupies(a) && Occupies(b) && a.node_name == b.node_name &&
         a.request.resources == b.request.resources;
}

auto FindUid(auto& pods, const std::string& uid) {
  return std::lower_bound(
      pods.begin(), pods.end(), uid,
      [](const PodPointer& pod, const std::string& u) { return pod->uid < u; });
}

bool SameForScheduling(const Node& a, const Node& b) {
  return a.uid == b.uid && a.allocatable == b.allocatable &&
         a.labels == b.labels && a.taints == b.taints &&
         a.unschedulable == b.unschedulable && a.ready == b.ready;
}

template <typename Set>
std::vector<std::string> Sorted(Set& names) {
  std::vector<std::string> sorted(names.begin(), names.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

std::size_t ClusterCache::UidOf::operator()(std::string_view uid) const {
  return std::hash<std::string_view>{}(uid);
}
std::size_t ClusterCache::UidOf::operator()(const PodPointer& pod) const {
  return std::hash<std::string_view>{}(pod->uid);
}
bool ClusterCache::UidOf::operator()(const PodPointer& a,
                                     const PodPointer& b) const {
  return a->uid == b->uid;
}
bool ClusterCache::UidOf::operator()(std::string_view a,
                                     const PodPointer& b) const {
  return a == b->uid;
}

CacheChanges ClusterCache::Apply(std::span<const WatchEvent> events) {
  const std::lock_guard lock(mutex_);
  CacheChanges changes;
  for (const WatchEvent& event : events) Apply(event, changes);
  return changes;
}

void ClusterCache::Apply(const WatchEvent& event, CacheChanges& changes) {
  const auto* const pod = std::get_if<PodPointer>(&event.object);
  const auto* const node = std::get_if<NodePointer>(&event.object);
  switch (event.kind) {
    case WatchEvent::Kind::kListBegin:
      listing_ = true;
      listed_pods_.clear();
      listed_nodes_.clear();
      // It may be another cluster by now, whose versions begin again; events
      // from before a list do not come after it.
      newest_pod_ = 0;
      newest_node_ = 0;
      break;
    case WatchEvent::Kind::kListEnd:
      FinishList(changes);
      break;
    case WatchEvent::Kind::kChanged:
      if (pod != nullptr) Put(*pod, changes);
      if (node != nullptr) Put(*node, changes);
      break;
    case WatchEvent::Kind::kDeleted:
      if (pod != nullptr) {
        newest_pod_ = std::max(newest_pod_, Number((*pod)->resource_version));
        Drop((*pod)->uid, changes);
      }
      if (node != nullptr) {
        newest_node_ =
            std::max(newest_node_, Number((*node)->resource_version));
        DropNode((*node)->name, changes);
      }
      break;
  }
}

void ClusterCache::FinishList(CacheChanges& changes) {
  if (!listing_) return;
  std::vector<std::string> vanished;
  for (const PodPointer& pod : pods_) {
    if (!listed_pods_.contains(pod->uid)) vanished.push_back(pod->uid);
  }
  std::ranges::sort(vanished);
  for (const std::string& uid : vanished) Drop(uid, changes);
  vanished.clear();
  for (const auto& [name, node] : nodes_) {
    if (!listed_nodes_.contains(name)) vanished.push_back(name);
  }
  std::ranges::sort(vanished);
  for (const std::string& name : vanished) DropNode(name, changes);
  listed_pods_ = {};
  listed_nodes_ = {};
  listing_ = false;
  synced_ = true;
  changes.listed = true;
}

bool ClusterCache::IsLate(const std::string& version, const std::string* held,
                          std::uint64_t newest) const {
  const std::uint64_t number = Number(version);
  if (number == 0) return false;
  if (held == nullptr) return !listing_ && number <= newest;
  return listing_ ? version == *held : number <= Number(*held);
}

void ClusterCache::Put(const PodPointer& pod, CacheChanges& changes) {
  if (listing_) listed_pods_.insert(pod->uid);
  const auto known = pods_.find(pod);
  const PodPointer before = known == pods_.end() ? nullptr : *known;
  if (IsLate(pod->resource_version,
             before ? &before->resource_version : nullptr, newest_pod_)) {
    return;
  }
  newest_pod_ = std::max(newest_pod_, Number(pod->resource_version));
  if (before) {
    auto place = pods_.extract(known);
    place.value() = pod;
    pods_.insert(std::move(place));
  } else {
    pods_.insert(pod);
  }
  Note(before, pod, changes);
}

void ClusterCache::Drop(std::string_view uid, CacheChanges& changes) {
  const auto known = pods_.find(uid);
  if (known == pods_.end()) return;
  const PodPointer before = *known;
  pods_.erase(known);
  listed_pods_.erase(before->uid);
  Note(before, nullptr, changes);
}

void ClusterCache::Note(const PodPointer& before, const PodPointer& after,
                        CacheChanges& changes) {
  if (before && after && ChargesAlike(*before, *after)) {
    OnNode& pods = on_node_[after->node_name];
    *FindUid(pods, after->uid) = after;
  } else {
    if (before) Discharge(before);
    if (after) Charge(after);
  }
  changes.pods.push_back({before, after});
}

void ClusterCache::Charge(const PodPointer& pod) {
  if (!Occupies(*pod)) return;
  OnNode& pods = on_node_[pod->node_name];
  pods.insert(FindUid(pods, pod->uid), pod);
  changed_nodes_.insert(pod->node_name);
}

void ClusterCache::Discharge(const PodPointer& pod) {
  if (!Occupies(*pod)) return;
  const auto at = on_node_.find(pod->node_name);
  at->second.erase(FindUid(at->second, pod->uid));
  if (at->second.empty()) on_node_.erase(at);
  changed_nodes_.insert(pod->node_name);
}

void ClusterCache::Put(const NodePointer& node, CacheChanges& changes) {
  if (listing_) listed_nodes_.insert(node->name);
  const auto at = nodes_.find(node->name);
  if (IsLate(node->resource_version,
             at == nodes_.end() ? nullptr : &at->second->resource_version,
             newest_node_)) {
    return;
  }
  newest_node_ = std::max(newest_node_, Number(node->resource_version));
  NodePointer& known = nodes_[node->name];
  const bool changed = known == nullptr || !SameForScheduling(*known, *node);
  known = node;
  if (!changed) return;
  changes.nodes.push_back(node->name);
  changed_nodes_.insert(node->name);
}

void ClusterCache::DropNode(const std::string& name, CacheChanges& changes) {
  if (nodes_.erase(name) == 0) return;
  listed_nodes_.erase(name);
  changes.nodes.push_back(name);
  changed_nodes_.insert(name);
}

bool ClusterCache::Synced() const {
  const std::lock_guard lock(mutex_);
  return synced_;
}

PodPointer ClusterCache::PodByUid(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  const auto known = pods_.find(std::string_view(uid));
  return known == pods_.end() ? nullptr : *known;
}

NodePointer ClusterCache::NodeByName(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto known = nodes_.find(name);
  return known == nodes_.end() ? nullptr : known->second;
}

std::vector<PodPointer> ClusterCache::Pods() const {
  const std::lock_guard lock(mutex_);
  return {pods_.begin(), pods_.end()};
}

std::vector<NodePointer> ClusterCache::Nodes() const {
  const std::lock_guard lock(mutex_);
  std::vector<NodePointer> nodes;
  nodes.reserve(nodes_.size());
  for (const auto& [name, node] : nodes_) nodes.push_back(node);
  return nodes;
}

std::vector<PodPointer> ClusterCache::PodsOnNode(
    const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto at = on_node_.find(node);
  return at == on_node_.end() ? OnNode{} : at->second;
}

std::vector<std::string> ClusterCache::TakeChangedNodes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> changed = Sorted(changed_nodes_);
  changed_nodes_.clear();
  return changed;
}

}  // namespace fluxnetes::cluster
