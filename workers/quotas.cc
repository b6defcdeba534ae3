#include "workers/quotas.h"

#include <algorithm>

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
}

void Quotas::Add(GroupId group, const Holding& holding, int sign) {
  if (limits_.empty()) return;
  for (const AccountId account : tree_.PathOf(holding.payer)) {
    const auto use = uses_.find(account);
    if (use == uses_.end()) continue;
    AddTo(use->second.held, holding.amounts, sign);
    if (sign > 0) {
      use->second.ends.emplace(holding.end, group);
    } else {
      use->second.ends.erase({holding.end, group});
    }
  }
}

void Quotas::Set(GroupId group, PayerId payer, Amounts amounts,
                 matcher::Time end) {
  const auto known = holdings_.find(group);
  if (known != holdings_.end()) {
    Add(group, known->second, -1);
    holdings_.erase(known);
  }
  if (amounts.empty()) return;
  const auto& added =
      holdings_.emplace(group, Holding{payer, std::move(amounts), end});
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

void Quotas::Wait(PayerId payer, const Refusal& refusal, const Amounts& amounts,
                  matcher::Time now) {
  if (refusal.behind) return;
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

}  // namespace fluxnetes::workers
