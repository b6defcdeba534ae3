#include "workers/fair_share.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fluxnetes::workers {
namespace {

constexpr double kLn2 = 0.693147180559945309417;
// Less is what is left of rounding.
constexpr double kLeast = 1e-9;

}  // namespace

void FairShare::Use::Add(const Use& other) {
  used += other.used;
  share += other.share;
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
  for (Use& use : payers_) use.cut = 0;
  for (const auto& [group, running] : running_)
    payers_[static_cast<std::size_t>(running.payer)].cut += Cut(running);
  Rebuild();
}

double FairShare::Decay(double seconds) const {
  return std::exp2(-seconds / half_life_);
}

// Of a share that is used until so much of it has decayed.
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
}

double FairShare::Cut(const Running& running) const {
  return running.end == matcher::kForever
             ? 0
             : running.share * Decay(static_cast<double>(running.end - now_));
}

void FairShare::Set(GroupId group, PayerId payer, double share,
                    matcher::Time end) {
  const auto known = running_.find(group);
  if (known != running_.end()) {
    const Running& before = known->second;
    Add(before.payer, {0, -before.share, -Cut(before), 0});
    running_.erase(known);
  }
  if (share <= 0) return;
  const Running running{payer, share, std::max(end, now_)};
  Add(payer, {0, share, Cut(running), 0});
  running_.emplace(group, running);
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
         half_life_ / kLn2 * std::max(0.0, use.share - use.cut);
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
