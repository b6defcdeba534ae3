// What accounts may hold at one time. A group may start if each account from
// its own up to the root has enough quota left. An account that borrows may
// exceed its own quota; the accounts above it then decide. A resource without a
// quota is not limited. Lent quota comes back by itself: groups within their
// own quota go ahead of those that borrow (`Borrows`). If the quota above both
// is used up, what such a group waits for is not lent again.
//
// A group that waits for quota keeps groups behind it from that quota, unless
// they end before enough of it is planned to come free, or leave enough of it
// then (EASY, as with nodes). A group that ends before then starts at once or
// gets no reservation: later it would end too late. Reserved amounts count as
// held against the groups behind. A group that wants more than all of a quota
// keeps no group from it.
//
// An account borrows by those of its groups that started last. They are evicted
// (preemption.h) for groups that stay within their own quota, and for no
// others. So a group that took quota back never borrows by it, and its victims
// cannot evict it in turn.
//
// Amounts are per resource of the graph. Owned by one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/units.h"
#include "workers/decision/accounts.h"
#include "workers/decision/decision.h"

namespace fluxnetes::workers {

using Amounts = std::vector<std::int64_t>;

class Quotas {
 public:
  explicit Quotas(AccountTree& tree) : tree_(tree) {}

  // The accounts or the resources are others. `index` says which resource of
  // the graph is meant; nothing: none, and nobody can hold any of it.
  template <typename Index>
  void Rebuild(const Index& index) {
    limits_.clear();
    for (std::size_t i = 0; i < tree_.size(); ++i) {
      const Account& account = tree_.at(static_cast<AccountId>(i));
      for (const auto& [resource, amount] : account.quota) {
        if (const std::optional<std::size_t> r = index(resource))
          limits_[static_cast<AccountId>(i)].emplace_back(*r, amount);
      }
    }
    HoldAgain();
  }
  // Whether any account has a quota.
  bool HasAny() const { return !limits_.empty(); }

  struct Holding {
    PayerId payer = 0;
    Amounts amounts;        // none: the group holds nothing
    matcher::Time end = 0;  // as planned
    matcher::Time start = 0;
    bool leaves = false;  // it is evicted
  };
  void Set(GroupId group, Holding holding);

  // What groups hold that are not known here, in place of what was said before.
  void SetElsewhere(std::vector<std::pair<PayerId, Amounts>> elsewhere);
  // Payers whose groups hold something else than at the last call.
  std::set<PayerId> TakeMoved() { return std::exchange(moved_, {}); }
  // What the groups of the payer hold that are known here.
  Amounts HeldBy(PayerId payer) const;
  // All that hold something.
  std::set<PayerId> Payers() const;

  // What stands against groups of this cycle is to be said anew.
  void BeginCycle();
  // Counts as held against groups that come later in the cycle.
  void Claim(PayerId payer, const Amounts& amounts);

  // Where a group is kept from starting now.
  struct Refusal {
    AccountId account = 0;
    std::size_t resource = 0;
    std::int64_t limit = 0;
    std::int64_t used = 0;  // also by groups with a reservation
    bool behind = false;    // there is room, but others wait for more
  };
  std::optional<Refusal> Refuses(PayerId payer, const Amounts& amounts,
                                 matcher::Time now,
                                 matcher::Time duration) const;
  // Others that come later in the cycle stay behind the group that is refused,
  // unless what it wants is more than a quota is.
  void Wait(PayerId payer, const Refusal& refusal, const Amounts& amounts,
            matcher::Time now);
  // The group starts: what it takes is no more left for those of whom a group
  // that waits leaves some.
  void Take(PayerId payer, const Amounts& amounts, matcher::Time end);
  // Whether it would go beyond its own quota somewhere.
  bool Borrows(PayerId payer, const Amounts& amounts) const;

  // The groups that hold what a payer could call its own who wants these
  // amounts: by which an account below one that is above both, and of all below
  // that one the first to have a quota, goes beyond this quota, of a resource
  // that is wanted and of which the payer has a quota below the same. Costs by
  // accounts and by groups that are lent something, not by those that run.
  std::set<GroupId> LentFrom(PayerId payer, const Amounts& amounts) const;
  // Whether it would be within all quotas, its own and those above, without
  // what these hold and what those hold that leave.
  bool StaysWithin(PayerId payer, const Amounts& amounts,
                   const std::vector<GroupId>& without) const;
  // The same without those that are planned to end after `now` and by `by`.
  bool StaysWithinBy(PayerId payer, const Amounts& amounts, matcher::Time now,
                     matcher::Time by) const;
  // When the last of those ends that leave, below the same account; nothing:
  // there are none.
  std::optional<matcher::Time> LeftBy(PayerId payer) const;

 private:
  using Limits = std::vector<std::pair<std::size_t, std::int64_t>>;
  // Until when others may use what a group waits for, and what beyond.
  struct Gate {
    matcher::Time until = 0;
    Amounts spare;
  };
  using ByTime = std::set<std::pair<matcher::Time, GroupId>>;
  struct Use {
    Amounts held;  // also elsewhere
    Amounts claimed;
    Amounts leaving;  // of what is held
    ByTime ends;
    ByTime starts;  // of those that do not leave
    std::optional<Gate> gate;
  };

  void HoldAgain();
  void AddElsewhere(int sign);
  void Add(GroupId group, const Holding& holding, int sign);
  static std::int64_t At(const Amounts& amounts, std::size_t resource) {
    return resource < amounts.size() ? amounts[resource] : 0;
  }
  // Of the account's limits, one that is exceeded.
  std::optional<Refusal> Exceeds(AccountId account, const Amounts& amounts,
                                 bool with_claims) const;
  std::optional<std::int64_t> LimitOf(AccountId account,
                                      std::size_t resource) const;
  // Whether an account's own quota for the resource is what stands between what
  // it holds and what the owner of this path could call its own.
  bool MayBeLent(const AccountTree::Path& owner, AccountId borrower,
                 std::size_t resource) const;
  // Whether the account has so much left when those that leave are gone and
  // these amounts, too.
  bool HasLeft(AccountId account, const Use& use, const Amounts& wanted,
               const Amounts& without) const;
  // Whether it would be more than a quota if nobody held anything of it.
  bool IsBeyondAll(PayerId payer, const Amounts& amounts) const;
  bool Passes(const Gate& gate, const Limits& limits, const Amounts& amounts,
              matcher::Time end) const;

  AccountTree& tree_;
  std::map<AccountId, Limits> limits_;
  std::map<AccountId, Use> uses_;  // of accounts with limits
  std::map<GroupId, Holding> holdings_;
  std::vector<std::pair<PayerId, Amounts>> elsewhere_;
  std::map<PayerId, Amounts> by_payer_;  // of holdings_
  std::set<PayerId> moved_;
  std::map<AccountId, ByTime> leaving_;  // when these end, by topmost account
};

}  // namespace fluxnetes::workers
