// What a watch has told so far: the pods and nodes of the cluster as last seen,
// kept in memory by applying events. A list that follows a gap is turned into
// the deletions that were missed. Events that come twice or late change nothing
// (resource versions are compared as numbers, which Kubernetes allows within
// one kind; others are taken as they come).
//
// Thread-safe: one thread applies, others ask. Objects are shared, not copied.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "cluster/cluster.h"

namespace fluxnetes::cluster {

using PodPointer = std::shared_ptr<const Pod>;
using NodePointer = std::shared_ptr<const Node>;

// What one batch of events came to, in order.
struct CacheChanges {
  struct PodChange {
    PodPointer before;  // null: new
    PodPointer after;   // null: gone
  };
  std::vector<PodChange> pods;
  std::vector<std::string> nodes;  // names: added, changed or gone
  bool listed = false;  // a list has ended: all that is there is known
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
  // Pods that have the node's name and have not ended, in order of UID.
  std::vector<PodPointer> PodsOnNode(const std::string& node) const;

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
  using OnNode = std::vector<PodPointer>;  // in order of UID

  void Apply(const WatchEvent& event, CacheChanges& changes);
  void Put(const PodPointer& pod, CacheChanges& changes);
  void Drop(std::string_view uid, CacheChanges& changes);
  void Put(const NodePointer& node, CacheChanges& changes);
  void DropNode(const std::string& name, CacheChanges& changes);
  void FinishList(CacheChanges& changes);
  // A repeated event, or one that came after a newer one. `held` is the version
  // of the object if it is known, `newest` the highest of its kind.
  bool IsLate(const std::string& version, const std::string* held,
              std::uint64_t newest) const;
  void Note(const PodPointer& before, const PodPointer& after,
            CacheChanges& changes);
  void Charge(const PodPointer& pod);
  void Discharge(const PodPointer& pod);

  mutable std::mutex mutex_;
  // Protected by mutex_.
  PodSet pods_;
  std::unordered_map<std::string, NodePointer> nodes_;
  std::unordered_map<std::string, OnNode> on_node_;
  std::unordered_set<std::string> changed_nodes_;
  std::unordered_set<std::string> listed_pods_;   // during a list: UIDs
  std::unordered_set<std::string> listed_nodes_;  // during a list
  std::uint64_t newest_pod_ = 0;  // highest resource version so far
  std::uint64_t newest_node_ = 0;
  bool listing_ = false;
  bool synced_ = false;
};

}  // namespace fluxnetes::cluster
