// The objects of the cluster as last seen, kept in memory by applying the
// events of a watch. A list after a gap is turned into the deletions that were
// missed. Repeated and late events change nothing (cached_kind.h).
//
// Thread-safe: one thread applies events, others read. Objects are shared, not
// copied.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/cached_kind.h"
#include "cluster/cluster.h"
#include "cluster/structures/structure_sources.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {

using PodPointer = std::shared_ptr<const Pod>;
using NodePointer = std::shared_ptr<const Node>;
using PodGroupPointer = std::shared_ptr<const PodGroup>;
using VolumeClaimPointer = std::shared_ptr<const VolumeClaim>;
using VolumePointer = std::shared_ptr<const Volume>;
using StorageClassPointer = std::shared_ptr<const StorageClass>;
using NamespacePointer = std::shared_ptr<const Namespace>;
using JobAnnotationsPointer = std::shared_ptr<const JobAnnotations>;
using NodeTopologyPointer = std::shared_ptr<const NodeTopology>;
using DeviceClassPointer = std::shared_ptr<const DeviceClass>;
using ResourceSlicePointer = std::shared_ptr<const ResourceSlice>;
using ClaimTemplatePointer = std::shared_ptr<const ResourceClaimTemplate>;
using ResourceClaimPointer = std::shared_ptr<const ResourceClaim>;

// The effect of one batch of events, in order.
struct CacheChanges {
  struct PodChange {
    PodPointer before;  // null: new
    PodPointer after;   // null: gone
  };
  std::vector<PodChange> pods;
  // Names of nodes and groups that were added, changed (in more than their
  // version) or removed.
  std::vector<std::string> nodes;
  std::vector<PodGroupName> pod_groups;
  // UIDs of pods without a node whose PodGroup (one of pod_groups) or whose
  // Job's annotations changed, or for which a claim of devices that they name
  // came or went.
  std::vector<std::string> regrouped_pods;
  // What is wrong with what nodes say of their inside, and drivers of their
  // devices, each once; for the log.
  std::vector<std::string> warnings;
  // A list of all kinds, of all pods or of all nodes has ended, so the cache of
  // those kinds is complete.
  bool listed = false;
};

// Names of classes and slices that were added, changed or removed, and claims
// ("namespace/name") whose allocation changed, each in order.
struct ChangedDevices {
  std::vector<std::string> classes;
  std::vector<std::string> slices;
  std::vector<std::string> claims;
  bool Any() const {
    return !classes.empty() || !slices.empty() || !claims.empty();
  }
};

class ClusterCache {
 public:
  // A node has the structure that counts for it (structure_sources.h).
  explicit ClusterCache(std::vector<LabelledStructure> structures = {})
      : sources_(std::move(structures)) {}

  CacheChanges Apply(std::span<const WatchEvent> events) EXCLUDES(mutex_);

  // True once a list of all kinds has ended.
  bool Synced() const EXCLUDES(mutex_);

  PodPointer PodByUid(const std::string& uid) const EXCLUDES(mutex_);
  NodePointer NodeByName(const std::string& name) const EXCLUDES(mutex_);
  std::vector<PodPointer> Pods() const EXCLUDES(mutex_);
  std::vector<NodePointer> Nodes() const EXCLUDES(mutex_);
  PodGroupPointer PodGroupByName(const PodGroupName& name) const
      EXCLUDES(mutex_);
  VolumeClaimPointer VolumeClaimByName(const std::string& namespace_name,
                                       const std::string& name) const
      EXCLUDES(mutex_);
  VolumePointer VolumeByName(const std::string& name) const EXCLUDES(mutex_);
  StorageClassPointer StorageClassByName(const std::string& name) const
      EXCLUDES(mutex_);
  NamespacePointer NamespaceByName(const std::string& name) const
      EXCLUDES(mutex_);
  // The annotations of the Kubernetes Job of this UID; null if it has none.
  JobAnnotationsPointer AnnotationsOfJob(const std::string& uid) const
      EXCLUDES(mutex_);
  std::vector<NamespacePointer> Namespaces() const EXCLUDES(mutex_);
  // Increases each time a namespace or its labels change.
  std::uint64_t NamespacesVersion() const EXCLUDES(mutex_);
  ResourceClaimPointer ResourceClaimByName(const std::string& namespace_name,
                                           const std::string& name) const
      EXCLUDES(mutex_);
  DeviceClassPointer DeviceClassByName(const std::string& name) const
      EXCLUDES(mutex_);
  ResourceSlicePointer ResourceSliceByName(const std::string& name) const
      EXCLUDES(mutex_);
  std::vector<DeviceClassPointer> DeviceClasses() const EXCLUDES(mutex_);
  std::vector<ResourceSlicePointer> ResourceSlices() const EXCLUDES(mutex_);
  // Looks at all claims.
  std::vector<ResourceClaimPointer> AllocatedClaims() const EXCLUDES(mutex_);
  // Those of them that pods without a node name, in order of "namespace/name".
  std::vector<ResourceClaimPointer> AllocatedClaimsOfWaitingPods() const
      EXCLUDES(mutex_);
  // The claim ("namespace/name") that has the device for itself; empty: none.
  std::string HolderOf(const matcher::DeviceId& device) const EXCLUDES(mutex_);
  // Returns the pods that name the group, whether it exists or not, in order of
  // UID.
  std::vector<PodPointer> PodsOfGroup(const PodGroupName& name) const
      EXCLUDES(mutex_);
  // Returns the pods on this node that have not ended, in order of UID.
  std::vector<PodPointer> PodsOnNode(const std::string& node) const
      EXCLUDES(mutex_);

