// The accounts of a schedule: what groups hold is charged to them, which
// decides whose groups come first, and which may not start.
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_order_test.cc.
#pragma once

#include <string>
#include <vector>

#include "workers/accounts/fair_share.h"
#include "workers/accounts/quotas.h"
#include "workers/decision/accounts.h"
#include "workers/graph/schedule_graph.h"
#include "workers/pending/pending_line.h"

namespace fluxnetes::workers {

class ScheduleAccounts {
 public:
  explicit ScheduleAccounts(ScheduleGraph& graph) : graph_(graph) {}

  // Replaces the accounts. False: they are the same.
  bool Set(const std::vector<Account>& accounts);
  // Sets the half-life of fair shares; none: no queue goes by them. True if it
  // has changed whether payers matter.
  bool SetFair(std::optional<std::int64_t> half_life);
  // Whether it matters which payer a group belongs to.
  bool Matter() const { return matter_; }

  PayerId Intern(const Payer& payer) { return tree_.Intern(payer); }
  const Payer& payer(PayerId payer) const { return tree_.payer(payer); }
  std::string NameOf(AccountId account) const;

  void SetUsed(const std::vector<AccountUse>& used, matcher::Time at);
  // Replaces what groups of other schedules hold. False: it is the same.
  bool SetElsewhere(const std::vector<AccountHolds>& elsewhere);
  // Returns what the groups of this schedule hold, as far as it has changed
  // since the last call; none if it has not, or nobody counts it.
  std::optional<HoldsNews> TakeHolds(matcher::Time now);
  // Returns what payers have used by now, once a minute, if queues go by fair
  // shares.
  std::vector<AccountUse> TakeUsed(matcher::Time now);

  // Charges what groups have come to hold, or have released.
  void TakeHeld(matcher::Time now);
  void BeginCycle(matcher::Time now);

  // Returns the standing of a waiting group.
  Standing StandingOf(const WaitingGroup& group, bool fair);
  // Notes that the group had its turn and waits: others of its account come
  // after it.
  void Charge(const WaitingGroup& group);
  Quotas& quotas() { return quotas_; }

 private:
  double ShareOf(const Amounts& amounts) const;
  void Charge(GroupId group);
  bool Update();

  ScheduleGraph& graph_;
  std::vector<Account> accounts_;
  AccountTree tree_;
  FairShare share_{tree_};
  Quotas quotas_{tree_};
  bool fair_ = false;
  bool matter_ = false;
  matcher::Time said_at_ = 0;  // when TakeUsed() last returned something
  std::optional<std::vector<AccountHolds>> elsewhere_;
  bool holds_said_ = false;
};

}  // namespace fluxnetes::workers
