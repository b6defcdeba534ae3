// Accounts what groups hold, day by day (UTC), to queues, namespaces, accounts
// and users: the table usage_days, which is kept when the history is dropped.
//
//   group_history ─┐
//   pods           ├─ places held on a day × amounts ──> usage_days
//   placements    ─┘
//
// A place counts from the binding of its pod to the pod's end, on each day for
// the part of that day. The days since an hour before the last roll-up are
// computed anew each time, so that an end that is recorded late is counted, and
// a run that is repeated changes nothing.
//
// RunOnce() from one thread, every ten minutes; of several replicas one works
// in that time. Throws sql::Error. Tests:
// tests/workers/usage/usage_roll_up_pgtest.cc.
#pragma once

#include "cluster/text/timestamp.h"
#include "sql/connection/pool.h"

namespace fluxnetes::workers {

class UsageRollUp {
 public:
  explicit UsageRollUp(sql::Pool& pool) : pool_(pool) {}

  void RunOnce(cluster::Time now);

 private:
  sql::Pool& pool_;
};

}  // namespace fluxnetes::workers
