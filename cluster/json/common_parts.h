// Holds once what pods have in common: each label, and the tolerations, which
// are mostly those that Kubernetes gives to all. It keeps nothing alive.
//
// Used by one thread; what it shares never changes, and is anybody's.
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

  // So many are known, or were.
  std::size_t size() const { return labels_.size() + tolerations_.size(); }

 private:
  // One per hash: of two that collide, one is not shared.
  template <typename Part>
  using Known = std::unordered_map<std::size_t, std::weak_ptr<Part>>;

  Known<const PodLabels::value_type> labels_;
  Known<const std::vector<Toleration>> tolerations_;
  std::size_t sweep_at_ = 1'024;
};

}  // namespace fluxnetes::cluster
