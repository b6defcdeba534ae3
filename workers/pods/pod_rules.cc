#include "workers/pods/pod_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cluster/text/quote.h"

namespace fluxnetes::workers {
namespace {

using cluster::NodeRequirement;
using cluster::PodAffinityTerm;
using cluster::PodRequest;
using cluster::PodRules;
using cluster::PodSelector;
using cluster::Quote;
using matcher::LabelRequirement;

// The limit of requirements, values and terms of a request: a match evaluates
// each of them.
constexpr std::size_t kMostRules = 1'000;
// The label of a namespace that holds its name (Kubernetes: "Automatic
// labelling" of namespaces).
constexpr const char* kNamespaceName = "kubernetes.io/metadata.name";

LabelRequirement Translate(const NodeRequirement& requirement) {
  return {requirement.key,
          matcher::ParseOp(requirement.op).value_or(LabelRequirement::Op::kIn),
          requirement.values, requirement.field};
}

matcher::LabelTerm Translate(const std::vector<NodeRequirement>& term) {
  matcher::LabelTerm translated;
  for (const auto& each : term) translated.push_back(Translate(each));
  return translated;
}

// A missing selector matches no pod: no value is in an empty list.
matcher::LabelTerm Translate(const std::optional<PodSelector>& selector) {
  if (selector) return Translate(*selector);
  return {LabelRequirement{"", LabelRequirement::Op::kIn, {}, false}};
}

bool NamesNamespaces(const PodSelector& selector) {
  return selector.size() == 1 && selector[0].key == kNamespaceName &&
         selector[0].op == "In";
}

// A namespace selector by name is a list of names. A selector by labels selects
// none here: see WithNamespaces().
void AddNamed(const PodSelector& selector, std::vector<std::string>& names) {
  if (!NamesNamespaces(selector)) return;
  names.insert(names.end(), selector[0].values.begin(),
               selector[0].values.end());
}

bool SelectsByLabels(const PodAffinityTerm& term) {
  const auto& selector = term.namespace_selector;
  return selector && !selector->empty() && !NamesNamespaces(*selector);
}

PodSelector NamedBy(const PodSelector& selector, const Namespaces& namespaces) {
  PodSelector named = {{kNamespaceName, "In", {}, false}};
  for (const auto& named_space : namespaces) {
    const auto& labels = named_space.second;
    const bool takes = std::ranges::all_of(selector, [&](const auto& each) {
      const auto label = labels.find(each.key);
      return matcher::Holds(Translate(each),
                            label == labels.end() ? nullptr : &label->second);
    });
    if (takes) named[0].values.push_back(named_space.first);
  }
  return named;
}

matcher::AffinityTerm Translate(const PodAffinityTerm& term,
                                const std::string& own_namespace) {
  matcher::AffinityTerm translated;
  translated.topology_key = term.topology_key;
  translated.selector.labels = Translate(term.selector);
  auto& namespaces = translated.selector.namespaces;
  const auto& selector = term.namespace_selector;
  if (selector && selector->empty()) return translated;  // every namespace
  namespaces = term.namespaces;
  if (selector) AddNamed(*selector, namespaces);
  // If the selector matches no namespace: one that does not exist.
  if (namespaces.empty()) namespaces.push_back(selector ? "" : own_namespace);
  return translated;
}

std::string WhyNoTerm(const std::vector<NodeRequirement>& term, bool of_nodes) {
  for (const NodeRequirement& each : term) {
    const auto op = matcher::ParseOp(each.op);
    const bool compares =
        op == LabelRequirement::Op::kGt || op == LabelRequirement::Op::kLt;
    if (!op || (compares && !of_nodes)) {
      return "the operator " + Quote(each.op) + " of a selector";
    }
  }
  return "";
}

std::string WhyNoPodTerm(const PodAffinityTerm& term) {
  if (term.topology_key.empty()) return "pod affinity without a topologyKey";
  if (term.namespace_selector) {
    auto why = WhyNoTerm(*term.namespace_selector, false);
    if (!why.empty()) return why;
  }
  return term.selector ? WhyNoTerm(*term.selector, false) : "";
}

std::string WhyNoSpread(const cluster::TopologySpread& spread) {
  if (spread.topology_key.empty()) return "a spread without a topologyKey";
  if (spread.max_skew < 1) return "a spread with a maxSkew below 1";
  if (spread.min_domains < 1) return "a spread with minDomains below 1";
  return spread.selector ? WhyNoTerm(*spread.selector, false) : "";
}

std::string WhyNoToleration(const cluster::Toleration& toleration) {
  if (!toleration.other_operator.empty()) {
    return "a toleration with the operator " +
           Quote(toleration.other_operator) + "; it knows Exists and Equal";
  }
  const bool known = toleration.effect.empty() ||
                     matcher::ParseTaintEffect(toleration.effect).has_value();
  return known ? "" : "a toleration of the effect " + Quote(toleration.effect);
}

std::size_t SizeOf(const std::vector<NodeRequirement>& term) {
  std::size_t size = 1;
  for (const auto& each : term) size += 1 + each.values.size();
  return size;
}

std::size_t SizeOf(const PodAffinityTerm& term) {
  const auto& spaces = term.namespace_selector;
  return term.namespaces.size() + (spaces ? SizeOf(*spaces) : 0) +
         (term.selector ? SizeOf(*term.selector) : 1);
}

std::size_t SizeOf(const PodRequest& request) {
  const PodRules& rules = *request.rules;
  std::size_t size = request.tolerations.size() + request.node_selector.size() +
                     rules.host_ports.size();
  for (const auto& term : request.node_affinity) size += SizeOf(term);
  for (const auto& each : rules.preferred_nodes) size += SizeOf(each.term);
  for (const auto& term : rules.affinity) size += SizeOf(term);
  for (const auto& term : rules.anti_affinity) size += SizeOf(term);
  for (const auto& each : rules.preferred_pods) size += SizeOf(each.term);
  for (const auto& each : rules.spread) {
    size += each.selector ? SizeOf(*each.selector) : 1;
  }
  return size;
}

// The first nonempty result of `why`.
template <typename List, typename Why>
std::string First(const List& list, const Why& why) {
  for (const auto& each : list) {
    if (std::string found = why(each); !found.empty()) return found;
  }
  return "";
}

std::string WhatIsUnsupported(const PodRequest& request) {
  const PodRules& rules = *request.rules;
  if (SizeOf(request) > kMostRules) {
    return fmt::format(
        "more than {} requirements, values and terms of selectors, affinity, "
        "spread and tolerations in one pod",
        kMostRules);
  }
  std::string what;
  const auto consider = [&](auto&& find) {
    if (what.empty()) what = find();
  };
  const auto of_nodes = [](const auto& term) { return WhyNoTerm(term, true); };
  consider([&] { return First(request.tolerations, WhyNoToleration); });
  consider([&] { return First(request.node_affinity, of_nodes); });
  consider([&] {
    return First(rules.preferred_nodes,
                 [&](const auto& each) { return of_nodes(each.term); });
  });
  consider([&] { return First(rules.affinity, WhyNoPodTerm); });
  consider([&] { return First(rules.anti_affinity, WhyNoPodTerm); });
  consider([&] {
    return First(rules.preferred_pods,
                 [](const auto& each) { return WhyNoPodTerm(each.term); });
  });
  consider([&] { return First(rules.spread, WhyNoSpread); });
  return what;
}

std::vector<matcher::AffinityTerm> Translate(
    const std::vector<PodAffinityTerm>& terms, const std::string& own) {
  std::vector<matcher::AffinityTerm> translated;
  for (const auto& term : terms) translated.push_back(Translate(term, own));
  return translated;
}

matcher::SpreadConstraint Translate(const cluster::TopologySpread& spread) {
  return {spread.topology_key, Translate(spread.selector),
          spread.max_skew,     spread.required,
          spread.min_domains,  spread.honor_affinity,
          spread.honor_taints};
}

}  // namespace

std::string WhyUnsupported(const PodRequest& request) {
  const std::string what = WhatIsUnsupported(request);
  return what.empty() ? "" : "this scheduler does not support " + what;
}

matcher::NodeRules NodeRulesOf(const PodRequest& request) {
  matcher::NodeRules rules;
  rules.selector = request.node_selector;
  for (const auto& term : request.node_affinity) {
    rules.affinity.push_back(Translate(term));
  }
  for (const auto& each : request.rules->preferred_nodes) {
    rules.preferred.push_back({each.weight, Translate(each.term)});
  }
  for (const auto& each : request.tolerations) {
    if (!each.other_operator.empty()) continue;
    rules.tolerations.push_back({each.key, each.exists, each.value,
                                 matcher::ParseTaintEffect(each.effect)});
  }
  return rules;
}

matcher::TaskRules RulesOf(const PodRequest& request,
                           const std::string& namespace_name,
                           const matcher::Labels& labels) {
  const PodRules& asked = *request.rules;
  matcher::TaskRules rules;
  rules.node = NodeRulesOf(request);
  rules.namespace_name = namespace_name;
  rules.labels = labels;
  rules.affinity = Translate(asked.affinity, namespace_name);
  rules.anti_affinity = Translate(asked.anti_affinity, namespace_name);
  for (const auto& each : asked.preferred_pods) {
    rules.preferred.push_back(
        {each.weight, Translate(each.term, namespace_name)});
  }
  for (const auto& each : asked.spread) rules.spread.push_back(Translate(each));
  for (const auto& each : asked.host_ports) {
    rules.host_ports.push_back({each.protocol, each.ip, each.port});
  }
  return rules;
}

bool LooksAtPods(const PodRequest& request) {
  const PodRules& rules = *request.rules;
  return !rules.affinity.empty() || !rules.anti_affinity.empty() ||
         !rules.preferred_pods.empty() || !rules.spread.empty();
}

bool SelectsNamespaces(const PodRequest& request) {
  const PodRules& rules = *request.rules;
  return std::ranges::any_of(rules.affinity, SelectsByLabels) ||
         std::ranges::any_of(rules.anti_affinity, SelectsByLabels) ||
         std::ranges::any_of(rules.preferred_pods, [](const auto& each) {
           return SelectsByLabels(each.term);
         });
}

PodRequest WithNamespaces(const PodRequest& request,
                          const Namespaces& namespaces) {
  PodRequest with = request;
  PodRules& rules = with.rules.Own();
  const auto resolve = [&](PodAffinityTerm& term) {
    if (SelectsByLabels(term))
      term.namespace_selector = NamedBy(*term.namespace_selector, namespaces);
  };
  std::ranges::for_each(rules.affinity, resolve);
  std::ranges::for_each(rules.anti_affinity, resolve);
  for (auto& each : rules.preferred_pods) resolve(each.term);
  return with;
}

PodRequest Lasting(const PodRequest& request) {
  const PodRules& rules = *request.rules;
  PodRequest lasting;
  if (rules.anti_affinity.empty() && rules.host_ports.empty()) return lasting;
  lasting.rules.Own().anti_affinity = rules.anti_affinity;
  lasting.rules.Own().host_ports = rules.host_ports;
  return lasting;
}

std::vector<matcher::Taint> TaintsOf(const cluster::Node& node) {
  std::vector<matcher::Taint> taints;
  for (const cluster::Taint& each : node.taints) {
    // An unknown effect repels pods, rather than let them in.
    taints.push_back({each.key, each.value,
                      matcher::ParseTaintEffect(each.effect)
                          .value_or(matcher::TaintEffect::kNoSchedule)});
  }
  return taints;
}

bool Suits(const cluster::Node& node, const PodRequest& request) {
  return matcher::Allows(NodeRulesOf(request), node.name, node.labels,
                         TaintsOf(node));
}

}  // namespace fluxnetes::workers
