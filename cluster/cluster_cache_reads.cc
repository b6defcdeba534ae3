// The queries of the cache.
#include <algorithm>
#include <utility>

#include "cluster/cluster_cache.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {
namespace {

std::vector<std::string> Take(std::unordered_set<std::string>& names) {
  const auto taken = std::exchange(names, {});
  std::vector<std::string> sorted(taken.begin(), taken.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

bool ClusterCache::Synced() const {
  const sql::MutexLock lock(mutex_);
  return synced_;
}

PodPointer ClusterCache::PodByUid(const std::string& uid) const {
  const sql::MutexLock lock(mutex_);
  const auto known = pods_.find(std::string_view(uid));
  return known == pods_.end() ? nullptr : *known;
}

NodePointer ClusterCache::NodeByName(const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  const auto seen = seen_nodes_.find(name);
  return seen == seen_nodes_.end() ? nullptr : seen->second;
}

PodGroupPointer ClusterCache::PodGroupByName(const PodGroupName& name) const {
  const sql::MutexLock lock(mutex_);
  return GroupsOf(name.api).Find(Key(name));
}

VolumeClaimPointer ClusterCache::VolumeClaimByName(
    const std::string& namespace_name, const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return claims_.Find(namespace_name + "/" + name);
}

VolumePointer ClusterCache::VolumeByName(const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return volumes_.Find(name);
}

StorageClassPointer ClusterCache::StorageClassByName(
    const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return storage_classes_.Find(name);
}

NamespacePointer ClusterCache::NamespaceByName(const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return namespaces_.Find(name);
}

JobAnnotationsPointer ClusterCache::AnnotationsOfJob(
    const std::string& uid) const {
  const sql::MutexLock lock(mutex_);
  return jobs_.Find(uid);
}

std::vector<NamespacePointer> ClusterCache::Namespaces() const {
  const sql::MutexLock lock(mutex_);
  return namespaces_.All();
}

std::uint64_t ClusterCache::NamespacesVersion() const {
  const sql::MutexLock lock(mutex_);
  return namespaces_version_;
}

std::vector<PodPointer> ClusterCache::PodsOfGroup(
    const PodGroupName& name) const {
  const sql::MutexLock lock(mutex_);
  const auto at = in_group_.find(name);
  return at == in_group_.end() ? InOrder{} : at->second;
}

std::vector<PodPointer> ClusterCache::Pods() const {
  const sql::MutexLock lock(mutex_);
  return {pods_.begin(), pods_.end()};
}

std::vector<NodePointer> ClusterCache::Nodes() const {
  const sql::MutexLock lock(mutex_);
  std::vector<NodePointer> all;
  all.reserve(seen_nodes_.size());
  for (const auto& [name, node] : seen_nodes_) all.push_back(node);
  return all;
}

std::vector<PodPointer> ClusterCache::PodsOnNode(
    const std::string& node) const {
  const sql::MutexLock lock(mutex_);
  const auto at = on_node_.find(node);
  return at == on_node_.end() ? InOrder{} : at->second;
}

std::vector<std::string> ClusterCache::TakeChangedNodes() {
  const sql::MutexLock lock(mutex_);
  return Take(changed_nodes_);
}

std::vector<PodPointer> ClusterCache::PodsOfClaim(
    const std::string& claim) const {
  const sql::MutexLock lock(mutex_);
  const auto at = of_claim_.find(claim);
  return at == of_claim_.end() ? InOrder{} : at->second;
}

std::vector<std::string> ClusterCache::TakeChangedClaims() {
  const sql::MutexLock lock(mutex_);
  return Take(changed_claims_);
}

}  // namespace fluxnetes::cluster
