#include "matcher/devices/device_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include "matcher/devices/request_amounts.h"

namespace fluxnetes::matcher {

bool IsTolerated(const DeviceTaint& taint,
                 const std::vector<DeviceToleration>& tolerations) {
  using Effect = DeviceTaint::Effect;
  if (taint.effect == Effect::kNone) return true;
  return std::ranges::any_of(tolerations, [&](const DeviceToleration& each) {
    if (each.effect && *each.effect != taint.effect) return false;
    if (!each.key.empty() && each.key != taint.key) return false;
    return each.exists || each.value == taint.value;
  });
}

bool Concerns(const DeviceConstraint& constraint, const DeviceRequest& request,
              const DeviceChoice& choice) {
  if (constraint.requests.empty()) return true;
  const auto names = [&](const std::string& name) {
    return std::ranges::find(constraint.requests, name) !=
           constraint.requests.end();
  };
  return names(request.name) ||
         (!choice.name.empty() && names(request.name + "/" + choice.name));
}

std::optional<std::vector<Int128>> AmountsOfPick(const DeviceKinds& kinds,
                                                 KindId kind,
                                                 const DeviceChoice& wanted) {
  const auto taken =
      AmountsTaken(wanted.amounts, kinds.driver_of(kind), kinds.traits(kind));
  if (!taken) return std::nullopt;
  std::vector<Int128> amounts;
  for (const auto& [name, amount] : *taken) amounts.push_back(amount.nano);
  return amounts;
}

namespace {

class DeviceSearch {
 public:
  DeviceSearch(const DeviceKinds& kinds, const DeviceLayout& layout,
               const DeviceQuestion& question, DeviceWords words)
      : kinds_(kinds),
        layout_(layout),
        question_(question),
        words_(std::move(words)),
        state_(layout, words_),
        size_(static_cast<int>(layout.positions.size())),
        claims_of_(layout.positions.size(), 0),
        shared_by_(layout.positions.size(), 0),
        amounts_(layout.amounts, 0),
        left_(layout.counters),
        devices_of_claim_(kMostClaims, 0),
        values_(question.constraints.size()) {
    for (std::size_t c = 0; c < values_.size(); ++c) {
      const auto& bound_to = question.constraints[c].bound_to;
      if (bound_to) values_[c].push_back(*bound_to);
    }
    for (std::size_t c = 0; c < left_.size(); ++c) {
      left_[c] -= state_.outside(static_cast<int>(c));
    }
    for (int p = 0; p < size_; ++p) {
      if (state_.IsTaken(p) || IsSharedAlready(p)) Count(p, -1);
    }
  }

  DeviceFind Run() {
    if (AllCanBeTold() && RequestFrom(0)) {
      result_.found = true;
      for (const DevicePick& pick : result_.picks) Settle(pick);
      result_.next = std::move(words_);
    } else {
      result_.picks.clear();
    }
    return std::move(result_);
  }

 private:
  using Choice = DeviceQuestion::Choice;
  using Verdict = DeviceKinds::Verdict;
  struct At {
    int request = 0;
    int choice = 0;
  };

  const Choice& Of(const At& at) const {
    return question_.requests[at.request].choices[at.choice];
  }
  int ClaimOf(const At& at) const {
    return question_.requests[at.request].claim;
  }
  bool IsSharedAlready(int position) const {
    const int share = layout_.positions[position].share;
    return share >= 0 && state_.IsShared(share);
  }
  bool Stopped() const { return result_.given_up || result_.bad_position >= 0; }

  // Lists the devices of each request for all; false if one cannot be told.
  bool AllCanBeTold() {
    const bool whole =
        std::ranges::none_of(layout_.pools, [](const DeviceLayout::Pool& pool) {
          return pool.incomplete || pool.invalid;
        });
    for (At at; at.request < static_cast<int>(question_.requests.size());
         ++at.request) {
      auto& lists = all_.emplace_back();
      const int choices =
          static_cast<int>(question_.requests[at.request].choices.size());
      for (at.choice = 0; at.choice < choices; ++at.choice) {
        auto& list = lists.emplace_back();
        if (Of(at).probe == kNone) return false;
        if (!Of(at).all) continue;
        if (!whole) return false;
        for (int p = 0; p < size_; ++p) {
          if (Selects(at, p) && HasCapacity(at, p)) list.push_back(p);
          if (Stopped()) return false;
        }
      }
    }
    return true;
  }

  bool Selects(const At& at, int position) {
    const Verdict verdict =
        kinds_.verdict(layout_.positions[position].kind, Of(at).probe);
    if (verdict != Verdict::kError) return verdict == Verdict::kYes;
    result_.bad_position = position;
    result_.bad_request = at.request;
    result_.bad_choice = at.choice;
    return false;
  }

