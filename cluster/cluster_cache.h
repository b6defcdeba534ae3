// What a watch has told so far: the objects of the cluster as last seen, kept
// in memory by applying events. A list that follows a gap is turned into the
// deletions that were missed. Events that come twice or late change nothing
// (cached_kind.h).
//
// Thread-safe: one thread applies, others ask. Objects are shared, not copied.
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
using JobMarksPointer = std::shared_ptr<const JobMarks>;

// What one batch of events came to, in order.
struct CacheChanges {
  struct PodChange {
    PodPointer before;  // null: new
    PodPointer after;   // null: gone
  };
  std::vector<PodChange> pods;
  // Names of what was added, changed (in more than its version) or is gone.
  std::vector<std::string> nodes;
  std::vector<PodGroupName> pod_groups;
  // UIDs of pods without a node that name one of pod_groups, or whose Job's
  // marks have changed.
  std::vector<std::string> regrouped_pods;
  // A list of all kinds, of all pods or of all nodes has ended: all that there
  // is of them is known.
  bool listed = false;
};

class ClusterCache {
 public:
  CacheChanges Apply(std::span<const WatchEvent> events);

  // A list has been seen to its end at least once.
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
  // Of the Kubernetes Job of this UID; null if it has none.
  JobMarksPointer MarksOfJob(const std::string& uid) const;
  std::vector<NamespacePointer> Namespaces() const;
  // Another one each time that a namespace or its labels have changed.
  std::uint64_t NamespacesVersion() const;
  // Pods that name the group, whether it is there or not, in order of UID.
  std::vector<PodPointer> PodsOfGroup(const PodGroupName& name) const;
  // Pods that have the node's name and have not ended, in order of UID.
  std::vector<PodPointer> PodsOnNode(const std::string& node) const;

  // Pods that use the claim ("namespace/name") and have not ended, in order of
  // UID.
  std::vector<PodPointer> PodsOfClaim(const std::string& claim) const;

  // Claims ("namespace/name") of which something has changed since the last
  // call, in order: they themselves, their volume or storage class, or, of one
  // that is for one pod alone, who else uses it. For one reader, as below.
  std::vector<std::string> TakeChangedClaims();

  // Names of nodes that were added, changed or removed, or what is used of them
  // changed, since the last call, in order: for one reader, the owner of the
  // graph. (A heartbeat of a node or the start of a pod is no change.)
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
  using InOrder = std::vector<PodPointer>;  // of UID

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
  void Put(const JobMarksPointer& job, CacheChanges& changes);
  void Drop(const PodPointer& pod, CacheChanges& changes);
  void Drop(const NodePointer& node, CacheChanges& changes);
  void Drop(const PodGroupPointer& group, CacheChanges& changes);
  void Drop(const VolumeClaimPointer& claim, CacheChanges& changes);
  void Drop(const VolumePointer& volume, CacheChanges& changes);
  void Drop(const StorageClassPointer& storage_class, CacheChanges& changes);
  void Drop(const NamespacePointer& space, CacheChanges& changes);
  void Drop(const JobMarksPointer& job, CacheChanges& changes);

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
  std::unordered_set<std::string> listed_pods_;  // during a list: UIDs
  CachedKind<Node> nodes_;
  CachedKind<PodGroup> coscheduling_groups_;  // by "namespace/name"
  CachedKind<PodGroup> native_groups_;        // the same
  CachedKind<VolumeClaim> claims_;            // the same
  CachedKind<Volume> volumes_;
  CachedKind<StorageClass> storage_classes_;
  CachedKind<Namespace> namespaces_;
  std::uint64_t namespaces_version_ = 0;
  CachedKind<JobMarks> jobs_;  // by UID
  std::unordered_map<std::string, InOrder> on_node_;
  std::map<PodGroupName, InOrder> in_group_;
  std::unordered_map<std::string, InOrder> of_job_;    // pods without a node
  std::unordered_map<std::string, InOrder> of_claim_;  // living pods
  std::unordered_set<std::string> changed_nodes_;
  std::unordered_set<std::string> changed_claims_;
  bool listing_ = false;  // all kinds
  bool synced_ = false;
};

}  // namespace fluxnetes::cluster
