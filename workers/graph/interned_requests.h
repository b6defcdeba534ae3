// The requests in use, each once, with their amounts, rules, insides and
// devices in the resource graph. Pods with equal requests share one, unless
// rules of pods can distinguish them: then there is one for each namespace and
// set of labels that selectors name (selected_labels.h).
//
// Requests are kept until Sweep(). Owned by one thread.
// Tests: tests/workers/schedule/schedule_rules_test.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
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

  // Returns the request of a pod whose labels are not known.
  Request Intern(const std::string& json);
  // Returns the request of a pod in this namespace with these labels. `request`
  // may be that of a pod with other labels.
  Request Of(Request request, const std::string& namespace_name,
             const cluster::PodLabels& labels);
  // Sets the namespaces for selectors by namespace labels. The selected
  // namespaces are part of what Of() returns.
  void SetNamespaces(Namespaces namespaces);
  // Returns what remains of a bound pod's request: its labels that selectors
  // name, and the pods that it repels, with the resources of `held` (null:
  // none). Returns `held` if rules do not look at the pod.
  Request Lasting(const cluster::Pod& pod, Request held);

  // What a pod takes of a node.
  const std::vector<std::int64_t>& Amounts(Request request) const {
    return entries_.at(request)->amounts;
  }
  // The same as accounts count it: with devices by class (device_counts.h), but
  // for those of claims that several pods may use.
  const std::vector<std::int64_t>& Counted(Request request) const {
    const Entry& entry = *entries_.at(request);
    return entry.counted.empty() ? entry.amounts : entry.counted;
  }
  // By claim, what counts once for all pods of a group that use it.
  using CountedOnce = std::map<std::string, std::vector<std::int64_t>>;
  const CountedOnce& Shared(Request request) const {
    return entries_.at(request)->shared;
  }
  matcher::RulesId Rules(Request request);
  // What the request takes inside of a node; kNoShape: amounts alone.
  matcher::ShapeId Inside(Request request);
  // The devices that the request takes; kNoDevices: none.
  matcher::DevicesId Devices(Request request);
  int Number(Request request) const { return entries_.at(request)->number; }

  // True if labels of pods matter at all.
  bool LooksAtLabels() const { return selected_.Any(); }
  // True if, since the last call, a new selector distinguishes more pods, or
  // namespaces changed that a selector depends on.
  bool TakeNews() { return std::exchange(news_, false); }

  // Forgets requests with rules about pods or with labels that `used` does not
  // name. Call it when WantsSweep() is true.
  bool WantsSweep() const { return by_key_.size() > sweep_at_; }
  void Sweep(const std::vector<Request>& used);

 private:
  struct Entry {
    std::string key;
    cluster::PodRequest request;
    std::vector<std::int64_t> amounts;
    std::vector<std::int64_t> counted;  // empty: as `amounts`
    CountedOnce shared;
    int number = 0;  // in order of first use
    bool looks_at_pods = false;
    // The entry without namespace and labels; null: this.
    const Entry* plain = nullptr;
    std::string namespace_name;
    cluster::LabelMap labels;
    matcher::RulesId rules = matcher::kNoRules;   // kNoRules: not taken yet
    matcher::ShapeId inside = matcher::kNoShape;  // if it is known
    bool inside_known = false;
    matcher::DevicesId devices = matcher::kNoDevices;  // likewise
  };

  Entry& Add(std::string key, const cluster::PodRequest& request);
  void Count(Entry& entry) const;

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
