// Translates a pod's requests into the terms of the resource graph
// (task_rules.h): the nodes that it may use, its rules about other pods, and
// what rules of other pods see of it. Kubernetes' rules of placement are read
// only here.
//
// Pure.
#pragma once

#include <map>
#include <string>

#include "cluster/objects/node.h"
#include "cluster/objects/pod_request.h"
#include "matcher/rules/task_rules.h"

namespace fluxnetes::workers {

// Why the scheduler cannot honour the request, in words for the pod's owner;
// empty: it can. No field of the request is ignored silently.
std::string WhyUnsupported(const cluster::PodRequest& request);

// The rules of the request that depend on the node alone.
matcher::NodeRules NodeRulesOf(const cluster::PodRequest& request);

// All rules, for a pod of this namespace; `labels`: those that rules of other
// pods see.
matcher::TaskRules RulesOf(const cluster::PodRequest& request,
                           const std::string& namespace_name,
                           const matcher::Labels& labels);

// True if the request has rules about other pods.
bool LooksAtPods(const cluster::PodRequest& request);

// Labels of namespaces, by name.
using Namespaces = std::map<std::string, cluster::LabelMap>;

// SelectsNamespaces() is true if the request selects namespaces by their
// labels. WithNamespaces() replaces these selectors by the names of the
// namespaces that they select now; without it they select none.
bool SelectsNamespaces(const cluster::PodRequest& request);
cluster::PodRequest WithNamespaces(const cluster::PodRequest& request,
                                   const Namespaces& namespaces);

// The part of the request that matters to other pods once the pod has a node:
// the pods that it repels.
cluster::PodRequest Lasting(const cluster::PodRequest& request);

std::vector<matcher::Taint> TaintsOf(const cluster::Node& node);

// True if labels, name and taints of the node satisfy the request. Free amounts
// and running pods are not considered.
bool Suits(const cluster::Node& node, const cluster::PodRequest& request);

}  // namespace fluxnetes::workers
