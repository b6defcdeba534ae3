// Fair shares: how much of its share each account has used. A group costs its
// share of the cluster, in the resource of which it takes the largest part
// (dominant share: Ghodsi et al. 2011, "Dominant Resource Fairness"), times how
// long it runs. Past use loses half of its weight in each half-life. The use up
// to a group's planned end counts as soon as it starts, so that one account
// cannot start everything before its use becomes visible; the unused rest is
// taken off when the group ends.
//
//   use(t) = sum over groups of the account of
//            share * integral from start to planned or real end of
//            2^(-|t - s| / half-life) ds
//
// The account with the least use per weight goes first, at each level of the
// account tree from the root down.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "matcher/units.h"
#include "workers/decision/accounts.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

// The rank of a payer's next group: for each level of the tree the account's
// use per weight, as a base-2 logarithm, and the account. The lower rank goes
// first. The number of an account stays the same while nothing happens to it:
// all past use decays at the same rate, so comparisons do not change with time.
using Standing = std::vector<std::pair<double, AccountId>>;

class FairShare {
 public:
  explicit FairShare(AccountTree& tree) : tree_(tree) {}

  // Seconds, above 0. Past use keeps its present value.
  void SetHalfLife(std::int64_t half_life);
  // Sums the use of each account again, after the accounts changed.
  void Rebuild();
  // Ignores a time before the latest one.
  void Advance(matcher::Time now);

  // Charges the group this share of the cluster from now until `end`. A share
  // of 0 means that it has ended.
  void Set(GroupId group, PayerId payer, double share, matcher::Time end);
  // Charges a group that may start in this cycle, so that further groups of its
  // accounts rank after it as if it had started. Lasts until ClearCharges().
  void Charge(PayerId payer, double share, matcher::Time duration);
  void ClearCharges();

  Standing StandingOf(PayerId payer) const;

  // The past use of a payer's groups, without the use still planned: to store,
  // and to start from.
  double UsedBy(PayerId payer) const;
  void SetUsed(PayerId payer, double used);

 private:
  struct Use {
    double used = 0;   // share * seconds, decayed
    double share = 0;  // of running groups
    double ahead = 0;  // the part of `share` before its planned end
    // The sum over `ahead` of share * 2^(-(planned end - now) / half-life).
    double cut = 0;
    double charged = 0;
    void Add(const Use& other);
  };
  struct Running {
    PayerId payer = 0;
    double share = 0;
    matcher::Time end = 0;
  };

  void Add(PayerId payer, const Use& use);
  double Decay(double seconds) const;
  double Cost(double share, double decay) const;
  double Cut(const Running& running) const;
  double Total(const Use& use) const;
  // Adds or subtracts a running group.
  void Count(GroupId group, const Running& running);
  void Discount(GroupId group, const Running& running);
  // Stops the planned use of groups whose planned end has passed.
  void RetireEnded();
  // Sums the planned use again. Rounding errors double with each half-life, and
  // would dominate the sum in time.
  void AddUpAhead();

  AccountTree& tree_;
  double half_life_ = 7 * 86'400;
  std::vector<Use> payers_;
  std::vector<Use> accounts_;
  std::map<GroupId, Running> running_;
  // Planned ends still ahead.
  std::set<std::pair<matcher::Time, GroupId>> ends_;
  std::vector<AccountId> charged_;
  matcher::Time now_ = 0;
  matcher::Time added_up_ = 0;  // when AddUpAhead() was called
};

}  // namespace fluxnetes::workers
