// Shares the parts that many pods have in common: each label, and the
// tolerations, which are mostly those that Kubernetes adds to every pod. Shared
// parts are not kept alive.
//
// Used by one thread; shared parts never change and may be read by any thread.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

class CommonParts {
 public:
  void Share(Pod& pod);

  // The number of parts known, including expired ones not yet swept.
  std::size_t size() const { return labels_.size() + tolerations_.size(); }

 private:
  // One part per hash; of two parts with the same hash only one is shared.
  template <typename Part>
  using Known = std::unordered_map<std::size_t, std::weak_ptr<Part>>;

  Known<const PodLabels::value_type> labels_;
  Known<const std::vector<Toleration>> tolerations_;
  std::size_t sweep_at_ = 1'024;
};

}  // namespace fluxnetes::cluster
