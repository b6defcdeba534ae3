// The requests in use, each once: with what it comes to in the resource graph,
// amounts and rules. Pods that ask for the same have the same one, unless rules
// of pods can tell them apart: then there is one for each namespace and labels,
// as far as selectors name them (selected_labels.h).
//
// They are kept until Sweep(). Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/objects/pod.h"
#include "matcher/gangs/node_graph.h"
#include "workers/graph/selected_labels.h"
#include "workers/pods/pod_rules.h"

namespace fluxnetes::workers {

class InternedRequests {
 public:
  using Request = const cluster::PodRequest*;
  using AmountsOf =
      std::function<std::vector<std::int64_t>(const cluster::Resources&)>;

  InternedRequests(matcher::NodeGraph& graph, AmountsOf amounts)
      : graph_(graph), amounts_(std::move(amounts)) {}

  // Of a pod of which nothing is known but this.
  Request Intern(const std::string& json);
  // That of a pod in this namespace with these labels, in place of `request`,
  // which may be that of other ones.
  Request Of(Request request, const std::string& namespace_name,
             const cluster::PodLabels& labels);
  // By which namespaces are selected from now on. Those that a request selects
  // are part of what Of() returns.
  void SetNamespaces(Namespaces namespaces);
  // Of a pod that has its node: what others see of it, and whom it keeps away.
  // With the resources of `held`; null: none. Null if it does not matter.
  Request Lasting(const cluster::Pod& pod, Request held);

  const std::vector<std::int64_t>& Amounts(Request request) const {
    return entries_.at(request)->amounts;
  }
  matcher::RulesId Rules(Request request);
  int Number(Request request) const { return entries_.at(request)->number; }

  // Whether labels of pods matter at all.
  bool LooksAtLabels() const { return selected_.Any(); }
  // Whether selectors have come, since the last call, that tell more pods
  // apart, or such of namespaces take others now.
  bool TakeNews() { return std::exchange(news_, false); }

  // Forgets those with rules about pods or with labels that `used` does not
  // name; to be done when there are many.
  bool WantsSweep() const { return by_key_.size() > sweep_at_; }
  void Sweep(const std::vector<Request>& used);

 private:
  struct Entry {
    std::string key;
    cluster::PodRequest request;
    std::vector<std::int64_t> amounts;
    int number = 0;  // in order of appearance
    bool looks_at_pods = false;
    const Entry* plain = nullptr;  // without namespace and labels; null: this
    std::string namespace_name;
    cluster::LabelMap labels;
    matcher::RulesId rules = matcher::kNoRules;  // none: not asked for yet
  };

  Entry& Add(std::string key, const cluster::PodRequest& request);

  matcher::NodeGraph& graph_;
  const AmountsOf amounts_;
  std::unordered_map<std::string, Entry> by_key_;
  std::unordered_map<Request, Entry*> entries_;
  SelectedLabels selected_;
  Namespaces namespaces_;
  int last_number_ = 0;
  bool news_ = false;
  std::size_t sweep_at_ = 4'096;
};

}  // namespace fluxnetes::workers
