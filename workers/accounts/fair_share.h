// How much of their share accounts have used. A group costs what it takes of
// the cluster, the resource of which it takes most (dominant share: Ghodsi et
// al. 2011, "Dominant Resource Fairness"), times how long; what was used counts
// half as much after a half-life. That a group will go on to its planned end
// counts as soon as it starts, so that one account cannot start everything
// before it is seen to use anything; what it leaves unused comes off when it
// ends.
//
//   use(t) = sum over groups of the account of
//            share * integral from start to planned or real end of
//            2^(-|t - s| / half-life) ds
//
// Who has used least for its weight goes first, at each level of the tree of
// accounts from the root down.
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

// Where a payer's next group stands: on each level what its account has used
// for its weight, in powers of two, and the account; less goes first. While
// nothing happens to an account the number stays the same, as time passes: what
// was used long ago is worth less, and so is what it is compared with.
using Standing = std::vector<std::pair<double, AccountId>>;

class FairShare {
 public:
  explicit FairShare(AccountTree& tree) : tree_(tree) {}

  // Seconds, above 0. What was used is worth as much now as it was before.
  void SetHalfLife(std::int64_t half_life);
  // The accounts are others: adds up anew what each has used.
  void Rebuild();
  // A time before one that was given changes nothing.
  void Advance(matcher::Time now);

  // From now on the group takes this share of the cluster, until `end`; 0: it
  // has ended.
  void Set(GroupId group, PayerId payer, double share, matcher::Time end);
  // The group may start in this cycle, before others of its account: those
  // come after it as if it had. Until ClearCharges().
  void Charge(PayerId payer, double share, matcher::Time duration);
  void ClearCharges();

  Standing StandingOf(PayerId payer) const;

  // What a payer's groups have used until now, without what they will; to be
  // kept, and to begin with.
  double UsedBy(PayerId payer) const;
  void SetUsed(PayerId payer, double used);

 private:
  struct Use {
    double used = 0;   // share * seconds, decayed
    double share = 0;  // of what runs
    double ahead = 0;  // of what has not come to its planned end
    // Of these: share * 2^(-(planned end - now) / half-life).
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
  // A running group, and that it is none any more.
  void Count(GroupId group, const Running& running);
  void Discount(GroupId group, const Running& running);
  // Those whose planned end has passed will use nothing more that is known.
  void RetireEnded();
  // Adds up anew what is to come: what is left of rounding doubles with each
  // half-life, and would be all that there is in the end.
  void AddUpAhead();

  AccountTree& tree_;
  double half_life_ = 7 * 86'400;
  std::vector<Use> payers_;
  std::vector<Use> accounts_;
  std::map<GroupId, Running> running_;
  std::set<std::pair<matcher::Time, GroupId>> ends_;  // that are to come
  std::vector<AccountId> charged_;
  matcher::Time now_ = 0;
  matcher::Time added_up_ = 0;  // when AddUpAhead() was called
};

}  // namespace fluxnetes::workers