  // Returns the pods that use the claim ("namespace/name") and have not ended,
  // in order of UID.
  std::vector<PodPointer> PodsOfClaim(const std::string& claim) const
      EXCLUDES(mutex_);

  // Returns the claims ("namespace/name") affected by changes since the last
  // call, in order: changes of the claim, of its volume or its storage class
  // and, for a claim that only one pod can use, of its other users. For one
  // reader, as below.
  std::vector<std::string> TakeChangedClaims() EXCLUDES(mutex_);

  // Returns what changed since the last call. For one reader, as below.
  ChangedDevices TakeChangedDevices() EXCLUDES(mutex_);

  // Returns the names of nodes that were added, changed or removed, or whose
  // usage changed, since the last call, in order. For one reader, the owner of
  // the graph. A node's heartbeat is no change, nor is the start of a pod, but
  // where the node says what its kubelet has given away.
  std::vector<std::string> TakeChangedNodes() EXCLUDES(mutex_);

 private:
  struct UidOf {
    using is_transparent = void;
    std::size_t operator()(std::string_view uid) const;
    std::size_t operator()(const PodPointer& pod) const;
    bool operator()(const PodPointer& a, const PodPointer& b) const;
    bool operator()(std::string_view a, const PodPointer& b) const;
  };
  using PodSet = std::unordered_set<PodPointer, UidOf, UidOf>;
  using InOrder = std::vector<PodPointer>;  // by UID

  void Apply(const WatchEvent& event, CacheChanges& changes) REQUIRES(mutex_);
  void BeginList(const std::optional<WatchedKind>& only) REQUIRES(mutex_);
  void EndList(const std::optional<WatchedKind>& only, CacheChanges& changes)
      REQUIRES(mutex_);
  void EndListOfPods(CacheChanges& changes) REQUIRES(mutex_);
  void NoteVanished(WatchedKind kind, CacheChanges& changes) REQUIRES(mutex_);
  CachedKind<PodGroup>& GroupsOf(PodGroupApi api) REQUIRES(mutex_);
  const CachedKind<PodGroup>& GroupsOf(PodGroupApi api) const REQUIRES(mutex_);

  void Put(const PodPointer& pod, CacheChanges& changes) REQUIRES(mutex_);
  void Put(const NodePointer& node, CacheChanges& changes) REQUIRES(mutex_);
  void Put(const PodGroupPointer& group, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const VolumeClaimPointer& claim, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const VolumePointer& volume, CacheChanges& changes) REQUIRES(mutex_);
  void Put(const StorageClassPointer& storage_class, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const NamespacePointer& space, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const JobAnnotationsPointer& job, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const NodeTopologyPointer& topology, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const DeviceClassPointer& device_class, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const ResourceSlicePointer& slice, CacheChanges& changes)
      REQUIRES(mutex_);
  void Put(const ResourceClaimPointer& claim, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const PodPointer& pod, CacheChanges& changes) REQUIRES(mutex_);
  void Drop(const NodePointer& node, CacheChanges& changes) REQUIRES(mutex_);
  void Drop(const PodGroupPointer& group, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const VolumeClaimPointer& claim, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const VolumePointer& volume, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const StorageClassPointer& storage_class, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const NamespacePointer& space, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const JobAnnotationsPointer& job, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const NodeTopologyPointer& topology, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const DeviceClassPointer& device_class, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const ResourceSlicePointer& slice, CacheChanges& changes)
      REQUIRES(mutex_);
  void Drop(const ResourceClaimPointer& claim, CacheChanges& changes)
      REQUIRES(mutex_);