  bool HasCapacity(const At& at, int position) const {
    const DeviceLayout::Position& device = layout_.positions[position];
    const DeviceChoice& choice = *Of(at).wanted;
    const bool has_policy = !kinds_.traits(device.kind).policies.empty();
    if (device.share < 0 && choice.amounts.empty() && !has_policy) return true;
    const auto wanted = AmountsOfPick(kinds_, device.kind, choice);
    if (!wanted) return false;
    if (device.share < 0) return true;
    int amount = device.amounts;
    std::size_t i = 0;
    for (const auto& [name, has] : kinds_.traits(device.kind).capacity) {
      const Int128 taken = state_.amount(amount) + amounts_[amount];
      if (taken + (*wanted)[i] > has.nano) return false;
      ++amount;
      ++i;
    }
    return true;
  }

  bool RequestFrom(int request) {
    if (request == static_cast<int>(question_.requests.size())) return true;
    const auto& choices = question_.requests[request].choices;
    for (At at{request, 0}; at.choice < static_cast<int>(choices.size());
         ++at.choice) {
      if (DeviceFrom(at, 0, 0)) return true;
      if (Stopped()) return false;
    }
    return false;
  }

  // `taken` devices of the choice are taken; the next is at `start` or behind.
  bool DeviceFrom(const At& at, int taken, int start) {
    if (Stopped()) return false;
    const Choice& choice = Of(at);
    const auto& list = all_[at.request][at.choice];
    if (choice.all && list.empty()) return false;
    const int count = choice.all ? static_cast<int>(list.size()) : choice.count;
    if (taken >= count) return RequestFrom(at.request + 1);
    if (devices_of_claim_[ClaimOf(at)] + count - taken > kMostDevicesOfClaim) {
      return false;
    }
    if (choice.all) {
      if (!Take(at, list[taken])) return false;
      if (DeviceFrom(at, taken + 1, 0)) return true;
      TakeBack(at);
      return false;
    }
    std::vector<int> failed;
    for (int p = start; p < size_; ++p) {
      const bool may = MayTake(at, p);
      if (Stopped()) return false;
      if (!may || IsLikeOneOf(failed, choice, p) || !Take(at, p)) continue;
      if (DeviceFrom(at, taken + 1, p + 1)) return true;
      TakeBack(at);
      if (Stopped()) return false;
      failed.push_back(p);
    }
    return false;
  }

  bool MayTake(const At& at, int position) {
    if (++steps_ > kMostSearchSteps) result_.given_up = true;
    if (!layout_.IsUsable(layout_.positions[position])) return false;
    if (IsInUse(at, position)) return false;
    return Selects(at, position) && HasCapacity(at, position);
  }

  bool IsInUse(const At& at, int position) const {
    if (!Of(at).admin) {
      return state_.IsTaken(position) || claims_of_[position] != 0;
    }
    return (claims_of_[position] >> ClaimOf(at) & 1) != 0;
  }

  // What failed with one device fails with one that is like it.
  bool IsLikeOneOf(const std::vector<int>& failed, const Choice& choice,
                   int position) const {
    if (choice.admin) return false;
    return std::ranges::any_of(
        failed, [&](int other) { return AreAlike(position, other); });
  }

  bool AreAlike(int a, int b) const {
    const DeviceLayout::Position& left = layout_.positions[a];
    const DeviceLayout::Position& right = layout_.positions[b];
    if (left.kind != right.kind || left.pool != right.pool ||
        left.uses != right.uses || shared_by_[a] != 0 || shared_by_[b] != 0 ||
        IsSharedAlready(a) || IsSharedAlready(b)) {
      return false;
    }
    return std::ranges::all_of(question_.constraints,
                               [&](const DeviceQuestion::Constraint& each) {
                                 return Value(each, a) == Value(each, b);
                               });
  }

  int Value(const DeviceQuestion::Constraint& constraint, int position) const {
    return layout_.patterns[constraint.attribute][position];
  }

  bool IsTainted(const Choice& choice, int position) const {
    const Device& device = kinds_.traits(layout_.positions[position].kind);
    return std::ranges::any_of(device.taints, [&](const DeviceTaint& taint) {
      return !IsTolerated(taint, choice.wanted->tolerations);
    });
  }

  bool IsWithin(KindId kind) const {
    return question_.within == kNone ||
           kinds_.verdict(kind, question_.within) == Verdict::kYes;
  }

  // True if there is some left of each counter of the pool.
  bool CountersSuffice(int position) const {
    const DeviceLayout::Pool& pool =
        layout_.pools[layout_.positions[position].pool];
    for (int c = pool.first_counter; c < pool.last_counter; ++c) {
      if (left_[c] < 0) return false;
    }
    return true;
  }

