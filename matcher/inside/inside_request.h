// What a task asks of the inside of its node: jobspecs of what is below the
// node, of which it gets the first that fits. One jobspec with its slots,
// ranges and alternatives is the general form; InsideWish is the short one.
//
// Plain values.
// Tests: tests/matcher/inside/inside_request_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "matcher/admission/kubelet_demand.h"
#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

struct InsideChoice {
  Jobspec jobspec;  // its duration, queue and constraint have no effect
  // Fluxion's jobspecs name each level below the first one that they name. With
  // this, levels of the structure that the jobspec does not name are passed
  // over, and memory is left out where the structure does not show it. A task
  // that asks for nothing else does not fit there.
  bool passes_levels = false;
  // Slots side by side are alternatives.
  bool flexible = false;
  // One of the jobspecs that `xor_slots` stands for: the resource of `whole`
  // that each of its resources was. What Fluxion takes exclusively, and what it
  // looks for below a vertex, follows from the whole one. Empty: no such one.
  std::vector<int> origins = {};
  Jobspec whole = {};

  bool operator==(const InsideChoice& other) const {
    return jobspec.top == other.jobspec.top &&
           jobspec.resources == other.jobspec.resources &&
           passes_levels == other.passes_levels && flexible == other.flexible &&
           origins == other.origins && whole.resources == other.whole.resources;
  }
};

enum class Align { kAnywhere, kNuma, kSocket, kIsland };

struct InsideRequest {
  std::vector<InsideChoice> choices;  // the first that fits
  // False: the task may also go to a node whose structure is not known, and
  // holds nothing in it.
  bool required = true;
  // What kubelets demand that place tasks by NUMA domains (TasksOfKubelet): it
  // counts only on their nodes, and there the first choice counts that an empty
  // node has, which is the fewest domains.
  bool by_kubelet = false;
  // What such a kubelet places of the task, whatever else the task asks for.
  KubeletDemand demand = {};
  // The domain that all of the task is to be in, with the devices of its claims
  // (node_devices/aligned_tasks.h).
  Align align = Align::kAnywhere;
  // The path of the domain that it must be in; empty: any.
  std::string within = {};

  bool operator==(const InsideRequest&) const = default;
};

// Returns the request for a jobspec of what is below the node. Its xor_slots
// become choices, and its slots side by side alternatives. Throws
// std::invalid_argument if it requests nothing, or a node, or if it stands for
// more than kMaxXorVariants jobspecs.
InsideRequest RequestOf(const Jobspec& below_node);

// A task's cpus, memory and devices inside of one node. What it takes it has
// alone: whole cores, whole devices, and memory in the pieces of the structure.
struct InsideWish {
  Align align = Align::kAnywhere;
  // False: if nothing fits in one domain, the task may take parts of several.
  bool align_required = true;
  // The task takes as many whole sockets as it needs, with all in them.
  bool whole_sockets = false;
  std::int64_t cpus = 0;
  std::int64_t memory_mib = 0;
  std::int64_t gpus = 0;
  std::int64_t nics = 0;
};

// What a kubelet that places tasks by domains demands for whole cpus and
// devices: all in one NUMA domain, else in the fewest that an empty node would
// give them in. Such a task has equal shares of these domains; whole ones, if
// it has both cpus and devices. Throws as below.
InsideRequest RequestOfKubelet(std::int64_t cpus, std::int64_t gpus);

// Throws std::invalid_argument if the wish asks for nothing or too much, or for
// whole sockets inside of a NUMA domain or an island.
InsideRequest RequestOf(const InsideWish& wish);

}  // namespace fluxnetes::matcher
