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
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/cached_kind.h"
#include "cluster/cluster.h"

namespace fluxnetes::cluster {

using PodPointer = std::shared_ptr<const Pod>;
using NodePointer = std::shared_ptr<const Node>;
using PodGroupPointer = std::shared_ptr<const PodGroup>;
using VolumeClaimPointer = std::shared_ptr<const VolumeClaim>;
using VolumePointer = std::shared_ptr<const Volume>;
using StorageClassPointer = std::shared_ptr<const StorageClass>;
using NamespacePointer = std::shared_ptr<const Namespace>;
using JobAnnotationsPointer = std::shared_ptr<const JobAnnotations>;

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
  // Job's annotations changed.
  std::vector<std::string> regrouped_pods;
  // A list of all kinds, of all pods or of all nodes has ended, so the cache of
  // those kinds is complete.
  bool listed = false;
};

class ClusterCache {
 public:
  CacheChanges Apply(std::span<const WatchEvent> events);

  // True once a list of all kinds has ended.
  bool Synced() const;

  PodPointer PodByUid(const std::string& uid) const;
  NodePointer NodeByName(const std::string& name) const;
  std::vector<PodPointer> Pods() const;
  std::vector<NodePointer> Nodes() const;
  PodGroupPointer PodGroupByName(const PodGroupName& name) const;
  VolumeClaimPointer VolumeClaimByName(const std::string& namespace_name,
                                       const std::string& name) const;
  VolumePointer VolumeByName(const std::string& name) const;
  StorageClassPointer StorageClassByName(const std::string& name) const;
  NamespacePointer NamespaceByName(const std::string& name) const;
  // The annotations of the Kubernetes Job of this UID; null if it has none.
  JobAnnotationsPointer AnnotationsOfJob(const std::string& uid) const;
  std::vector<NamespacePointer> Namespaces() const;
  // Increases each time a namespace or its labels change.
  std::uint64_t NamespacesVersion() const;
  // Returns the pods that name the group, whether it exists or not, in order of
  // UID.
  std::vector<PodPointer> PodsOfGroup(const PodGroupName& name) const;
  // Returns the pods on this node that have not ended, in order of UID.
  std::vector<PodPointer> PodsOnNode(const std::string& node) const;

  // Returns the pods that use the claim ("namespace/name") and have not ended,
  // in order of UID.
  std::vector<PodPointer> PodsOfClaim(const std::string& claim) const;

  // Returns the claims ("namespace/name") affected by changes since the last
  // call, in order: changes of the claim, of its volume or its storage class
  // and, for a claim that only one pod can use, of its other users. For one
  // reader, as below.
  std::vector<std::string> TakeChangedClaims();

  // Returns the names of nodes that were added, changed or removed, or whose
  // usage changed, since the last call, in order. For one reader, the owner of
  // the graph. Neither a node's heartbeat nor the start of a pod is a change.
  std::vector<std::string> TakeChangedNodes();

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

  void Apply(const WatchEvent& event, CacheChanges& changes);
  void BeginList(const std::optional<WatchedKind>& only);
  void EndList(const std::optional<WatchedKind>& only, CacheChanges& changes);
  void EndListOfPods(CacheChanges& changes);
  void NoteVanished(WatchedKind kind, CacheChanges& changes);
  CachedKind<PodGroup>& GroupsOf(PodGroupApi api);
  const CachedKind<PodGroup>& GroupsOf(PodGroupApi api) const;

  void Put(const PodPointer& pod, CacheChanges& changes);
  void Put(const NodePointer& node, CacheChanges& changes);
  void Put(const PodGroupPointer& group, CacheChanges& changes);
  void Put(const VolumeClaimPointer& claim, CacheChanges& changes);
  void Put(const VolumePointer& volume, CacheChanges& changes);
  void Put(const StorageClassPointer& storage_class, CacheChanges& changes);
  void Put(const NamespacePointer& space, CacheChanges& changes);
  void Put(const JobAnnotationsPointer& job, CacheChanges& changes);
  void Drop(const PodPointer& pod, CacheChanges& changes);
  void Drop(const NodePointer& node, CacheChanges& changes);
  void Drop(const PodGroupPointer& group, CacheChanges& changes);
  void Drop(const VolumeClaimPointer& claim, CacheChanges& changes);
  void Drop(const VolumePointer& volume, CacheChanges& changes);
  void Drop(const StorageClassPointer& storage_class, CacheChanges& changes);
  void Drop(const NamespacePointer& space, CacheChanges& changes);
  void Drop(const JobAnnotationsPointer& job, CacheChanges& changes);

  void Forget(std::string_view uid, CacheChanges& changes);
  void NoteNode(const std::string& name, CacheChanges& changes);
  void NoteGroup(const PodGroupName& name, CacheChanges& changes);
  void NoteClaimsOf(const Pod& pod);
  void NoteClaimOf(const Volume& volume);
  void NoteClaimsOfVolumes(const std::vector<std::string>& names);
  void NoteClaimsOfClasses(const std::vector<std::string>& names);
  void NoteJob(const std::string& uid, CacheChanges& changes);
  void Note(const PodPointer& before, const PodPointer& after,
            CacheChanges& changes);
  void Charge(const PodPointer& pod);
  void Discharge(const PodPointer& pod);
  void Join(const PodPointer& pod);
  void Leave(const PodPointer& pod);

  mutable std::mutex mutex_;
  // Protected by mutex_.
  PodSet pods_;
  KindVersions pod_versions_;
  std::unordered_set<std::string> listed_pods_;  // UIDs in the current list
  CachedKind<Node> nodes_;
  CachedKind<PodGroup> coscheduling_groups_;  // by "namespace/name"
  CachedKind<PodGroup> native_groups_;        // likewise
  CachedKind<VolumeClaim> claims_;            // likewise
  CachedKind<Volume> volumes_;
  CachedKind<StorageClass> storage_classes_;
  CachedKind<Namespace> namespaces_;
  std::uint64_t namespaces_version_ = 0;
  CachedKind<JobAnnotations> jobs_;  // by UID
  std::unordered_map<std::string, InOrder> on_node_;
  std::map<PodGroupName, InOrder> in_group_;
  std::unordered_map<std::string, InOrder> of_job_;    // pods without a node
  std::unordered_map<std::string, InOrder> of_claim_;  // not ended
  std::unordered_set<std::string> changed_nodes_;
  std::unordered_set<std::string> changed_claims_;
  bool listing_ = false;  // a list of all kinds is under way
  bool synced_ = false;
};

}  // namespace fluxnetes::cluster
