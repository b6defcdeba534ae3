// What a pod asks for, in the words of the resource graph (task_rules.h): which
// nodes it may use, which pods it wants near or not, and what the rules of
// other pods see of it. The one place where Kubernetes' rules of placement are
// read.
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
// empty: it can. Nothing is passed over in silence.
std::string WhyUnsupported(const cluster::PodRequest& request);

// What of the request goes by the node alone.
matcher::NodeRules NodeRulesOf(const cluster::PodRequest& request);

// All of it, for a pod of this namespace; `labels`: what others see of it.
matcher::TaskRules RulesOf(const cluster::PodRequest& request,
                           const std::string& namespace_name,
                           const matcher::Labels& labels);

// Whether the request has rules about other pods.
bool LooksAtPods(const cluster::PodRequest& request);

// Labels of namespaces, by name.
using Namespaces = std::map<std::string, cluster::LabelMap>;

// Whether it selects namespaces by their labels; and the request with these
// selectors replaced by the names of the namespaces that they take now, without
// which they take none.
bool SelectsNamespaces(const cluster::PodRequest& request);
cluster::PodRequest WithNamespaces(const cluster::PodRequest& request,
                                   const Namespaces& namespaces);

// The part of the request that matters to other pods once the pod has a node:
// whom it keeps away.
cluster::PodRequest Lasting(const cluster::PodRequest& request);

std::vector<matcher::Taint> TaintsOf(const cluster::Node& node);

// Whether labels, name and taints of the node suit the request. What is free,
// and what runs there, is not looked at.
bool Suits(const cluster::Node& node, const cluster::PodRequest& request);

}  // namespace fluxnetes::workers
