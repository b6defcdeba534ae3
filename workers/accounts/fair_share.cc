#include "workers/accounts/fair_share.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fluxnetes::workers {
namespace {

constexpr double kLn2 = 0.693147180559945309417;
// Smaller use is a rounding error.
constexpr double kLeast = 1e-9;

}  // namespace

void FairShare::Use::Add(const Use& other) {
  used += other.used;
  share += other.share;
  ahead += other.ahead;
  cut += other.cut;
  charged += other.charged;
}

void FairShare::Add(PayerId payer, const Use& use) {
  const auto at = [](auto& list, int id) -> Use& {
    const auto index = static_cast<std::size_t>(id);
    if (list.size() <= index) list.resize(index + 1);
    return list[index];
  };
  at(payers_, payer).Add(use);
  for (const AccountId account : tree_.PathOf(payer))
    at(accounts_, account).Add(use);
}

void FairShare::Rebuild() {
  ClearCharges();
  accounts_.clear();
  const std::vector<Use> before = std::exchange(payers_, {});
  for (std::size_t i = 0; i < before.size(); ++i)
    Add(static_cast<PayerId>(i), before[i]);
}

void FairShare::SetHalfLife(std::int64_t half_life) {
  if (half_life_ == static_cast<double>(half_life)) return;
  half_life_ = static_cast<double>(half_life);
  AddUpAhead();
}

void FairShare::AddUpAhead() {
  added_up_ = now_;
  ends_.clear();
  for (Use& use : payers_) use.ahead = use.cut = 0;
  for (const auto& [group, running] : running_) {
    if (running.end <= now_) continue;
    Use& use = payers_[static_cast<std::size_t>(running.payer)];
    use.ahead += running.share;
    use.cut += Cut(running);
    ends_.emplace(running.end, group);
  }
  Rebuild();
}

double FairShare::Decay(double seconds) const {
  return std::exp2(-seconds / half_life_);
}

// The cost of a share while the given part of it decays to `decay`.
double FairShare::Cost(double share, double decay) const {
  return share * half_life_ / kLn2 * (1 - decay);
}

void FairShare::Advance(matcher::Time now) {
  if (now_ == 0) now_ = now;
  if (now <= now_) return;
  const double decay = Decay(static_cast<double>(now - now_));
  now_ = now;
  for (std::vector<Use>* const list : {&payers_, &accounts_}) {
    for (Use& use : *list) {
      use.used = use.used * decay + Cost(use.share, decay);
      use.cut /= decay;
    }
  }
  if (static_cast<double>(now - added_up_) >= half_life_) {
    AddUpAhead();
  } else {
    RetireEnded();
  }
}

void FairShare::RetireEnded() {
  while (!ends_.empty() && ends_.begin()->first <= now_) {
    const Running& running = running_.at(ends_.begin()->second);
    Add(running.payer, {.ahead = -running.share, .cut = -Cut(running)});
    ends_.erase(ends_.begin());
  }
}

double FairShare::Cut(const Running& running) const {
  return running.end == matcher::kForever
             ? 0
             : running.share * Decay(static_cast<double>(running.end - now_));
}

void FairShare::Count(GroupId group, const Running& running) {
  Use use{.share = running.share};
  if (running.end > now_) {
    use.ahead = running.share;
    use.cut = Cut(running);
    ends_.emplace(running.end, group);
  }
  Add(running.payer, use);
}

void FairShare::Discount(GroupId group, const Running& running) {
  Use use{.share = -running.share};
  if (ends_.erase({running.end, group}) > 0) {
    use.ahead = -running.share;
    use.cut = -Cut(running);
  }
  Add(running.payer, use);
}

void FairShare::Set(GroupId group, PayerId payer, double share,
                    matcher::Time end) {
  const auto known = running_.find(group);
  if (known != running_.end()) {
    Discount(group, known->second);
    running_.erase(known);
  }
  if (share <= 0) return;
  Count(group,
        running_.emplace(group, Running{payer, share, end}).first->second);
}

void FairShare::Charge(PayerId payer, double share, matcher::Time duration) {
  const double cost = Cost(share, duration == matcher::kForever
                                      ? 0
                                      : Decay(static_cast<double>(duration)));
  for (const AccountId account : tree_.PathOf(payer)) {
    const auto index = static_cast<std::size_t>(account);
    if (accounts_.size() <= index) accounts_.resize(index + 1);
    accounts_[index].charged += cost;
    charged_.push_back(account);
  }
}

void FairShare::ClearCharges() {
  for (const AccountId account : charged_)
    accounts_[static_cast<std::size_t>(account)].charged = 0;
  charged_.clear();
}

double FairShare::Total(const Use& use) const {
  return use.used + use.charged +
         half_life_ / kLn2 * std::max(0.0, use.ahead - use.cut);
}

Standing FairShare::StandingOf(PayerId payer) const {
  Standing standing;
  for (const AccountId account : tree_.PathOf(payer)) {
    const auto index = static_cast<std::size_t>(account);
    const double total = index < accounts_.size() ? Total(accounts_[index]) : 0;
    const double used = total / tree_.at(account).weight;
    standing.emplace_back(
        total < kLeast
            ? -std::numeric_limits<double>::infinity()
            : std::log2(used) + static_cast<double>(now_) / half_life_,
        account);
  }
  return standing;
}

double FairShare::UsedBy(PayerId payer) const {
  const auto index = static_cast<std::size_t>(payer);
  return index < payers_.size() ? std::max(0.0, payers_[index].used) : 0;
}

void FairShare::SetUsed(PayerId payer, double used) {
  Add(payer, {used - UsedBy(payer), 0, 0, 0});
}

}  // namespace fluxnetes::workers
