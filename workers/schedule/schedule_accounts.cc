#include "workers/schedule/schedule_accounts.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::workers {

bool ScheduleAccounts::Set(const std::vector<Account>& accounts) {
  if (accounts == accounts_) return false;
  accounts_ = accounts;
  tree_.Set(accounts);
  share_.Rebuild();
  quotas_.Rebuild(
      [this](const std::string& name) { return graph_.IndexOf(name); });
  Update();
  return true;
}

bool ScheduleAccounts::SetFair(std::optional<std::int64_t> half_life) {
  fair_ = half_life.has_value();
  if (half_life) share_.SetHalfLife(*half_life);
  return Update();
}

bool ScheduleAccounts::Update() {
  const bool matters = fair_ || tree_.HasAccounts();
  if (matters == matter_) return false;
  matter_ = matters;
  if (matters) graph_.TouchAll();
  return true;
}

std::string ScheduleAccounts::NameOf(AccountId account) const {
  return tree_.at(account).name;
}

void ScheduleAccounts::SetUsed(const std::vector<AccountUse>& used,
                               matcher::Time at) {
  share_.Advance(at);
  for (const AccountUse& each : used)
    share_.SetUsed(tree_.Intern(each.payer), each.used);
}

bool ScheduleAccounts::SetElsewhere(
    const std::vector<AccountHolds>& elsewhere) {
  if (elsewhere_ == elsewhere) return false;
  elsewhere_ = elsewhere;
  std::vector<std::pair<PayerId, Amounts>> holds;
  for (const AccountHolds& each : elsewhere) {
    Amounts amounts;
    for (const auto& [resource, amount] : each.amounts) {
      const std::size_t index = graph_.IndexOf(resource);
      if (amounts.size() <= index) amounts.resize(index + 1);
      amounts[index] = amount;
    }
    holds.emplace_back(tree_.Intern(each.payer), std::move(amounts));
  }
  quotas_.SetElsewhere(std::move(holds));
  return true;
}

std::optional<HoldsNews> ScheduleAccounts::TakeHolds(matcher::Time now) {
  if (!elsewhere_) return std::nullopt;
  TakeHeld(now);
  HoldsNews news{!std::exchange(holds_said_, true), {}};
  const std::set<PayerId> moved = quotas_.TakeMoved();
  if (!news.all && moved.empty()) return std::nullopt;
  const auto& names = graph_.graph().resources();
  for (const PayerId payer : news.all ? quotas_.Payers() : moved) {
    AccountHolds& holds = news.holds.emplace_back();
    holds.payer = tree_.payer(payer);
    const Amounts amounts = quotas_.HeldBy(payer);
    for (std::size_t r = 0; r < amounts.size(); ++r)
      holds.amounts.emplace(names[r], amounts[r]);
  }
  return news;
}

std::vector<AccountUse> ScheduleAccounts::TakeUsed(matcher::Time now) {
  constexpr matcher::Time kBetween = 60;  // seconds
  std::vector<AccountUse> used;
  if (!fair_ || now < said_at_ + kBetween) return used;
  said_at_ = now;
  for (std::size_t i = 0; i < tree_.payers(); ++i) {
    const auto payer = static_cast<PayerId>(i);
    const double by_payer = share_.UsedBy(payer);
    if (by_payer > 0) used.push_back({tree_.payer(payer), by_payer});
  }
  return used;
}

void ScheduleAccounts::TakeHeld(matcher::Time now) {
  const std::vector<GroupId> touched = graph_.TakeTouched();
  if (!matter_) return;
  share_.Advance(now);
  for (const GroupId group : touched) Charge(group);
}

void ScheduleAccounts::Charge(GroupId group) {
  const Held* held = graph_.holdings().HeldBy(group);
  if (held == nullptr) {
    share_.Set(group, 0, 0, 0);
    quotas_.Set(group, {});
    return;
  }
  const PayerId payer =
      tree_.Intern({held->queue, held->namespace_name, held->account});
  Amounts amounts = graph_.AmountsOf(*held);
  const matcher::Time end = graph_.PlannedEnd(*held);
  share_.Set(group, payer, ShareOf(amounts), end);
  // The schedule of its queue reports what it holds.
  if (held->of_another_component) return quotas_.Set(group, {});
  quotas_.Set(group, {payer, std::move(amounts), end, held->start,
                      held->evicted_for != 0});
}

void ScheduleAccounts::BeginCycle(matcher::Time now) {
  TakeHeld(now);
  if (!matter_) return;
  share_.ClearCharges();
  quotas_.BeginCycle();
}

double ScheduleAccounts::ShareOf(const Amounts& amounts) const {
  const std::vector<double>& all = graph_.Capacity();
  double share = 0;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    if (amounts[r] > 0 && r < all.size() && all[r] > 0)
      share = std::max(share, static_cast<double>(amounts[r]) / all[r]);
  }
  return share;
}

Standing ScheduleAccounts::StandingOf(const WaitingGroup& group, bool fair) {
  Standing standing;
  if (fair) standing = share_.StandingOf(group.payer);
  if (quotas_.HasAny()) {
    const bool borrows = quotas_.Borrows(group.payer, group.line->amounts);
    standing.insert(standing.begin(), {borrows ? 1.0 : 0.0, 0});
  }
  return standing;
}

void ScheduleAccounts::Charge(const WaitingGroup& group) {
  share_.Charge(group.payer, ShareOf(group.line->amounts),
                group.line->gang.duration);
}

}  // namespace fluxnetes::workers
