// The labels of pods that matter: those named by a selector of a pod in use. No
// selector names most labels, and many are unique to their pod. So only the
// part of a pod's labels that selectors can distinguish is kept, and pods share
// a shape as long as no selector distinguishes them.
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
  // Adds the selectors of a request. Returns true if they distinguish pods that
  // none did before: the labels of all pods must then be read again.
  bool Add(const cluster::PodRequest& request);

  // True if any selector is in use.
  bool Any() const { return every_pod_ || !values_.empty(); }
  // True if some selector can match a pod without any of these labels.
  bool EveryPod() const { return every_pod_; }

  // The part of these labels that selectors can distinguish. A value that no
  // selector names is replaced by one that no label can have.
  cluster::LabelMap Of(const cluster::PodLabels& labels) const;

 private:
  bool Add(const std::optional<cluster::PodSelector>& selector);

  std::map<std::string, std::set<std::string>> values_;  // named, by key
  bool every_pod_ = false;
};

}  // namespace fluxnetes::workers
