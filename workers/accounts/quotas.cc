#include "workers/accounts/quotas.h"

#include <algorithm>
#include <limits>

namespace fluxnetes::workers {
namespace {

void AddTo(Amounts& sum, const Amounts& more, int sign) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t r = 0; r < more.size(); ++r) sum[r] += sign * more[r];
}

}  // namespace

void Quotas::HoldAgain() {
  uses_.clear();
  leaving_.clear();
  for (const auto& [account, limits] : limits_) uses_[account];
  for (const auto& [group, holding] : holdings_) Add(group, holding, 1);
  AddElsewhere(1);
}

void Quotas::AddElsewhere(int sign) {
  for (const auto& [payer, amounts] : elsewhere_) {
    for (const AccountId account : tree_.PathOf(payer)) {
      const auto use = uses_.find(account);
      if (use != uses_.end()) AddTo(use->second.held, amounts, sign);
    }
  }
}

void Quotas::SetElsewhere(std::vector<std::pair<PayerId, Amounts>> elsewhere) {
  AddElsewhere(-1);
  elsewhere_ = std::move(elsewhere);
  AddElsewhere(1);
}

Amounts Quotas::HeldBy(PayerId payer) const {
  const auto held = by_payer_.find(payer);
  return held == by_payer_.end() ? Amounts{} : held->second;
}

std::set<PayerId> Quotas::Payers() const {
  std::set<PayerId> payers;
  for (const auto& [payer, amounts] : by_payer_) payers.insert(payer);
  return payers;
}

void Quotas::Add(GroupId group, const Holding& holding, int sign) {
  if (limits_.empty()) return;
  const auto note = [&](ByTime& groups, matcher::Time time) {
    if (sign > 0) {
      groups.emplace(time, group);
    } else {
      groups.erase({time, group});
    }
  };
  const AccountTree::Path& path = tree_.PathOf(holding.payer);
  if (holding.leaves) note(leaving_[path.front()], holding.end);
  for (const AccountId account : path) {
    const auto found = uses_.find(account);
    if (found == uses_.end()) continue;
    Use& use = found->second;
    AddTo(use.held, holding.amounts, sign);
    note(use.ends, holding.end);
    if (holding.leaves) {
      AddTo(use.leaving, holding.amounts, sign);
    } else {
      note(use.starts, holding.start);
    }
  }
}

void Quotas::Set(GroupId group, Holding holding) {
  const auto count = [this](const Holding& each, int sign) {
    AddTo(by_payer_[each.payer], each.amounts, sign);
    moved_.insert(each.payer);
  };
  const auto known = holdings_.find(group);
  if (known != holdings_.end()) {
    Add(group, known->second, -1);
    count(known->second, -1);
    holdings_.erase(known);
  }
  if (holding.amounts.empty()) return;
  count(holding, 1);
  const auto& added = holdings_.emplace(group, std::move(holding));
  Add(group, added.first->second, 1);
}

void Quotas::BeginCycle() {
  for (auto& [account, use] : uses_) {
    use.claimed.clear();
    use.gate.reset();
  }
}

void Quotas::Claim(PayerId payer, const Amounts& amounts) {
  if (limits_.empty()) return;
  for (const AccountId account : tree_.PathOf(payer)) {
    const auto use = uses_.find(account);
    if (use != uses_.end()) AddTo(use->second.claimed, amounts, 1);
  }
}

std::optional<Quotas::Refusal> Quotas::Exceeds(AccountId account,
                                               const Amounts& amounts,
                                               bool with_claims) const {
  const Use& use = uses_.at(account);
  for (const auto& [resource, limit] : limits_.at(account)) {
    const std::int64_t wanted = At(amounts, resource);
    const std::int64_t used =
        At(use.held, resource) + (with_claims ? At(use.claimed, resource) : 0);
    if (wanted > 0 && wanted > limit - used)
      return Refusal{account, resource, limit, used};
  }
  return std::nullopt;
}

bool Quotas::Passes(const Gate& gate, const Limits& limits,
                    const Amounts& amounts, matcher::Time end) const {
  if (end <= gate.until) return true;
  return std::all_of(limits.begin(), limits.end(), [&](const auto& limit) {
    return At(amounts, limit.first) <= At(gate.spare, limit.first);
  });
}

