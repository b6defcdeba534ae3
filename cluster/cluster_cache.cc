#include "cluster/cluster_cache.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fluxnetes::cluster {
namespace {

// The kinds in a list of all kinds. An optional kind has a list of its own: it
// may be passed over, and then its objects stay.
constexpr WatchedKind kRequiredKinds[] = {WatchedKind::kNodes,
                                          WatchedKind::kPods};

bool Occupies(const Pod& pod) {
  return !pod.node_name.empty() &&
         (pod.phase == PodPhase::kPending || pod.phase == PodPhase::kRunning);
}

bool ChargesAlike(const Pod& a, const Pod& b) {
  return Occupies(a) && Occupies(b) && a.node_name == b.node_name &&
         a.request == b.request && a.labels == b.labels;
}

// Returns the UID of the pod's Job; null if it has none, or has a node.
const std::string* WaitsOfJob(const Pod& pod) {
  const bool waits =
      pod.node_name.empty() && pod.controller && pod.controller->kind == "Job";
  return waits ? &pod.controller->uid : nullptr;
}

// Keys ("namespace/name"), each once.
std::set<std::string> ResourceClaimsOf(const Pod& pod) {
  std::set<std::string> keys;
  for (const PodClaim& claim : pod.resource_claims) {
    if (!claim.claim.empty())
      keys.insert(pod.namespace_name + "/" + claim.claim);
  }
  return keys;
}

auto FindUid(auto& pods, const std::string& uid) {
  return std::lower_bound(
      pods.begin(), pods.end(), uid,
      [](const PodPointer& pod, const std::string& u) { return pod->uid < u; });
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
  const sql::MutexLock lock(mutex_);
  CacheChanges changes;
  for (const WatchEvent& event : events) Apply(event, changes);
  for (std::string& warning : sources_.TakeWarnings())
    changes.warnings.push_back(std::move(warning));
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
  const auto apply =
      [&]<typename Object>(const Object& object) REQUIRES(mutex_) {
        if constexpr (!std::is_same_v<Object, std::monostate> &&
                      !std::is_same_v<Object, ClaimTemplatePointer>) {
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
    case WatchedKind::kNodeTopologies:
      return topologies_.BeginList();
    case WatchedKind::kDeviceClasses:
      return device_classes_.BeginList();
    case WatchedKind::kResourceSlices:
      return slices_.BeginList();
    case WatchedKind::kResourceClaims:
      return resource_claims_.BeginList();
    case WatchedKind::kClaimTemplates:
      return;
  }
}

void ClusterCache::EndList(const std::optional<WatchedKind>& only,
                           CacheChanges& changes) {
  if (only) {
    NoteVanished(*only, changes);
    const bool compared =
        *only == WatchedKind::kPods || *only == WatchedKind::kNodes;
    if (compared && synced_ && !listing_) changes.listed = true;
    return;
  }
  if (!std::exchange(listing_, false)) return;
  for (const WatchedKind kind : kRequiredKinds) NoteVanished(kind, changes);
  synced_ = true;
  changes.listed = true;
}

void ClusterCache::NoteVanished(WatchedKind kind, CacheChanges& changes) {
  const auto add_groups = [&](PodGroupApi api) REQUIRES(mutex_) {
    for (const std::string& key : GroupsOf(api).EndList()) {
      const auto slash = key.find('/');
      NoteGroup({api, key.substr(0, slash), key.substr(slash + 1)}, changes);
    }
  };
  switch (kind) {
    case WatchedKind::kPods:
      return EndListOfPods(changes);
    case WatchedKind::kNodes:
      for (const std::string& name : nodes_.EndList()) SeeNode(name, changes);
      return;
    case WatchedKind::kNodeTopologies:
      for (const std::string& name : topologies_.EndList())
        SeeNode(name, changes);
      return;
    case WatchedKind::kNamespaces:
      if (!namespaces_.EndList().empty()) ++namespaces_version_;
      return;
    case WatchedKind::kStorageClasses:
      return NoteClaimsOfClasses(storage_classes_.EndList());
    case WatchedKind::kVolumes:
      return NoteClaimsOfVolumes(volumes_.EndList());
    case WatchedKind::kVolumeClaims:
      for (std::string& key : claims_.EndList())
        changed_claims_.insert(std::move(key));
      return;
    case WatchedKind::kCoschedulingGroups:
      return add_groups(PodGroupApi::kCoscheduling);
    case WatchedKind::kNativeGroups:
      return add_groups(PodGroupApi::kNative);
    case WatchedKind::kJobs:
      for (const std::string& uid : jobs_.EndList()) NoteJob(uid, changes);
      return;
    case WatchedKind::kDeviceClasses:
    case WatchedKind::kResourceSlices:
    case WatchedKind::kResourceClaims:
      return NoteVanishedDevices(kind, changes);
    case WatchedKind::kClaimTemplates:
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
  if (pod_versions_.IsLate(pod->uid, pod->resource_version,
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
  pod_versions_.SeeDeleted(pod->uid, pod->resource_version);
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
    if (IsAdmitted(*before) != IsAdmitted(*after)) NoteAdmission(*after);
  } else {
    if (before) Discharge(before);
    if (after) Charge(after);
  }
  if (before) Leave(before);
  if (after) Join(after);
  if (!before || !after || before->node_name != after->node_name ||
      HasEnded(*before) != HasEnded(*after)) {
    NoteClaimsOf(after ? *after : *before);
  }
  changes.pods.push_back({before, after});
}

void ClusterCache::NoteAdmission(const Pod& pod) {
  const auto node = seen_nodes_.find(pod.node_name);
  if (node != seen_nodes_.end() && !node->second->zones.empty())
    changed_nodes_.insert(pod.node_name);
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
  if (pod->node_name.empty()) {
    for (const std::string& key : ResourceClaimsOf(*pod)) {
      add(of_resource_claim_[key]);
      NoteAllocatedAhead(key);
    }
  }
  if (HasEnded(*pod)) return;
  for (const std::string& claim : pod->volume_claims)
    add(of_claim_[ClaimKey(*pod, claim)]);
}

void ClusterCache::Leave(const PodPointer& pod) {
  const auto remove = [&pod](auto& index, const auto& key) {
    const auto at = index.find(key);
    at->second.erase(FindUid(at->second, pod->uid));
    if (at->second.empty()) index.erase(at);
  };
  for (const PodGroupName& name : NamedPodGroups(*pod)) remove(in_group_, name);
  if (const std::string* job = WaitsOfJob(*pod)) remove(of_job_, *job);
  if (pod->node_name.empty()) {
    for (const std::string& key : ResourceClaimsOf(*pod)) {
      remove(of_resource_claim_, key);
      NoteAllocatedAhead(key);
    }
  }
  if (HasEnded(*pod)) return;
  for (const std::string& claim : pod->volume_claims)
    remove(of_claim_, ClaimKey(*pod, claim));
}

}  // namespace fluxnetes::cluster