  void Count(int position, int sign) {
    for (const DeviceLayout::Use& use : layout_.positions[position].uses) {
      left_[use.counter] += sign * use.nano;
    }
  }

  bool Agrees(const DeviceQuestion::Constraint& constraint,
              const std::vector<int>& values, int value) const {
    using Rule = DeviceQuestion::Constraint::Rule;
    if (value < 0) return constraint.rule == Rule::kAlign;
    if (constraint.rule == Rule::kDistinct) {
      return std::ranges::find(values, value) == values.end();
    }
    return values.empty() || values.front() == value;
  }

  bool AgreesWithAll(const Choice& choice, int position) const {
    return std::ranges::all_of(choice.constraints, [&](int c) {
      const auto& constraint = question_.constraints[c];
      return Agrees(constraint, values_[c], Value(constraint, position));
    });
  }

  bool Take(const At& at, int position) {
    const Choice& choice = Of(at);
    const DeviceLayout::Position& device = layout_.positions[position];
    if (choice.all && IsInUse(at, position)) return false;
    if (IsTainted(choice, position) || !IsWithin(device.kind) ||
        !AgreesWithAll(choice, position) || !HasCapacity(at, position)) {
      return false;
    }
    const bool counts = device.share < 0 || (!IsSharedAlready(position) &&
                                             shared_by_[position] == 0);
    if (counts && !device.uses.empty()) {
      Count(position, -1);
      if (!CountersSuffice(position)) {
        Count(position, 1);
        return false;
      }
    }
    const DeviceQuestion::Request& request = question_.requests[at.request];
    result_.picks.push_back(
        {position, at.request, at.choice, request.claim, request.request});
    Mark(at, position, 1);
    for (const int c : choice.constraints) {
      const int value = Value(question_.constraints[c], position);
      if (value >= 0) values_[c].push_back(value);
    }
    return true;
  }

  void TakeBack(const At& at) {
    const int position = result_.picks.back().position;
    result_.picks.pop_back();
    Mark(at, position, -1);
    const DeviceLayout::Position& device = layout_.positions[position];
    if (device.share < 0 ||
        (!IsSharedAlready(position) && shared_by_[position] == 0)) {
      Count(position, 1);
    }
    for (const int c : Of(at).constraints) {
      if (Value(question_.constraints[c], position) >= 0) values_[c].pop_back();
    }
  }

  void Mark(const At& at, int position, int sign) {
    devices_of_claim_[ClaimOf(at)] += sign;
    const DeviceLayout::Position& device = layout_.positions[position];
    if (device.share < 0) {
      claims_of_[position] ^= std::uint64_t{1} << ClaimOf(at);
      return;
    }
    shared_by_[position] += sign;
    const auto amounts = AmountsOfPick(kinds_, device.kind, *Of(at).wanted);
    for (std::size_t i = 0; i < amounts->size(); ++i) {
      amounts_[device.amounts + i] += sign * (*amounts)[i];
    }
  }

  // Puts a pick of the solution into the state; admin access takes nothing.
  void Settle(const DevicePick& pick) {
    const At at{pick.request, pick.choice};
    if (Of(at).admin) return;
    const DeviceLayout::Position& device = layout_.positions[pick.position];
    if (device.share < 0) {
      state_.SetTaken(pick.position);
      return;
    }
    state_.SetShared(device.share);
    const auto amounts = AmountsOfPick(kinds_, device.kind, *Of(at).wanted);
    for (std::size_t i = 0; i < amounts->size(); ++i) {
      state_.AddAmount(device.amounts + static_cast<int>(i), (*amounts)[i]);
    }
  }

  const DeviceKinds& kinds_;
  const DeviceLayout& layout_;
  const DeviceQuestion& question_;
  DeviceWords words_;
  DeviceState state_;
  const int size_;
  // What this search has taken.
  std::vector<std::uint64_t> claims_of_;  // by position: a bit for each claim
  std::vector<int> shared_by_;            // by position
  std::vector<Int128> amounts_;
  std::vector<Int128> left_;  // of counters
  std::vector<int> devices_of_claim_;
  std::vector<std::vector<int>> values_;            // by constraint
  std::vector<std::vector<std::vector<int>>> all_;  // by request and choice
  int steps_ = 0;
  DeviceFind result_;
};

}  // namespace

DeviceFind FindDevices(const DeviceKinds& kinds, const DeviceLayout& layout,
                       const DeviceQuestion& question,
                       const DeviceWords& state) {
  return DeviceSearch(kinds, layout, question, state).Run();
}

}  // namespace fluxnetes::matcher