  void Forget(std::string_view uid, CacheChanges& changes) REQUIRES(mutex_);
  // Combines the node, which may be gone, with its topology.
  void SeeNode(const std::string& name, CacheChanges& changes) REQUIRES(mutex_);
  void NoteNode(const std::string& name, CacheChanges& changes)
      REQUIRES(mutex_);
  void NoteGroup(const PodGroupName& name, CacheChanges& changes)
      REQUIRES(mutex_);
  void NoteClaimsOf(const Pod& pod) REQUIRES(mutex_);
  void NoteClaimOf(const Volume& volume) REQUIRES(mutex_);
  void NoteClaimsOfVolumes(const std::vector<std::string>& names)
      REQUIRES(mutex_);
  void NoteClaimsOfClasses(const std::vector<std::string>& names)
      REQUIRES(mutex_);
  void NoteJob(const std::string& uid, CacheChanges& changes) REQUIRES(mutex_);
  // Claims of devices.
  void NoteClaim(const std::string& key, CacheChanges& changes)
      REQUIRES(mutex_);
  void NoteGone(const std::string& claim, CacheChanges& changes)
      REQUIRES(mutex_);
  // Of a claim whose allocation or whose waiting pods may have changed.
  void NoteAllocatedAhead(const std::string& claim) REQUIRES(mutex_);
  // Of what a claim has had, and has now.
  void NoteHolder(const std::string& claim, const ResourceClaim* before,
                  const ResourceClaim* now) REQUIRES(mutex_);
  void NoteVanishedDevices(WatchedKind kind, CacheChanges& changes)
      REQUIRES(mutex_);
  void Note(const PodPointer& before, const PodPointer& after,
            CacheChanges& changes) REQUIRES(mutex_);
  // What a kubelet has given away, it has given to those that it has admitted.
  void NoteAdmission(const Pod& pod) REQUIRES(mutex_);
  void Charge(const PodPointer& pod) REQUIRES(mutex_);
  void Discharge(const PodPointer& pod) REQUIRES(mutex_);
  void Join(const PodPointer& pod) REQUIRES(mutex_);
  void Leave(const PodPointer& pod) REQUIRES(mutex_);

  mutable sql::Mutex mutex_;
  PodSet pods_ GUARDED_BY(mutex_);
  KindVersions pod_versions_ GUARDED_BY(mutex_);
  // UIDs in the current list.
  std::unordered_set<std::string> listed_pods_ GUARDED_BY(mutex_);
  CachedKind<Node> nodes_ GUARDED_BY(mutex_);               // as they came
  CachedKind<NodeTopology> topologies_ GUARDED_BY(mutex_);  // by node
  StructureSources sources_ GUARDED_BY(mutex_);
  // The nodes with the structures that count for them.
  std::unordered_map<std::string, NodePointer> seen_nodes_ GUARDED_BY(mutex_);
  // These three by "namespace/name".
  CachedKind<PodGroup> coscheduling_groups_ GUARDED_BY(mutex_);
  CachedKind<PodGroup> native_groups_ GUARDED_BY(mutex_);
  CachedKind<VolumeClaim> claims_ GUARDED_BY(mutex_);
  CachedKind<Volume> volumes_ GUARDED_BY(mutex_);
  CachedKind<StorageClass> storage_classes_ GUARDED_BY(mutex_);
  CachedKind<Namespace> namespaces_ GUARDED_BY(mutex_);
  std::uint64_t namespaces_version_ GUARDED_BY(mutex_) = 0;
  CachedKind<JobAnnotations> jobs_ GUARDED_BY(mutex_);  // by UID
  CachedKind<DeviceClass> device_classes_ GUARDED_BY(mutex_);
  CachedKind<ResourceSlice> slices_ GUARDED_BY(mutex_);
  // By "namespace/name".
  CachedKind<ResourceClaim> resource_claims_ GUARDED_BY(mutex_);
  std::map<matcher::DeviceId, std::string> holders_ GUARDED_BY(mutex_);
  std::unordered_map<std::string, InOrder> on_node_ GUARDED_BY(mutex_);
  std::map<PodGroupName, InOrder> in_group_ GUARDED_BY(mutex_);
  // Pods without a node.
  std::unordered_map<std::string, InOrder> of_job_ GUARDED_BY(mutex_);
  // By the claims of devices that they have.
  std::unordered_map<std::string, InOrder> of_resource_claim_
      GUARDED_BY(mutex_);
  // Claims of these that are allocated.
  std::set<std::string> allocated_ahead_ GUARDED_BY(mutex_);
  // Pods that have not ended.
  std::unordered_map<std::string, InOrder> of_claim_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> changed_nodes_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> changed_claims_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> changed_classes_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> changed_slices_ GUARDED_BY(mutex_);
  std::unordered_set<std::string> changed_allocations_ GUARDED_BY(mutex_);
  bool listing_ GUARDED_BY(mutex_) = false;  // a list of all kinds is under way
  bool synced_ GUARDED_BY(mutex_) = false;
};

}  // namespace fluxnetes::cluster
