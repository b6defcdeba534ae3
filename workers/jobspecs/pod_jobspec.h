// A jobspec for pods (Flux RFC 14, YAML or JSON, as Fluxion reads it): what the
// annotation fluxnetes.jobspec says of a pod's group. A slot is one pod.
//
//   above the node   levels of the group's topology: so many pods in each
//                    rack, zone, region, or value of a label; a level of
//                    count 1 at the top holds the whole group
//   node             so many pods on each node; nodes that are exclusive, or in
//                    the slot, are the group's alone
//   below the node   what each pod has inside of its node, vertex by vertex.
//                    Cores, memory and gpus alone are amounts, which the pod
//                    itself requests
//   constraints      terms of the pod's node affinity (node_terms.h)
//   duration, queue  those of the group
//
// Differences from Fluxion: two values of a level need not be different ones,
// where one has room for both; nor do two parts of a node above the slot.
//
// One range above the slot, or its count, is fixed by the number of pods, and
// one range in a slot by what the pod requests. Slots side by side, and
// xor_slots, are alternatives: those with the amounts that the pod requests
// count.
//
// Pure. Refusals are texts for people, with the place, what is wrong, and what
// would be right.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::workers {

inline constexpr const char* kJobspecAnnotation = "fluxnetes.jobspec";
inline constexpr std::size_t kMaxPodJobspecBytes = 64 << 10;
inline constexpr std::size_t kMaxPodJobspecResources = 500;

// The group and the pod that a jobspec is for.
struct JobspecPod {
  // Nothing: the jobspec says it, and has no range there.
  std::optional<std::int32_t> group_size;
  std::optional<std::int32_t> max_size;  // of an elastic group
  // Nothing: the jobspec says it, and has no range there.
  std::optional<cluster::Resources> resources;
};

struct PodJobspec {
  std::string refused;  // the reason; empty: it can be used
  std::int32_t pods = 0;
  cluster::GroupTopology topology;  // its levels as words: "rack"
  std::string inside;  // see cluster::InsideTerms; empty: amounts alone
  std::vector<cluster::NodeSelectorTerm> nodes;  // none: any node
  std::optional<std::chrono::seconds> duration;
  std::string queue;  // empty: not said
  // What the slot has; cores as cpu, gpus as nvidia.com/gpu.
  cluster::Resources resources;

  bool operator==(const PodJobspec&) const = default;
};

PodJobspec ReadPodJobspec(std::string_view text, const JobspecPod& pod);

// The same for each alternative by itself, the preferred one first. If none can
// be used: one that says why.
std::vector<PodJobspec> ReadAlternatives(std::string_view text,
                                         const JobspecPod& pod);

// How many pods the jobspec is for; nothing if it has a range there, has
// several alternatives with different numbers, or is refused.
std::optional<std::int32_t> PodsIn(std::string_view text);

}  // namespace fluxnetes::workers
