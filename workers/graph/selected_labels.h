// Which labels of pods matter: those that a selector of a pod in use names.
// Most labels of pods are named by none, and many are unique to their pod; so
// only what selectors can tell apart is kept of a pod, and pods stay of one
// shape for as long as nobody looks at the difference.
//
// Owned by one thread.
#pragma once

#include <map>
#include <set>
#include <string>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::workers {

class SelectedLabels {
 public:
  // The selectors of the request are in use. True if they tell pods apart that
  // none did before: what was said of pods is to be looked at again.
  bool Add(const cluster::PodRequest& request);

  // Whether any selector is in use at all.
  bool Any() const { return every_pod_ || !values_.empty(); }
  // Whether there is one that may take a pod without any of these labels.
  bool EveryPod() const { return every_pod_; }

  // What selectors can tell of a pod with these labels. A value that none of
  // them names is replaced by one that no label can have.
  cluster::LabelMap Of(const cluster::PodLabels& labels) const;

 private:
  bool Add(const std::optional<cluster::PodSelector>& selector);

  std::map<std::string, std::set<std::string>> values_;  // named, by key
  bool every_pod_ = false;
};

}  // namespace fluxnetes::workers
