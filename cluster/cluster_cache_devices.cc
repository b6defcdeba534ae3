// How the cache keeps claims of devices, devices and their classes.
#include <algorithm>
#include <utility>

#include "cluster/cluster_cache.h"

namespace fluxnetes::cluster {
namespace {

// "slice NAME: devices[3].capacity.memory: ..."
void Warn(const ResourceSlice& slice, const ResourceSlice* before,
          std::vector<std::string>& warnings) {
  for (const std::string& fault : slice.faults) {
    if (before == nullptr || std::ranges::count(before->faults, fault) == 0)
      warnings.push_back("slice " + slice.slice.name + ": " + fault);
  }
}

std::vector<std::string> TakeSorted(std::unordered_set<std::string>& names) {
  const auto taken = std::exchange(names, {});
  std::vector<std::string> sorted(taken.begin(), taken.end());
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace

void ClusterCache::Put(const DeviceClassPointer& device_class,
                       CacheChanges& changes) {
  const std::string& name = device_class->device_class.name;
  DeviceClassPointer before;
  if (!device_classes_.Put(name, device_class, before)) return;
  if (before == nullptr || before->device_class != device_class->device_class)
    changed_classes_.insert(name);
  if (!device_class->fault.empty() &&
      (before == nullptr || before->fault != device_class->fault))
    changes.warnings.push_back("class " + name + ": " + device_class->fault);
}

void ClusterCache::Drop(const DeviceClassPointer& device_class, CacheChanges&) {
  const std::string& name = device_class->device_class.name;
  if (device_classes_.Drop(name, device_class->resource_version))
    changed_classes_.insert(name);
}

void ClusterCache::Put(const ResourceSlicePointer& slice,
                       CacheChanges& changes) {
  ResourceSlicePointer before;
  if (!slices_.Put(slice->slice.name, slice, before)) return;
  if (before == nullptr || before->slice != slice->slice)
    changed_slices_.insert(slice->slice.name);
  Warn(*slice, before.get(), changes.warnings);
}

void ClusterCache::Drop(const ResourceSlicePointer& slice, CacheChanges&) {
  if (slices_.Drop(slice->slice.name, slice->resource_version))
    changed_slices_.insert(slice->slice.name);
}

void ClusterCache::Put(const ResourceClaimPointer& claim,
                       CacheChanges& changes) {
  ResourceClaimPointer before;
  if (!resource_claims_.Put(Key(*claim), claim, before)) return;
  NoteHolder(Key(*claim), before.get(), claim.get());
  NoteAllocatedAhead(Key(*claim));
  if (before == nullptr || before->uid != claim->uid)
    NoteClaim(Key(*claim), changes);
  if ((before == nullptr ? std::nullopt : before->allocation) !=
      claim->allocation)
    changed_allocations_.insert(Key(*claim));
}

void ClusterCache::Drop(const ResourceClaimPointer& claim,
                        CacheChanges& changes) {
  const ResourceClaimPointer before = resource_claims_.Find(Key(*claim));
  if (!resource_claims_.Drop(Key(*claim), claim->resource_version)) return;
  NoteHolder(Key(*claim), before.get(), nullptr);
  NoteGone(Key(*claim), changes);
}

void ClusterCache::NoteHolder(const std::string& claim,
                              const ResourceClaim* before,
                              const ResourceClaim* now) {
  if (before != nullptr && before->allocation) {
    for (const matcher::AllocatedDevice& each : before->allocation->devices) {
      const auto held = holders_.find(each.id);
      if (held != holders_.end() && held->second == claim) holders_.erase(held);
    }
  }
  if (now == nullptr || !now->allocation) return;
  for (const matcher::AllocatedDevice& each : now->allocation->devices)
    if (!each.admin_access && each.share.empty()) holders_[each.id] = claim;
}

void ClusterCache::NoteAllocatedAhead(const std::string& claim) {
  const ResourceClaimPointer known = resource_claims_.Find(claim);
  if (known != nullptr && known->allocation &&
      of_resource_claim_.contains(claim)) {
    allocated_ahead_.insert(claim);
  } else {
    allocated_ahead_.erase(claim);
  }
}

void ClusterCache::NoteGone(const std::string& claim, CacheChanges& changes) {
  NoteAllocatedAhead(claim);
  NoteClaim(claim, changes);
  changed_allocations_.insert(claim);
}

void ClusterCache::NoteClaim(const std::string& key, CacheChanges& changes) {
  const auto at = of_resource_claim_.find(key);
  if (at == of_resource_claim_.end()) return;
  for (const PodPointer& pod : at->second)
    changes.regrouped_pods.push_back(pod->uid);
}

void ClusterCache::NoteVanishedDevices(WatchedKind kind,
                                       CacheChanges& changes) {
  switch (kind) {
    case WatchedKind::kDeviceClasses:
      for (std::string& name : device_classes_.EndList())
        changed_classes_.insert(std::move(name));
      return;
    case WatchedKind::kResourceSlices:
      for (std::string& name : slices_.EndList())
        changed_slices_.insert(std::move(name));
      return;
    case WatchedKind::kResourceClaims:
      for (const std::string& key : resource_claims_.EndList()) {
        std::erase_if(holders_,
                      [&](const auto& held) { return held.second == key; });
        NoteGone(key, changes);
      }
      return;
    default:
      return;
  }
}

ResourceClaimPointer ClusterCache::ResourceClaimByName(
    const std::string& namespace_name, const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return resource_claims_.Find(namespace_name + "/" + name);
}

DeviceClassPointer ClusterCache::DeviceClassByName(
    const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return device_classes_.Find(name);
}

ResourceSlicePointer ClusterCache::ResourceSliceByName(
    const std::string& name) const {
  const sql::MutexLock lock(mutex_);
  return slices_.Find(name);
}

std::vector<DeviceClassPointer> ClusterCache::DeviceClasses() const {
  const sql::MutexLock lock(mutex_);
  return device_classes_.All();
}

std::vector<ResourceSlicePointer> ClusterCache::ResourceSlices() const {
  const sql::MutexLock lock(mutex_);
  return slices_.All();
}

std::vector<ResourceClaimPointer> ClusterCache::AllocatedClaims() const {
  const sql::MutexLock lock(mutex_);
  std::vector<ResourceClaimPointer> claims = resource_claims_.All();
  std::erase_if(claims, [](const auto& claim) { return !claim->allocation; });
  return claims;
}

std::vector<ResourceClaimPointer> ClusterCache::AllocatedClaimsOfWaitingPods()
    const {
  const sql::MutexLock lock(mutex_);
  std::vector<ResourceClaimPointer> claims;
  for (const std::string& claim : allocated_ahead_)
    claims.push_back(resource_claims_.Find(claim));
  return claims;
}

std::string ClusterCache::HolderOf(const matcher::DeviceId& device) const {
  const sql::MutexLock lock(mutex_);
  const auto held = holders_.find(device);
  return held == holders_.end() ? "" : held->second;
}

ChangedDevices ClusterCache::TakeChangedDevices() {
  const sql::MutexLock lock(mutex_);
  return {TakeSorted(changed_classes_), TakeSorted(changed_slices_),
          TakeSorted(changed_allocations_)};
}

}  // namespace fluxnetes::cluster
