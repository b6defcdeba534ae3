// Accounts in a schedule: what groups hold is charged to them, and says who of
// them goes first and who may not start.
//
// Owned by one thread.
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

  // True if it matters now, or no more, to whom a group belongs, or all of
  // that may be otherwise than before.
  bool Set(const std::vector<Account>& accounts);
  // Whether any queue goes by fair shares, and their half-life.
  bool SetFair(std::optional<std::int64_t> half_life);
  bool Matter() const { return matter_; }

  PayerId Intern(const Payer& payer) { return tree_.Intern(payer); }
  const Payer& payer(PayerId payer) const { return tree_.payer(payer); }
  std::string NameOf(AccountId account) const;

  void SetUsed(const std::vector<AccountUse>& used, matcher::Time at);
  // What groups hold that are not in this schedule, in place of what was said
  // before. True if it is something else.
  bool SetElsewhere(const std::vector<AccountHolds>& elsewhere);
  // What those of this schedule hold, if somebody wants to know, as far as it
  // is something else than at the last call.
  std::optional<HoldsNews> TakeHolds(matcher::Time now);
  // As of now, once a minute, if queues go by fair shares.
  std::vector<AccountUse> TakeUsed(matcher::Time now);

  // Charges what groups have come to hold, or hold no more.
  void TakeHeld(matcher::Time now);
  void BeginCycle(matcher::Time now);

  // Where a group stands that is yet to be placed.
  Standing StandingOf(const WaitingGroup& group, bool fair);
  // The group was looked at and waits: those of its account come after it.
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
  matcher::Time said_at_ = 0;  // what was used
  std::optional<std::vector<AccountHolds>> elsewhere_;
  bool holds_said_ = false;
};

}  // namespace fluxnetes::workers