std::optional<Quotas::Refusal> Quotas::Refuses(PayerId payer,
                                               const Amounts& amounts,
                                               matcher::Time now,
                                               matcher::Time duration) const {
  if (limits_.empty()) return std::nullopt;
  const AccountTree::Path& path = tree_.PathOf(payer);
  for (auto account = path.rbegin(); account != path.rend(); ++account) {
    const auto use = uses_.find(*account);
    if (use == uses_.end()) continue;
    const auto exceeded = Exceeds(*account, amounts, true);
    if (exceeded && !tree_.at(*account).borrows) return exceeded;
    const auto& gate = use->second.gate;
    if (!gate || exceeded) continue;
    const Limits& limits = limits_.at(*account);
    const auto taken = std::find_if(
        limits.begin(), limits.end(),
        [&](const auto& limit) { return At(amounts, limit.first) > 0; });
    if (taken == limits.end() ||
        Passes(*gate, limits, amounts, matcher::EndOf(now, duration)))
      continue;
    return Refusal{*account, taken->first, taken->second,
                   At(use->second.held, taken->first), true};
  }
  return std::nullopt;
}

bool Quotas::IsBeyondAll(PayerId payer, const Amounts& amounts) const {
  const AccountTree::Path& path = tree_.PathOf(payer);
  return std::any_of(path.begin(), path.end(), [&](AccountId account) {
    const auto limits = limits_.find(account);
    return limits != limits_.end() && !tree_.at(account).borrows &&
           std::any_of(limits->second.begin(), limits->second.end(),
                       [&](const auto& limit) {
                         return At(amounts, limit.first) > limit.second;
                       });
  });
}

void Quotas::Wait(PayerId payer, const Refusal& refusal, const Amounts& amounts,
                  matcher::Time now) {
  if (refusal.behind || IsBeyondAll(payer, amounts)) return;
  const AccountTree::Path& path = tree_.PathOf(payer);
  for (auto account = path.rbegin(); account != path.rend(); ++account) {
    const auto found = uses_.find(*account);
    if (found != uses_.end() && !found->second.gate) {
      Use& use = found->second;
      const Limits& limits = limits_.at(*account);
      Gate gate{now, {}};
      Amounts held = use.held;
      AddTo(held, use.claimed, 1);
      const auto fits = [&] {
        return std::all_of(limits.begin(), limits.end(), [&](auto& limit) {
          return At(amounts, limit.first) <=
                 limit.second - At(held, limit.first);
        });
      };
      auto end = use.ends.begin();
      while (!fits() && end != use.ends.end() &&
             end->first != matcher::kForever) {
        gate.until = std::max(now, end->first);
        AddTo(held, holdings_.at(end->second).amounts, -1);
        ++end;
      }
      if (fits()) {
        for (const auto& [resource, limit] : limits) {
          if (gate.spare.size() <= resource) gate.spare.resize(resource + 1);
          gate.spare[resource] =
              limit - At(held, resource) - At(amounts, resource);
        }
      } else {
        gate.until = now;  // nobody can say when
      }
      use.gate = std::move(gate);
    }
    if (*account == refusal.account) return;
  }
}

void Quotas::Take(PayerId payer, const Amounts& amounts, matcher::Time end) {
  if (limits_.empty()) return;
  for (const AccountId account : tree_.PathOf(payer)) {
    const auto use = uses_.find(account);
    if (use == uses_.end() || !use->second.gate) continue;
    Gate& gate = *use->second.gate;
    if (end <= gate.until) continue;
    for (std::size_t r = 0; r < gate.spare.size(); ++r)
      gate.spare[r] -= At(amounts, r);
  }
}

bool Quotas::Borrows(PayerId payer, const Amounts& amounts) const {
  if (limits_.empty()) return false;
  const AccountTree::Path& path = tree_.PathOf(payer);
  return std::any_of(path.begin(), path.end(), [&](AccountId account) {
    return uses_.contains(account) && tree_.at(account).borrows &&
           Exceeds(account, amounts, false);
  });
}

