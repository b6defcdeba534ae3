// Reads the topology that a pod requests for its group: all pods on nodes with
// the same value of a label. Labels fluxnetes.topology-required and
// fluxnetes.topology-preferred name a level:
//
//   host  kubernetes.io/hostname         zone    topology.kubernetes.io/zone
//   rack  topology.kubernetes.io/rack    region  topology.kubernetes.io/region
//
// Annotations of the same names may hold the key of another node label, since
// label values cannot contain '/'. The preferred level is tried first. It must
// not be wider than the required one, if both are among the above.
//
// An annotation may also list levels with the number of pods that are to be in
// one value of each, the smallest first: rack:16,example.com/block:48,zone are
// 16 pods to a rack, 48 to a block, all in one zone. Each number divides the
// next, and the size of the group, or the number of its pods that ask for it.
// Where the pod has none of these labels and
// annotations, those of Kueue for the same are read
// (kueue.x-k8s.io/podset-required-topology and the like).
//
// The setting `topology` of a queue names labels of nodes, outermost first. The
// part of such a label behind the slash is a level, too, before those above:
// "block" is example.com/block. These levels must be in that order.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects/pod.h"
#include "matcher/gangs/gang.h"

namespace fluxnetes::workers {

inline constexpr const char* kTopologyRequiredLabel =
    "fluxnetes.topology-required";
inline constexpr const char* kTopologyPreferredLabel =
    "fluxnetes.topology-preferred";

// "true": the group has its nodes for itself.
inline constexpr const char* kExclusiveLabel = "fluxnetes.exclusive";
// "4": so many pods on each node of the group; "at-most-4".
inline constexpr const char* kPodsPerNodeLabel = "fluxnetes.pods-per-node";

// The setting `topology` of a queue; and of all queues that have one, by name.
using TopologyOrder = std::vector<std::string>;
using QueueTopologies = std::map<std::string, TopologyOrder>;

struct TopologyLabels {
  cluster::GroupTopology topology;
  std::string refused;  // the reason; empty: they can be used
};
// Without an order it is not known which levels the queue has, and any word may
// be one.
TopologyLabels ReadTopologyLabels(
    const cluster::Pod& pod,
    const std::optional<TopologyOrder>& order = TopologyOrder());

// Reads a list of levels: those with a number into `parts`, one without into
// `all`. Returns why it is refused; empty: it is not.
std::string ReadLevels(const std::string& place, const std::string& text,
                       const TopologyOrder& order, std::string& all,
                       std::vector<cluster::TopologyLevel>& parts);
// Read annotations of Kueue, and the label above.
std::string ReadKueueTopology(const cluster::Pod& pod,
                              cluster::GroupTopology& topology);
std::string ReadPodsPerNode(const cluster::Pod& pod,
                            cluster::PodsPerNode& per_node);

// Why a group of this size cannot be divided so, and neither can those of its
// pods that ask for it; empty: it can.
std::string WhyNotDivided(const cluster::GroupTopology& topology,
                          std::int32_t size, std::int32_t asking);

// Pods that ask for no topology, but maybe for pools, adopt that of the other
// pods of their group.
bool AsksForNone(const cluster::GroupTopology& topology);
// What such a pod has in a group of this size whose other pods ask for
// `theirs`: it counts for the numbers of pods if these divide the size of the
// group.
cluster::GroupTopology Adopted(const cluster::GroupTopology& own,
                               const cluster::GroupTopology& theirs,
                               std::int32_t size);
// Whether a pod that asks for `asked` may be in a group whose pods have `has`,
// or ask for it.
bool AgreesWith(const cluster::GroupTopology& asked,
                const cluster::GroupTopology& has);
// Whether a pod that asks for `asked` still asks for what was recorded of it.
bool IsSameTopology(const cluster::GroupTopology& asked,
                    const cluster::GroupTopology& recorded);
// Why the preferred parts do not fit into the required ones; empty: they do.
std::string WhyNoChain(const cluster::GroupTopology& topology);

// Whether a level has a number of pods.
bool HasParts(const cluster::GroupTopology& topology);
// The levels as a gang has them.
struct LevelsOfGroup {
  std::vector<matcher::TopologyLevel> levels;
  int required = 0;
};
LevelsOfGroup LevelsOf(const cluster::GroupTopology& topology);

// "16 in one rack (...), in one zone (...), 4 on each node".
std::string TopologyInWords(const cluster::GroupTopology& topology);

// Why the preferred level cannot be combined with the required one; empty: it
// can.
std::string WhyTooWide(const cluster::GroupTopology& topology,
                       const TopologyOrder& order);

// The keys in the order in which they are tried.
std::vector<std::string> KeysOf(const cluster::GroupTopology& topology);

// The order of a queue's levels; of a queue that is not named there: none.
TopologyOrder OrderOf(const std::string& queue,
                      const QueueTopologies* topologies);

// The key of a level such as "rack"; any other word is a key itself.
std::string KeyOfLevel(const std::string& word, const TopologyOrder& order);

// "rack" of topology.kubernetes.io/rack.
std::string_view WordOf(std::string_view key);

// Why keys in this row, from the smallest level on, contradict the order;
// empty: they do not.
std::string WhyNotInOrder(const std::vector<std::string>& keys,
                          const TopologyOrder& order);

// "rack (topology.kubernetes.io/rack)", "value of the label KEY".
std::string DomainCalled(const std::string& key);

}  // namespace fluxnetes::workers
