// How the cache keeps the objects that pods refer to: groups, Jobs, claims,
// volumes and storage classes, and namespaces.
#include <algorithm>
#include <utility>

#include "cluster/cluster_cache.h"

namespace fluxnetes::cluster {
namespace {

// Whether the objects are equal apart from their versions.
template <typename Object>
bool Alike(const Object& a, Object b) {
  b.resource_version = a.resource_version;
  return a == b;
}

// A change of the status, which we write ourselves, does not count.
bool Alike(const PodGroup& a, PodGroup b) {
  b.resource_version = a.resource_version;
  b.status = a.status;
  return a == b;
}

// Stores the object; returns whether it differs from the former one.
template <typename Object>
bool PutAnother(CachedKind<Object>& kind, const std::string& key,
                const std::shared_ptr<const Object>& object) {
  std::shared_ptr<const Object> before;
  return kind.Put(key, object, before) &&
         (before == nullptr || !Alike(*before, *object));
}

}  // namespace

CachedKind<PodGroup>& ClusterCache::GroupsOf(PodGroupApi api) {
  return api == PodGroupApi::kNative ? native_groups_ : coscheduling_groups_;
}

const CachedKind<PodGroup>& ClusterCache::GroupsOf(PodGroupApi api) const {
  return api == PodGroupApi::kNative ? native_groups_ : coscheduling_groups_;
}

void ClusterCache::Put(const PodGroupPointer& group, CacheChanges& changes) {
  if (PutAnother(GroupsOf(group->name.api), Key(group->name), group))
    NoteGroup(group->name, changes);
}

void ClusterCache::Drop(const PodGroupPointer& group, CacheChanges& changes) {
  if (GroupsOf(group->name.api).Drop(Key(group->name), group->resource_version))
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

void ClusterCache::Put(const JobAnnotationsPointer& job,
                       CacheChanges& changes) {
  if (job->annotations.empty()) return Drop(job, changes);
  if (PutAnother(jobs_, job->uid, job)) NoteJob(job->uid, changes);
}

void ClusterCache::Drop(const JobAnnotationsPointer& job,
                        CacheChanges& changes) {
  if (jobs_.Drop(job->uid, job->resource_version)) NoteJob(job->uid, changes);
}

void ClusterCache::NoteJob(const std::string& uid, CacheChanges& changes) {
  const auto at = of_job_.find(uid);
  if (at == of_job_.end()) return;
  for (const PodPointer& pod : at->second) {
    changes.regrouped_pods.push_back(pod->uid);
  }
}

void ClusterCache::Put(const VolumeClaimPointer& claim, CacheChanges&) {
  if (PutAnother(claims_, Key(*claim), claim))
    changed_claims_.insert(Key(*claim));
}

void ClusterCache::Drop(const VolumeClaimPointer& claim, CacheChanges&) {
  if (claims_.Drop(Key(*claim), claim->resource_version))
    changed_claims_.insert(Key(*claim));
}

// Notes the pod's claims that only one pod can use and other pods wait for.
void ClusterCache::NoteClaimsOf(const Pod& pod) {
  for (const std::string& claim : pod.volume_claims) {
    std::string key = ClaimKey(pod, claim);
    const VolumeClaimPointer known = claims_.Find(key);
    if (known == nullptr || !IsForOnePod(*known)) continue;
    const auto users = of_claim_.find(key);
    if (users == of_claim_.end()) continue;
    if (users->second.size() > 1 || users->second.front()->uid != pod.uid)
      changed_claims_.insert(std::move(key));
  }
}

void ClusterCache::Put(const VolumePointer& volume, CacheChanges&) {
  if (PutAnother(volumes_, volume->name, volume)) NoteClaimOf(*volume);
}

void ClusterCache::Drop(const VolumePointer& volume, CacheChanges&) {
  if (volumes_.Drop(volume->name, volume->resource_version))
    NoteClaimOf(*volume);
}

void ClusterCache::NoteClaimOf(const Volume& volume) {
  if (volume.claim_name.empty()) return;
  changed_claims_.insert(volume.claim_namespace + "/" + volume.claim_name);
}

// Volumes of which only the sorted names are known. Rare, so it scans all
// claims, as does the next function.
void ClusterCache::NoteClaimsOfVolumes(const std::vector<std::string>& names) {
  if (names.empty()) return;
  for (const VolumeClaimPointer& claim : claims_.All()) {
    if (std::ranges::binary_search(names, claim->volume_name))
      changed_claims_.insert(Key(*claim));
  }
}

void ClusterCache::NoteClaimsOfClasses(const std::vector<std::string>& names) {
  if (names.empty()) return;
  for (const VolumeClaimPointer& claim : claims_.All()) {
    if (claim->storage_class &&
        std::ranges::binary_search(names, *claim->storage_class))
      changed_claims_.insert(Key(*claim));
  }
}

void ClusterCache::Put(const StorageClassPointer& storage_class,
                       CacheChanges&) {
  if (PutAnother(storage_classes_, storage_class->name, storage_class))
    NoteClaimsOfClasses({storage_class->name});
}

void ClusterCache::Drop(const StorageClassPointer& storage_class,
                        CacheChanges&) {
  if (storage_classes_.Drop(storage_class->name,
                            storage_class->resource_version))
    NoteClaimsOfClasses({storage_class->name});
}

void ClusterCache::Put(const NamespacePointer& space, CacheChanges&) {
  if (PutAnother(namespaces_, space->name, space)) ++namespaces_version_;
}

void ClusterCache::Drop(const NamespacePointer& space, CacheChanges&) {
  if (namespaces_.Drop(space->name, space->resource_version))
    ++namespaces_version_;
}

}  // namespace fluxnetes::cluster