std::optional<std::int64_t> Quotas::LimitOf(AccountId account,
                                            std::size_t resource) const {
  const auto limits = limits_.find(account);
  if (limits == limits_.end()) return std::nullopt;
  for (const auto& [limited, amount] : limits->second)
    if (limited == resource) return amount;
  return std::nullopt;
}

bool Quotas::MayBeLent(const AccountTree::Path& owner, AccountId borrower,
                       std::size_t resource) const {
  if (!tree_.at(borrower).borrows || !LimitOf(borrower, resource)) return false;
  const AccountTree::Path path = tree_.PathTo(borrower);
  const auto [own, theirs] =
      std::mismatch(owner.begin(), owner.end(), path.begin(), path.end());
  const auto limits_it = [&](AccountId account) {
    return LimitOf(account, resource).has_value();
  };
  return std::any_of(own, owner.end(), limits_it) && theirs != path.end() &&
         std::none_of(theirs, path.end() - 1, limits_it);
}

std::set<GroupId> Quotas::LentFrom(PayerId payer,
                                   const Amounts& amounts) const {
  std::set<GroupId> lent;
  const AccountTree::Path owner = tree_.PathOf(payer);
  for (const auto& [account, use] : uses_) {
    for (const auto& [resource, limit] : limits_.at(account)) {
      std::int64_t held = At(use.held, resource) - At(use.leaving, resource);
      if (At(amounts, resource) <= 0 || held <= limit ||
          !MayBeLent(owner, account, resource))
        continue;
      for (auto last = use.starts.rbegin();
           held > limit && last != use.starts.rend(); ++last) {
        const std::int64_t by_it =
            At(holdings_.at(last->second).amounts, resource);
        if (by_it > 0) lent.insert(last->second);
        held -= by_it;
      }
    }
  }
  return lent;
}

bool Quotas::HasLeft(AccountId account, const Use& use, const Amounts& wanted,
                     const Amounts& without) const {
  const Limits& limits = limits_.at(account);
  return std::all_of(limits.begin(), limits.end(), [&](const auto& limit) {
    const std::size_t r = limit.first;
    const std::int64_t used = At(use.held, r) + At(use.claimed, r) -
                              At(use.leaving, r) - At(without, r);
    return At(wanted, r) <= 0 || At(wanted, r) <= limit.second - used;
  });
}

bool Quotas::StaysWithin(PayerId payer, const Amounts& amounts,
                         const std::vector<GroupId>& without) const {
  const AccountTree::Path& path = tree_.PathOf(payer);
  return std::all_of(path.begin(), path.end(), [&](AccountId account) {
    const auto use = uses_.find(account);
    if (use == uses_.end()) return true;
    Amounts gone;
    for (const GroupId group : without) {
      const auto holding = holdings_.find(group);
      if (holding == holdings_.end() || holding->second.leaves) continue;
      const AccountTree::Path& theirs = tree_.PathOf(holding->second.payer);
      if (std::find(theirs.begin(), theirs.end(), account) != theirs.end())
        AddTo(gone, holding->second.amounts, 1);
    }
    return HasLeft(account, use->second, amounts, gone);
  });
}

bool Quotas::StaysWithinBy(PayerId payer, const Amounts& amounts,
                           matcher::Time now, matcher::Time by) const {
  const AccountTree::Path& path = tree_.PathOf(payer);
  return std::all_of(path.begin(), path.end(), [&](AccountId account) {
    const auto found = uses_.find(account);
    if (found == uses_.end()) return true;
    const Use& use = found->second;
    constexpr GroupId kLast = std::numeric_limits<GroupId>::max();
    Amounts gone;
    for (auto end = use.ends.upper_bound({now, kLast});
         !HasLeft(account, use, amounts, gone); ++end) {
      if (end == use.ends.end() || end->first > by) return false;
      const Holding& holding = holdings_.at(end->second);
      if (!holding.leaves) AddTo(gone, holding.amounts, 1);
    }
    return true;
  });
}

std::optional<matcher::Time> Quotas::LeftBy(PayerId payer) const {
  const auto found = leaving_.find(tree_.PathOf(payer).front());
  if (found == leaving_.end() || found->second.empty()) return std::nullopt;
  return found->second.rbegin()->first;
}

}  // namespace fluxnetes::workers
