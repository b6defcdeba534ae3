#include "plain_devices.h"

#include <algorithm>
#include <tuple>

#include "matcher/devices/device_nodes.h"
#include "matcher/devices/request_amounts.h"

namespace fluxnetes::matcher {
namespace {

bool IsWithoutJob(const InsideWindow& window, JobId job) {
  return std::ranges::find(window.without, job) != window.without.end();
}

}  // namespace

bool PlainDevices::Meets(const Hold& hold, JobId job,
                         const InsideWindow& window) const {
  return !IsWithoutJob(window, job) && hold.start < window.end &&
         (window.from <= window.now || hold.end > window.from);
}

PlainDevices::Uses PlainDevices::TakenIn(const InsideWindow* window) const {
  Uses taken;
  std::set<std::pair<DeviceId, std::string>> of_claims;
  std::set<std::pair<DeviceId, std::string>> own;
  for (const auto& [task, hold] : holds_) {
    for (const Use& use : hold.uses) {
      if (window == nullptr || hold.start <= window->now) {
        own.emplace(use.id, use.share);
      }
      if (window == nullptr || !Meets(hold, task.first, *window)) continue;
      const bool again = !use.claim.empty() && !use.share.empty() &&
                         !of_claims.emplace(use.id, use.share).second;
      if (!again) taken.push_back(use);
    }
  }
  for (const auto& [claim, of] : allocated_) {
    for (const AllocatedDevice& each : of.first) {
      if (own.contains({each.id, each.share})) continue;
      taken.push_back({each.id, each.share, claim,
                       WithDomains(each.consumed, each.id.driver)});
    }
  }
  return taken;
}

// Slices of one generation that are all there.
std::vector<PlainDevices::Seen> PlainDevices::SeenBy(NodeIndex node) const {
  std::vector<Seen> seen;
  const auto at = nodes_.find(node);
  if (at == nodes_.end()) return seen;
  const auto& [name, labels] = at->second;
  for (const auto& [slice_name, slice] : slices_) {
    if (!Includes(slice.nodes, name, labels)) continue;
    for (const Device& device : slice.devices) {
      seen.push_back(
          {{slice.driver, slice.pool, device.name}, &device, slice.nodes});
    }
  }
  std::ranges::stable_sort(seen, {}, [](const Seen& each) {
    return std::pair(each.id.driver, each.id.pool);
  });
  return seen;
}

bool PlainDevices::CountersSuffice(const std::string& pool,
                                   const Uses& uses) const {
  for (const auto& [name, counters] : slices_) {
    if (counters.pool != pool) continue;
    for (const CounterSet& set : counters.counters) {
      DeviceAmounts left = set.counters;
      std::set<DeviceId> counted;
      for (const Use& use : uses) {
        if (use.id.pool != counters.pool || !counted.insert(use.id).second) {
          continue;
        }
        for (const auto& [other, slice] : slices_) {
          if (slice.pool != use.id.pool) continue;
          for (const Device& device : slice.devices) {
            if (device.name != use.id.device) continue;
            for (const CounterUse& each : device.uses) {
              if (each.set != set.name) continue;
              for (const auto& [counter, amount] : each.counters) {
                left[counter].nano -= amount.nano;
              }
            }
          }
        }
      }
      for (const auto& [counter, amount] : left) {
        if (amount.nano < 0) return false;
      }
    }
  }
  return true;
}

bool PlainDevices::HasCapacity(const Seen& seen, const Uses& all) const {
  if (!seen.device->shared) return true;
  DeviceAmounts sum = *AmountsTaken({}, kNoDriver, *seen.device);
  for (const Use& use : all) {
    if (use.id != seen.id) continue;
    for (const auto& [name, amount] : use.amounts) {
      sum[name].nano += amount.nano;
    }
  }
  return std::ranges::all_of(sum, [&](const auto& each) {
    return each.second <= seen.device->capacity.at(each.first);
  });
}

bool PlainDevices::MayAdd(const Seen& seen, const DeviceClaim& claim,
                          const Uses& all,
                          const std::vector<const Device*>& of_claim) const {
  const bool alone = std::ranges::any_of(all, [&](const Use& use) {
    return use.id == seen.id && (use.share.empty() || !seen.device->shared);
  });
  if (alone || !HasCapacity(seen, all)) return false;
  for (const DeviceConstraint& constraint : claim.constraints) {
    const auto own = seen.device->attributes.find(constraint.match);
    if (own == seen.device->attributes.end()) return false;
    for (const Device* other : of_claim) {
      if (other->attributes.at(constraint.match) != own->second) return false;
    }
  }
  if (seen.device->uses.empty()) return true;
  Uses with = all;
  with.push_back({seen.id, {}, {}, {}});
  return CountersSuffice(seen.id.pool, with);
}

bool PlainDevices::Search(const Question& question, std::size_t claim,
                          std::size_t request, int taken, std::size_t start,
                          Uses& all, std::vector<const Device*>& of_claim,
                          Uses& got) const {
  const TaskDevices& task = *question.task;
  if (claim == task.claims.size()) return true;
  const DeviceClaim& of = task.claims[claim];
  if (question.pinned.contains(claim) || request == of.requests.size()) {
    std::vector<const Device*> none;
    return Search(question, claim + 1, 0, 0, 0, all, none, got);
  }
  const DeviceChoice& choice = of.requests[request].choices[0];
  const auto& seen = choice.all ? question.whole : question.seen;
  const int count = choice.all ? static_cast<int>(seen.size())
                               : static_cast<int>(choice.count);
  if (choice.all && seen.empty()) return false;
  if (taken >= count) {
    return Search(question, claim, request + 1, 0, 0, all, of_claim, got);
  }
  const std::size_t end = choice.all ? start + 1 : seen.size();
  for (std::size_t p = start; p < end; ++p) {
    if (!MayAdd(seen[p], of, all, of_claim)) continue;
    Use use{seen[p].id, {}, of.shared, {}};
    if (seen[p].device->shared) {
      use.share = "share" + std::to_string(++shares_);
      use.amounts = *AmountsTaken({}, kNoDriver, *seen[p].device);
    }
    all.push_back(use);
    got.push_back(use);
    of_claim.push_back(seen[p].device);
    if (Search(question, claim, request, taken + 1, p + 1, all, of_claim,
               got)) {
      return true;
    }
    of_claim.pop_back();
    got.pop_back();
    all.pop_back();
  }
  return false;
}

std::optional<PlainDevices::Pinned> PlainDevices::PinnedBy(
    const std::string& claim, const InsideWindow* window,
    const Plan& plan) const {
  if (const auto known = allocated_.find(claim); known != allocated_.end()) {
    Pinned pinned{{}, known->second.second};
    for (const auto& each : known->second.first) {
      pinned.uses.push_back({each.id, each.share, claim,
                             WithDomains(each.consumed, each.id.driver)});
    }
    return pinned;
  }
  if (const auto known = plan.pinned.find(claim); known != plan.pinned.end()) {
    return known->second;
  }
  if (window == nullptr) return std::nullopt;
  for (const auto& [task, hold] : holds_) {
    if (!Meets(hold, task.first, *window)) continue;
    Pinned pinned;
    bool here = false;
    bool wide = true;
    for (const Use& use : hold.uses) {
      if (use.claim != claim) continue;
      pinned.uses.push_back(use);
      here = true;
      wide = wide && use.id.pool == kWidePool;
    }
    if (!here) continue;
    pinned.nodes.all = wide;
    if (!wide) pinned.nodes.node = nodes_.at(hold.node).first;
    return pinned;
  }
  return std::nullopt;
}

bool PlainDevices::IsUsable(NodeIndex node, const std::string& claim,
                            const Pinned& pinned, const InsideWindow* window,
                            const Plan& plan) const {
  const auto& [name, labels] = nodes_.at(node);
  if (!Includes(pinned.nodes, name, labels)) return false;
  if (window == nullptr) return true;
  Uses others = TakenIn(window);
  others.insert(others.end(), plan.taken.begin(), plan.taken.end());
  return std::ranges::none_of(pinned.uses, [&](const Use& own) {
    return std::ranges::any_of(others, [&](const Use& use) {
      return use.id == own.id && use.claim != claim &&
             (own.share.empty() || use.share.empty());
    });
  });
}

std::optional<PlainDevices::Uses> PlainDevices::Place(
    NodeIndex node, const TaskDevices& devices, const InsideWindow* window,
    Plan& plan) const {
  Question question;
  question.task = &devices;
  Uses got;
  Uses of_pinned;
  for (std::size_t c = 0; c < devices.claims.size(); ++c) {
    const std::string& shared = devices.claims[c].shared;
    if (shared.empty()) continue;
    const auto pinned = PinnedBy(shared, window, plan);
    if (!pinned) continue;
    if (!IsUsable(node, shared, *pinned, window, plan)) return std::nullopt;
    question.pinned.insert(c);
    of_pinned.insert(of_pinned.end(), pinned->uses.begin(), pinned->uses.end());
  }
  Uses all = TakenIn(window);
  all.insert(all.end(), plan.taken.begin(), plan.taken.end());
  question.seen = SeenBy(node);
  for (const Seen& each : question.seen) {
    if (HasCapacity(each, all)) question.whole.push_back(each);
  }
  std::vector<const Device*> of_claim;
  if (!Search(question, 0, 0, 0, 0, all, of_claim, got)) {
    return std::nullopt;
  }
  plan.taken.insert(plan.taken.end(), got.begin(), got.end());
  for (std::size_t c = 0; c < devices.claims.size(); ++c) {
    const std::string& shared = devices.claims[c].shared;
    if (shared.empty() || question.pinned.contains(c)) continue;
    Pinned& pinned = plan.pinned[shared];
    bool wide = true;
    for (const Use& use : got) {
      if (use.claim != shared) continue;
      pinned.uses.push_back(use);
      wide = wide && use.id.pool == kWidePool;
    }
    pinned.nodes.all = wide;
    if (!wide) pinned.nodes.node = nodes_.at(node).first;
  }
  got.insert(got.end(), of_pinned.begin(), of_pinned.end());
  return got;
}

int PlainDevices::Fit(NodeIndex node, const TaskDevices& devices, int limit,
                      const InsideWindow* window,
                      const std::vector<Beside>& beside) const {
  Plan plan;
  for (const Beside& each : beside) {
    for (int i = 0; i < each.tasks; ++i) {
      if (!Place(each.node, *each.devices, window, plan)) return 0;
    }
  }
  for (int fit = 0; fit < limit; ++fit) {
    if (!Place(node, devices, window, plan)) return fit;
  }
  return limit;
}

std::optional<std::vector<DeviceId>> PlainDevices::Book(
    JobId job, int task, NodeIndex node, const TaskDevices& devices,
    const InsideWindow& window) {
  Plan plan;
  const auto got = Place(node, devices, &window, plan);
  if (!got) return std::nullopt;
  if (!got->empty()) {
    holds_[{job, task}] = {node, window.from, window.end, *got};
  }
  std::vector<DeviceId> names;
  for (const Use& use : *got) names.push_back(use.id);
  return names;
}

void PlainDevices::Cancel(JobId job) {
  std::erase_if(holds_,
                [&](const auto& each) { return each.first.first == job; });
}

}  // namespace fluxnetes::matcher
