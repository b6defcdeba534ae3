// How the cache keeps nodes and what is known of their inside.
#include <utility>

#include "cluster/cluster_cache.h"

namespace fluxnetes::cluster {
namespace {

bool SameForScheduling(const Node& a, const Node& b) {
  return a.uid == b.uid && a.allocatable == b.allocatable &&
         a.labels == b.labels && a.taints == b.taints &&
         a.unschedulable == b.unschedulable && a.ready == b.ready &&
         a.structure == b.structure && a.topology_policy == b.topology_policy &&
         a.zones == b.zones;
}

}  // namespace

void ClusterCache::Put(const NodePointer& node, CacheChanges& changes) {
  NodePointer before;
  if (nodes_.Put(node->name, sources_.Share(node), before))
    SeeNode(node->name, changes);
}

void ClusterCache::Drop(const NodePointer& node, CacheChanges& changes) {
  if (nodes_.Drop(node->name, node->resource_version))
    SeeNode(node->name, changes);
}

void ClusterCache::Put(const NodeTopologyPointer& topology,
                       CacheChanges& changes) {
  NodeTopologyPointer before;
  if (topologies_.Put(topology->name, topology, before))
    SeeNode(topology->name, changes);
}

void ClusterCache::Drop(const NodeTopologyPointer& topology,
                        CacheChanges& changes) {
  if (topologies_.Drop(topology->name, topology->resource_version))
    SeeNode(topology->name, changes);
}

void ClusterCache::SeeNode(const std::string& name, CacheChanges& changes) {
  const NodePointer node = nodes_.Find(name);
  if (node == nullptr) {
    sources_.Forget(name);
    if (seen_nodes_.erase(name) > 0) NoteNode(name, changes);
    return;
  }
  NodePointer now = sources_.Combine(node, topologies_.Find(name).get());
  NodePointer& seen = seen_nodes_[name];
  const NodePointer before = std::exchange(seen, std::move(now));
  if (before == nullptr || !SameForScheduling(*before, *seen))
    NoteNode(name, changes);
}

void ClusterCache::NoteNode(const std::string& name, CacheChanges& changes) {
  changes.nodes.push_back(name);
  changed_nodes_.insert(name);
}

}  // namespace fluxnetes::cluster
