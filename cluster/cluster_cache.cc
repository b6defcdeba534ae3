#include "cluster/cluster_cache.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::cluster {
namespace {

// A list of all kinds is one of these. An optional kind says itself that it is
// listed: it may be passed over, and what was known of it stays.
constexpr WatchedKind kRequiredKinds[] = {WatchedKind::kNodes,
                                          WatchedKind::kPods};

bool Occupies(const Pod& pod) {
  return !pod.node_name.empty() &&
         (pod.phase == PodPhase::kPending || pod.phase == PodPhase::kRunning);
}

bool PodHasEnded(const Pod& pod) {
  return pod.phase == PodPhase::kSucceeded || pod.phase == PodPhase::kFailed;
}

std::string KeyOfClaim(const Pod& pod, const std::string& claim) {
  return pod.namespace_name + "/" + claim;
}

bool ChargesAlike(const Pod& a, const Pod& b) {
  return Occupies(a) && Occupies(b) && a.node_name == b.node_name &&
         a.request == b.request && a.labels == b.labels;
}

// The UID of its Job, if it has one and no node.
const std::string* WaitsOfJob(const Pod& pod) {
  const bool waits =
      pod.node_name.empty() && pod.controller && pod.controller->kind == "Job";
  return waits ? &pod.controller->uid : nullptr;
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

// Whether they differ in their version at most.
template <typename Object>
bool Alike(const Object& a, Object b) {
  b.resource_version = a.resource_version;
  return a == b;
}

std::string KeyOf(const PodGroupName& group) {
  return group.namespace_name + "/" + group.name;
}

// Takes the object and says whether it is another one than before.
template <typename Object>
bool PutAnother(CachedKind<Object>& kind, const std::string& key,
                const std::shared_ptr<const Object>& object) {
  std::shared_ptr<const Object> before;
  return kind.Put(key, object, before) &&
         (before == nullptr || !Alike(*before, *object));
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
  switch (event.kind) {
    case WatchEvent::Kind::kListBegin:
      BeginList(event.listed);
      return;
    case WatchEvent::Kind::kListEnd:
      EndList(event.listed, changes);
      return;
    case WatchEvent::Kind::kChanged:
    case WatchEvent::Kind::kDeleted:
      break;
  }
  const auto apply = [&]<typename Object>(const Object& object) {
    if constexpr (!std::is_same_v<Object, std::monostate>) {
      if (event.kind == WatchEvent::Kind::kChanged) {
        Put(object, changes);
      } else {
        Drop(object, changes);
      }
    }
  };
  std::visit(apply, event.object);
}

void ClusterCache::BeginList(const std::optional<WatchedKind>& only) {
  if (!only) {
    listing_ = true;
    for (const WatchedKind kind : kRequiredKinds) BeginList(kind);
    return;
  }
  switch (*only) {
    case WatchedKind::kPods:
      pod_versions_.BeginList();
      listed_pods_.clear();
      return;
    case WatchedKind::kNodes:
      return nodes_.BeginList();
    case WatchedKind::kNamespaces:
      return namespaces_.BeginList();
    case WatchedKind::kStorageClasses:
      return storage_classes_.BeginList();
    case WatchedKind::kVolumes:
      return volumes_.BeginList();
    case WatchedKind::kVolumeClaims:
      return claims_.BeginList();
    case WatchedKind::kCoschedulingGroups:
      return coscheduling_groups_.BeginList();
    case WatchedKind::kNativeGroups:
      return native_groups_.BeginList();
    case WatchedKind::kJobs:
      return jobs_.BeginList();
  }
}

void ClusterCache::EndList(const std::optional<WatchedKind>& only,
                           CacheChanges& changes) {
  if (only) {
    NoteVanished(*only, changes);
    if (*only == WatchedKind::kPods && synced_ && !listing_)
      changes.listed = true;
    return;
  }
  if (!std::exchange(listing_, false)) return;
  for (const WatchedKind kind : kRequiredKinds) NoteVanished(kind, changes);
  synced_ = true;
  changes.listed = true;
}

void ClusterCache::NoteVanished(WatchedKind kind, CacheChanges& changes) {
  const auto add_groups = [&](PodGroupApi api) {
    for (const std::string& key : GroupsOf(api).EndList()) {
      const auto slash = key.find('/');
      NoteGroup({api, key.substr(0, slash), key.substr(slash + 1)}, changes);
    }
  };
  switch (kind) {
    case WatchedKind::kPods:
      return EndListOfPods(changes);
    case WatchedKind::kNodes:
      for (const std::string& name : nodes_.EndList()) NoteNode(name, changes);
      return;
    case WatchedKind::kNamespaces:
      for (const std::string& name : namespaces_.EndList())
        NoteNamespace(name, changes);
      return;
    case WatchedKind::kStorageClasses:
      for (const std::string& name : storage_classes_.EndList())
        NoteClass(name, changes);
      return;
    case WatchedKind::kVolumes:
      for (const std::string& name : volumes_.EndList())
        NoteVolume(name, nullptr, changes);
      return;
    case WatchedKind::kVolumeClaims:
      for (const std::string& key : claims_.EndList()) NoteClaim(key, changes);
      return;
    case WatchedKind::kCoschedulingGroups:
      return add_groups(PodGroupApi::kCoscheduling);
    case WatchedKind::kNativeGroups:
      return add_groups(PodGroupApi::kNative);
    case WatchedKind::kJobs:
      for (const std::string& uid : jobs_.EndList()) NoteJob(uid, changes);
      return;
  }
}

void ClusterCache::EndListOfPods(CacheChanges& changes) {
  if (!pod_versions_.listing()) return;
  pod_versions_.EndList();
  std::vector<std::string> vanished;
  for (const PodPointer& pod : pods_) {
    if (!listed_pods_.contains(pod->uid)) vanished.push_back(pod->uid);
  }
  std::ranges::sort(vanished);
  for (const std::string& uid : vanished) Forget(uid, changes);
  listed_pods_ = {};
}

void ClusterCache::Put(const PodPointer& pod, CacheChanges& changes) {
  if (pod_versions_.listing()) listed_pods_.insert(pod->uid);
  const auto known = pods_.find(pod);
  const PodPointer before = known == pods_.end() ? nullptr : *known;
  if (pod_versions_.IsLate(pod->resource_version,
                           before ? &before->resource_version : nullptr)) {
    return;
  }
  pod_versions_.See(pod->resource_version);
  if (before) {
    auto place = pods_.extract(known);
    place.value() = pod;
    pods_.insert(std::move(place));
  } else {
    pods_.insert(pod);
  }
  Note(before, pod, changes);
}

void ClusterCache::Drop(const PodPointer& pod, CacheChanges& changes) {
  pod_versions_.See(pod->resource_version);
  Forget(pod->uid, changes);
}

void ClusterCache::Forget(std::string_view uid, CacheChanges& changes) {
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
    InOrder& pods = on_node_[after->node_name];
    *FindUid(pods, after->uid) = after;
  } else {
    if (before) Discharge(before);
    if (after) Charge(after);
  }
  if (before) Leave(before);
  if (after) Join(after);
  if (!before || !after || before->node_name != after->node_name ||
      PodHasEnded(*before) != PodHasEnded(*after)) {
    NoteClaimsOf(after ? *after : *before);
  }
  changes.pods.push_back({before, after});
}

void ClusterCache::Charge(const PodPointer& pod) {
  if (!Occupies(*pod)) return;
  InOrder& pods = on_node_[pod->node_name];
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

void ClusterCache::Join(const PodPointer& pod) {
  const auto add = [&pod](InOrder& pods) {
    pods.insert(FindUid(pods, pod->uid), pod);
  };
  for (const PodGroupName& name : NamedPodGroups(*pod)) add(in_group_[name]);
  if (const std::string* job = WaitsOfJob(*pod)) add(of_job_[*job]);
  if (PodHasEnded(*pod)) return;
  for (const std::string& claim : pod->volume_claims)
    add(of_claim_[KeyOfClaim(*pod, claim)]);
}

void ClusterCache::Leave(const PodPointer& pod) {
  const auto remove = [&pod](auto& index, const auto& key) {
    const auto at = index.find(key);
    at->second.erase(FindUid(at->second, pod->uid));
    if (at->second.empty()) index.erase(at);
  };
  for (const PodGroupName& name : NamedPodGroups(*pod)) remove(in_group_, name);
  if (const std::string* job = WaitsOfJob(*pod)) remove(of_job_, *job);
  if (PodHasEnded(*pod)) return;
  for (const std::string& claim : pod->volume_claims)
    remove(of_claim_, KeyOfClaim(*pod, claim));
}

// Of those that others want too, and only one can have.
void ClusterCache::NoteClaimsOf(const Pod& pod) {
  for (const std::string& claim : pod.volume_claims) {
    std::string key = KeyOfClaim(pod, claim);
    const VolumeClaimPointer known = claims_.Find(key);
    if (known == nullptr || !IsForOnePod(*known)) continue;
    const auto users = of_claim_.find(key);
    if (users == of_claim_.end()) continue;
    if (users->second.size() > 1 || users->second.front()->uid != pod.uid)
      changed_claims_.insert(std::move(key));
  }
}

void ClusterCache::Put(const NodePointer& node, CacheChanges& changes) {
  NodePointer before;
  if (!nodes_.Put(node->name, node, before)) return;
  if (before != nullptr && SameForScheduling(*before, *node)) return;
  NoteNode(node->name, changes);
}

void ClusterCache::Drop(const NodePointer& node, CacheChanges& changes) {
  if (nodes_.Drop(node->name, node->resource_version))
    NoteNode(node->name, changes);
}

void ClusterCache::NoteNode(const std::string& name, CacheChanges& changes) {
  changes.nodes.push_back(name);
  changed_nodes_.insert(name);
}

CachedKind<PodGroup>& ClusterCache::GroupsOf(PodGroupApi api) {
  return api == PodGroupApi::kNative ? native_groups_ : coscheduling_groups_;
}

const CachedKind<PodGroup>& ClusterCache::GroupsOf(PodGroupApi api) const {
  return api == PodGroupApi::kNative ? native_groups_ : coscheduling_groups_;
}

void ClusterCache::Put(const PodGroupPointer& group, CacheChanges& changes) {
  if (PutAnother(GroupsOf(group->name.api), KeyOf(group->name), group))
    NoteGroup(group->name, changes);
}

void ClusterCache::Drop(const PodGroupPointer& group, CacheChanges& changes) {
  if (GroupsOf(group->name.api)
          .Drop(KeyOf(group->name), group->resource_version))
    NoteGroup(group->name, changes);
}

void ClusterCache::NoteGroup(const PodGroupName& name, CacheChanges& changes) {
  changes.pod_groups.push_back(name);
  const auto at = in_group_.find(name);
  if (at == in_group_.end()) return;
  for (const PodPointer& pod : at->second) {
    if (pod->node_name.empty()) changes.regrouped_pods.push_back(pod->uid);
  }
}

void ClusterCache::Put(const VolumeClaimPointer& claim, CacheChanges& changes) {
  if (PutAnother(claims_, Key(*claim), claim)) NoteClaim(Key(*claim), changes);
}

void ClusterCache::Drop(const VolumeClaimPointer& claim,
                        CacheChanges& changes) {
  if (claims_.Drop(Key(*claim), claim->resource_version))
    NoteClaim(Key(*claim), changes);
}

void ClusterCache::NoteClaim(const std::string& key, CacheChanges& changes) {
  changes.volume_claims.push_back(key);
  changed_claims_.insert(key);
}

void ClusterCache::Put(const VolumePointer& volume, CacheChanges& changes) {
  if (PutAnother(volumes_, volume->name, volume))
    NoteVolume(volume->name, volume, changes);
}

void ClusterCache::Drop(const VolumePointer& volume, CacheChanges& changes) {
  if (volumes_.Drop(volume->name, volume->resource_version))
    NoteVolume(volume->name, volume, changes);
}

void ClusterCache::NoteVolume(const std::string& name,
                              const VolumePointer& volume,
                              CacheChanges& changes) {
  changes.volumes.push_back(name);
  if (volume != nullptr) {
    if (volume->claim_name.empty()) return;
    changed_claims_.insert(volume->claim_namespace + "/" + volume->claim_name);
    return;
  }
  for (const VolumeClaimPointer& claim : claims_.All()) {
    if (claim->volume_name == name) changed_claims_.insert(Key(*claim));
  }
}

// Seldom: looks at all claims.
void ClusterCache::NoteClass(const std::string& name, CacheChanges& changes) {
  changes.storage_classes.push_back(name);
  for (const VolumeClaimPointer& claim : claims_.All()) {
    if (claim->storage_class == name) changed_claims_.insert(Key(*claim));
  }
}

void ClusterCache::Put(const StorageClassPointer& storage_class,
                       CacheChanges& changes) {
  if (PutAnother(storage_classes_, storage_class->name, storage_class))
    NoteClass(storage_class->name, changes);
}

void ClusterCache::Drop(const StorageClassPointer& storage_class,
                        CacheChanges& changes) {
  if (storage_classes_.Drop(storage_class->name,
                            storage_class->resource_version))
    NoteClass(storage_class->name, changes);
}

void ClusterCache::Put(const NamespacePointer& space, CacheChanges& changes) {
  if (PutAnother(namespaces_, space->name, space))
    NoteNamespace(space->name, changes);
}

void ClusterCache::Drop(const NamespacePointer& space, CacheChanges& changes) {
  if (namespaces_.Drop(space->name, space->resource_version))
    NoteNamespace(space->name, changes);
}

void ClusterCache::NoteNamespace(const std::string& name,
                                 CacheChanges& changes) {
  changes.namespaces.push_back(name);
  ++namespaces_version_;
}

void ClusterCache::Put(const JobMarksPointer& job, CacheChanges& changes) {
  if (job->marks.empty()) return Drop(job, changes);
  if (PutAnother(jobs_, job->uid, job)) NoteJob(job->uid, changes);
}

void ClusterCache::Drop(const JobMarksPointer& job, CacheChanges& changes) {
  if (jobs_.Drop(job->uid, job->resource_version)) NoteJob(job->uid, changes);
}

void ClusterCache::NoteJob(const std::string& uid, CacheChanges& changes) {
  const auto at = of_job_.find(uid);
  if (at == of_job_.end()) return;
  for (const PodPointer& pod : at->second) {
    changes.regrouped_pods.push_back(pod->uid);
  }
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
  return nodes_.Find(name);
}

PodGroupPointer ClusterCache::PodGroupByName(const PodGroupName& name) const {
  const std::lock_guard lock(mutex_);
  return GroupsOf(name.api).Find(KeyOf(name));
}

VolumeClaimPointer ClusterCache::VolumeClaimByName(
    const std::string& namespace_name, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return claims_.Find(namespace_name + "/" + name);
}

VolumePointer ClusterCache::VolumeByName(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return volumes_.Find(name);
}

StorageClassPointer ClusterCache::StorageClassByName(
    const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return storage_classes_.Find(name);
}

NamespacePointer ClusterCache::NamespaceByName(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return namespaces_.Find(name);
}

JobMarksPointer ClusterCache::MarksOfJob(const std::string& uid) const {
  const std::lock_guard lock(mutex_);
  return jobs_.Find(uid);
}

std::vector<VolumePointer> ClusterCache::Volumes() const {
  const std::lock_guard lock(mutex_);
  return volumes_.All();
}

std::vector<NamespacePointer> ClusterCache::Namespaces() const {
  const std::lock_guard lock(mutex_);
  return namespaces_.All();
}

std::uint64_t ClusterCache::NamespacesVersion() const {
  const std::lock_guard lock(mutex_);
  return namespaces_version_;
}

std::vector<PodPointer> ClusterCache::PodsOfGroup(
    const PodGroupName& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = in_group_.find(name);
  return at == in_group_.end() ? InOrder{} : at->second;
}

std::vector<PodPointer> ClusterCache::Pods() const {
  const std::lock_guard lock(mutex_);
  return {pods_.begin(), pods_.end()};
}

std::vector<NodePointer> ClusterCache::Nodes() const {
  const std::lock_guard lock(mutex_);
  return nodes_.All();
}

std::vector<PodPointer> ClusterCache::PodsOnNode(
    const std::string& node) const {
  const std::lock_guard lock(mutex_);
  const auto at = on_node_.find(node);
  return at == on_node_.end() ? InOrder{} : at->second;
}

std::vector<std::string> ClusterCache::TakeChangedNodes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> changed = Sorted(changed_nodes_);
  changed_nodes_.clear();
  return changed;
}

std::vector<PodPointer> ClusterCache::PodsOfClaim(
    const std::string& claim) const {
  const std::lock_guard lock(mutex_);
  const auto at = of_claim_.find(claim);
  return at == of_claim_.end() ? InOrder{} : at->second;
}

std::vector<std::string> ClusterCache::TakeChangedClaims() {
  const std::lock_guard lock(mutex_);
  auto changed = Sorted(changed_claims_);
  changed_claims_.clear();
  return changed;
}

}  // namespace fluxnetes::cluster
