#include "workers/quotas.h"

#include <algorithm>
#include <tuple>

#include "workers/schedule_head.h"

namespace fluxnetes::workers {
namespace {

void AddTo(Amounts& sum, const Amounts& more, int sign) {
  if (sum.size() < more.size()) sum.resize(more.size());
  for (std::size_t r = 0; r < more.size(); ++r) sum[r] += sign * more[r];
}

}  // namespace

void Quotas::HoldAgain() {
  uses_.clear();
  for (const auto& [account, limits] : limits_) uses_[account];
  for (const auto& [group, holding] : holdings_) Add(group, holding, 1);
  for (const auto& [payer, amounts] : elsewhere_) {
    for (const AccountId account : tree_.PathOf(payer)) {
      const auto use = uses_.find(account);
      if (use == uses_.end()) continue;
      AddTo(use->second.elsewhere, amounts, 1);
      AddTo(use->second.held, amounts, 1);
    }
  }
}

void Quotas::SetElsewhere(std::vector<std::pair<PayerId, Amounts>> elsewhere) {
  elsewhere_ = std::move(elsewhere);
  HoldAgain();
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
  for (const AccountId account : tree_.PathOf(holding.payer)) {
    const auto use = uses_.find(account);
    if (use == uses_.end()) continue;
    AddTo(use->second.held, holding.amounts, sign);
    if (holding.leaves) AddTo(use->second.leaving, holding.amounts, sign);
    if (sign > 0) {
      use->second.ends.emplace(holding.end, group);
    } else {
      use->second.ends.erase({holding.end, group});
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
        Passes(*gate, limits, amounts, EndOf(now, duration)))
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

bool Quotas::IsLent(const AccountTree::Path& owner, const Amounts& wanted,
                    const Holding& holding,
                    const std::map<AccountId, Amounts>& held) const {
  const AccountTree::Path& borrower = tree_.PathOf(holding.payer);
  const auto [own, theirs] = std::mismatch(owner.begin(), owner.end(),
                                           borrower.begin(), borrower.end());
  for (std::size_t r = 0; r < wanted.size(); ++r) {
    const auto limits_it = [&](AccountId account) {
      return LimitOf(account, r).has_value();
    };
    if (wanted[r] <= 0 || At(holding.amounts, r) <= 0 ||
        std::none_of(own, owner.end(), limits_it))
      continue;
    const auto first = std::find_if(theirs, borrower.end(), limits_it);
    if (first != borrower.end() && tree_.at(*first).borrows &&
        At(held.at(*first), r) > *LimitOf(*first, r))
      return true;
  }
  return false;
}

std::set<GroupId> Quotas::LentFrom(PayerId payer,
                                   const Amounts& amounts) const {
  std::vector<std::tuple<matcher::Time, GroupId, const Holding*>> by_start;
  for (const auto& [group, holding] : holdings_)
    if (!holding.leaves) by_start.emplace_back(holding.start, group, &holding);
  std::sort(by_start.begin(), by_start.end());
  std::set<GroupId> lent;
  std::map<AccountId, Amounts> held;
  for (const auto& [account, use] : uses_) held[account] = use.elsewhere;
  const AccountTree::Path owner = tree_.PathOf(payer);
  for (const auto& [start, group, holding] : by_start) {
    for (const AccountId account : tree_.PathOf(holding->payer))
      AddTo(held[account], holding->amounts, 1);
    if (IsLent(owner, amounts, *holding, held)) lent.insert(group);
  }
  return lent;
}

bool Quotas::StaysWithin(PayerId payer, const Amounts& amounts,
                         const std::vector<GroupId>& without) const {
  const AccountTree::Path path = tree_.PathOf(payer);
  return std::all_of(path.begin(), path.end(), [&](AccountId account) {
    const auto use = uses_.find(account);
    if (use == uses_.end()) return true;
    Amounts used = use->second.held;
    AddTo(used, use->second.claimed, 1);
    AddTo(used, use->second.leaving, -1);
    for (const GroupId group : without) {
      const auto holding = holdings_.find(group);
      if (holding == holdings_.end() || holding->second.leaves) continue;
      const AccountTree::Path& theirs = tree_.PathOf(holding->second.payer);
      if (std::find(theirs.begin(), theirs.end(), account) != theirs.end())
        AddTo(used, holding->second.amounts, -1);
    }
    const Limits& limits = limits_.at(account);
    return std::all_of(limits.begin(), limits.end(), [&](const auto& limit) {
      const std::int64_t wanted = At(amounts, limit.first);
      return wanted <= 0 || wanted <= limit.second - At(used, limit.first);
    });
  });
}

std::vector<GroupId> Quotas::EndingBy(matcher::Time now,
                                      matcher::Time by) const {
  std::vector<GroupId> groups;
  for (const auto& [group, holding] : holdings_)
    if (holding.end > now && holding.end <= by) groups.push_back(group);
  return groups;
}

std::optional<matcher::Time> Quotas::LeftBy(PayerId payer) const {
  std::optional<matcher::Time> last;
  const AccountId top = tree_.PathOf(payer).front();
  for (const auto& [group, holding] : holdings_)
    if (holding.leaves && tree_.PathOf(holding.payer).front() == top)
      last = std::max(last.value_or(0), holding.end);
  return last;
}

}  // namespace fluxnetes::workers
