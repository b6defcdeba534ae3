#include "matcher/node_devices/pool_takings.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace fluxnetes::matcher {
void PoolTakings::Taken::Add(const SlotUse& use) {
  if (use.admin) return;
  if (!use.share.empty()) {
    DeviceAmounts& of = shares[use.slot];
    for (const auto& [name, amount] : use.amounts) of[name].nano += amount.nano;
    return;
  }
  const auto word = static_cast<std::size_t>(use.slot) / 64;
  if (word >= alone.size()) alone.resize(word + 1);
  alone[word] |= std::uint64_t{1} << (use.slot % 64);
}

void PoolTakings::Change() {
  seen_.known = false;
  empty_.known = false;
}

void PoolTakings::Add(Taking taking) {
  takings_.push_back(std::move(taking));
  Change();
}

void PoolTakings::Remove(JobId job, int task) {
  std::erase_if(takings_, [&](const Taking& each) {
    return each.job == job && each.task == task;
  });
  Change();
}

void PoolTakings::SetAllocated(const std::string& claim,
                               std::vector<SlotUse> uses) {
  allocated_.insert_or_assign(claim, std::move(uses));
  Change();
}

void PoolTakings::ForgetAllocated(const std::string& claim) {
  if (allocated_.erase(claim) > 0) Change();
}

bool PoolTakings::IsWithout(const InsideWindow& window, JobId job) {
  return std::ranges::find(window.without, job) != window.without.end();
}

bool PoolTakings::Meets(const Taking& taking, const InsideWindow& window) {
  const bool now = window.from <= window.now;
  return taking.start < window.end && (now || taking.end > window.from);
}

bool PoolTakings::Covers(const InsideWindow& window) const {
  const Seen& seen = seen_;
  return seen.known && seen.now == (window.from <= window.now) &&
         seen.first_from <= window.from && window.from <= seen.last_from &&
         seen.first_end <= window.end && window.end <= seen.last_end &&
         seen.first_now <= window.now && window.now <= seen.last_now;
}

// What a claim of the cluster has counts, unless a task has it: now, or ever.
void PoolTakings::LookAtAllocated(Time now, bool ever, Seen& seen) const {
  if (allocated_.empty()) return;
  std::set<std::pair<SlotId, std::string>> held;
  for (const Taking& taking : takings_) {
    if (taking.use.admin) continue;
    if (ever || taking.start <= now) {
      held.emplace(taking.use.slot, taking.use.share);
      seen.first_now = std::max(seen.first_now, taking.start);
    } else {
      seen.last_now = std::min(seen.last_now, taking.start - 1);
    }
  }
  for (const auto& [claim, uses] : allocated_) {
    for (const SlotUse& use : uses) {
      if (use.admin || held.contains({use.slot, use.share})) continue;
      seen.taken.Add(use);
    }
  }
}

void PoolTakings::Look(const InsideWindow& window, Seen& seen) const {
  const bool now = window.from <= window.now;
  constexpr Time kEarliest = std::numeric_limits<Time>::min();
  seen = {true,     now,       kEarliest, kForever, kEarliest,
          kForever, kEarliest, kForever,  {}};
  std::set<std::pair<SlotId, std::string>> of_claims;
  for (const Taking& taking : takings_) {
    const SlotUse& use = taking.use;
    if (use.admin || IsWithout(window, taking.job)) continue;
    if (taking.start >= window.end) {
      seen.last_end = std::min(seen.last_end, taking.start);
      continue;
    }
    if (!now && taking.end <= window.from) {
      seen.first_from = std::max(seen.first_from, taking.end);
      continue;
    }
    seen.first_end = std::max(seen.first_end, taking.start + 1);
    if (!now) seen.last_from = std::min(seen.last_from, taking.end - 1);
    // What tasks share by a claim counts once.
    const bool counts = use.share.empty() || use.claim.empty() ||
                        of_claims.emplace(use.slot, use.share).second;
    if (counts) seen.taken.Add(use);
  }
  LookAtAllocated(window.now, false, seen);
}

// What is the same as before keeps its number.
void PoolTakings::Number(Taken& taken) {
  taken.number = last_.number;
  if (numbers_ > 0 && taken == last_) return;
  taken.number = ++numbers_;
  last_ = taken;
}

const PoolTakings::Taken& PoolTakings::In(const InsideWindow& window) {
  const auto is_without = [&](const Taking& each) {
    return IsWithout(window, each.job);
  };
  if (!window.without.empty() && std::ranges::any_of(takings_, is_without)) {
    Look(window, fresh_);
    return fresh_.taken;
  }
  if (!Covers(window)) {
    Look(window, seen_);
    Number(seen_.taken);
  }
  return seen_.taken;
}

const PoolTakings::Taken& PoolTakings::Empty() {
  if (!empty_.known) {
    empty_ = {};
    empty_.known = true;
    LookAtAllocated(0, true, empty_);
    empty_.taken.number = ++numbers_;
  }
  return empty_.taken;
}

bool PoolTakings::IsFree(SlotId slot, bool share, const std::string& claim,
                         const InsideWindow& window) const {
  std::set<std::string> own;  // shares of tasks now, whose claims these are
  for (const Taking& taking : takings_) {
    if (taking.use.slot != slot || taking.use.admin) continue;
    if (taking.start <= window.now) own.insert(taking.use.share);
    if (share && !taking.use.share.empty()) continue;
    if (!claim.empty() && taking.use.claim == claim) continue;
    if (!IsWithout(window, taking.job) && Meets(taking, window)) return false;
  }
  for (const auto& [of, uses] : allocated_) {
    if (!claim.empty() && of == claim) continue;
    for (const SlotUse& use : uses) {
      const bool is_here =
          use.slot == slot && !use.admin && !own.contains(use.share);
      if (is_here && (!share || use.share.empty())) return false;
    }
  }
  return true;
}

}  // namespace fluxnetes::matcher
