// The free amounts in each domain of a topology key, per resource and view.
// With them a gang that must stay together finds the domain that it fits most
// tightly without looking at nodes. An overcommitted node counts as 0.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <array>
#include <vector>

#include "matcher/nodes/node_order.h"
#include "matcher/nodes/node_profile.h"
#include "matcher/rules/node_labels.h"

namespace fluxnetes::matcher {

class DomainSums {
 public:
  using Sum = NodeProfile::Sum;

  explicit DomainSums(int resources) : resources_(resources) {}

  // Adds (sign 1) or subtracts (sign -1) the node's amounts in each view.
  void Move(const std::array<Columns, 3>& columns, NodeIndex node,
            DomainId domain, int sign) {
    if (domain < 0) return;
    for (std::size_t view = 0; view < columns.size(); ++view) {
      Move(sums_[view], columns[view], node, domain, sign);
    }
  }
  Sum At(View view, DomainId domain, int resource) const {
    const auto& sums = sums_[static_cast<int>(view)];
    const std::size_t at = Place(domain, resource);
    return at < sums.size() ? sums[at] : 0;
  }

 private:
  std::size_t Place(DomainId domain, int resource) const {
    return static_cast<std::size_t>(domain) * resources_ + resource;
  }
  void Move(std::vector<Sum>& sums, const Columns& columns, NodeIndex node,
            DomainId domain, int sign) {
    if (Place(domain + 1, 0) > sums.size()) sums.resize(Place(domain + 1, 0));
    for (int r = 0; r < resources_; ++r) {
      const std::int64_t free = columns[r][node];
      if (free > 0) sums[Place(domain, r)] += Sum{sign} * free;
    }
  }

  int resources_;
  std::array<std::vector<Sum>, 3> sums_;  // [view]
};

}  // namespace fluxnetes::matcher
