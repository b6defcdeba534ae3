// Reads what a pod asks of the inside of its node from its labels:
//
//   fluxnetes.align: numa            all its cpus, memory, GPUs and NICs, and
//                                    the devices of its claims, are in one NUMA
//                                    domain; socket, island
//   fluxnetes.align-preferred: numa  the same, if some node can give it so
//   fluxnetes.cpus: exclusive        whole cores, for this pod alone
//   fluxnetes.cpus: exclusive-sockets  as many whole sockets as it needs
//
// An aligned pod has whole cores, too. So these pods request whole cpus.
//
// Of a pod's extended resources, those whose name ends in "/gpu" are GPUs
// (nvidia.com/gpu, amd.com/gpu), and those whose name ends in "/nic" are NICs.
// Others, such as shared devices, are amounts of the node alone.
//
// Pure.
// Tests: tests/workers/labels/inside_labels_test.cc.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/node.h"
#include "cluster/objects/pod.h"
#include "matcher/inside/inside_request.h"

namespace fluxnetes::matcher {
enum class TasksOfKubelet;  // node_interior.h
}  // namespace fluxnetes::matcher

namespace fluxnetes::workers {

inline constexpr const char* kAlignLabel = "fluxnetes.align";
inline constexpr const char* kAlignPreferredLabel = "fluxnetes.align-preferred";
inline constexpr const char* kCpusLabel = "fluxnetes.cpus";

struct InsideLabels {
  cluster::InsideTerms terms;
  std::string refused;  // the reason; empty: they can be used
};
InsideLabels ReadInsideLabels(const cluster::Pod& pod);

// What the request takes inside of its node. Throws std::invalid_argument if
// its terms ask for nothing, or for what cannot be.
matcher::InsideRequest InsideOf(const cluster::PodRequest& request);

// What a kubelet that places pods by NUMA domains demands for the request,
// which has no terms: for whole cpus, and for GPUs. Nothing if it asks for
// neither.
std::optional<matcher::InsideRequest> InsideOfKubelet(
    const cluster::PodRequest& request);

matcher::TasksOfKubelet KubeletOf(const cluster::Node& node);

// "one NUMA domain", "whole cores", "2 whole sockets ...": the terms in words,
// for people; empty if there are none.
std::string InsideInWords(const cluster::InsideTerms& terms);
// " in one NUMA domain with its cpus and memory": where the devices of its
// claims must be; empty: anywhere in the node.
std::string AlignedInWords(const cluster::InsideTerms& terms);
// The same, or what a kubelet demands for it.
std::string InsideInWords(const cluster::PodRequest& request);

}  // namespace fluxnetes::workers
