// Gives bindings precedence over other writes to the API server: a write of an
// event or a status costs it about as much as a binding. Such writes wait while
// pods are being bound, but no longer than `patience`.
//
// Used by one thread.
// Tests: tests/workers/news/wait_news_pgtest.cc,
// tests/workers/news/group_statuses_pgtest.cc.
#pragma once

#include <chrono>
#include <optional>

#include "cluster/cluster.h"
#include "workers/loops/binding_ledger.h"

namespace fluxnetes::workers {

class BindingBackpressure {
 public:
  BindingBackpressure(const BindingLedger& bindings,
                      std::chrono::milliseconds patience)
      : bindings_(bindings), patience_(patience) {}

  bool May(cluster::Time now) {
    if (!bindings_.AnyUnderWay()) {
      held_back_.reset();
      return true;
    }
    if (!held_back_) held_back_ = now;
    return now - *held_back_ >= patience_;
  }

 private:
  const BindingLedger& bindings_;
  const std::chrono::milliseconds patience_;
  std::optional<cluster::Time> held_back_;  // since when
};

}  // namespace fluxnetes::workers
