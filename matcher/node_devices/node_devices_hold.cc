#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "matcher/devices/devices_text.h"
#include "matcher/devices/request_amounts.h"
#include "matcher/node_devices/node_devices_state.h"

namespace fluxnetes::matcher {
namespace {

std::uint64_t Mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 29;
}

// A UUID, version 8, for the share that a task has of a device; the same when
// the same is booked again.
std::string ShareIdOf(JobId job, int task, Time start, std::size_t number) {
  constexpr std::uint64_t kVersion = 0x8000;
  constexpr std::uint64_t kVariant = std::uint64_t{2} << 62;
  std::uint64_t hash = 1;
  for (const std::uint64_t each :
       {static_cast<std::uint64_t>(job), static_cast<std::uint64_t>(task),
        static_cast<std::uint64_t>(start), std::uint64_t{number}}) {
    hash = Mix(hash, each);
  }
  const std::uint64_t high = (Mix(hash, 2) & ~std::uint64_t{0xf000}) | kVersion;
  const std::uint64_t low = Mix(hash, 3) >> 2 | kVariant;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32,
                     high >> 16 & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffffffffffff);
}

}  // namespace

SlotUse NodeDevices::State::UseOf(const AllocatedDevice& device, SlotId slot) {
  return {slot, device.share, WithDomains(device.consumed, device.id.driver),
          device.shared, device.admin_access};
}

std::vector<AllocatedDevice> NodeDevices::State::PickedBy(
    JobId job, int task, Time start, const Node& node, const Request& request,
    const std::vector<DevicePick>& picks) const {
  std::vector<AllocatedDevice> devices;
  // The questions of a request have the same requests, but for the claims that
  // have their devices already.
  for (const DevicePick& pick : picks) {
    const Place& place = node.places[pick.position];
    const DevicePools::Pool& pool = pools.at(place.pool);
    const Device& device = kinds.device(place.content);
    const DeviceClaim& claim = request.devices.claims[pick.claim];
    const DeviceRequest& of = claim.requests[pick.request_of_claim];
    const DeviceChoice& choice = of.choices[pick.choice];
    AllocatedDevice got;
    got.claim = claim.name;
    got.shared = claim.shared;
    got.request = choice.name.empty() ? of.name : of.name + "/" + choice.name;
    got.id = {pool.driver, pool.name, pool.slots[place.slot]};
    got.admin_access = choice.admin_access;
    got.tolerations = choice.tolerations;
    got.nodes = place.nodes;
    got.binding_conditions = device.binding_conditions;
    got.binding_failures = device.binding_failures;
    if (device.shared) {
      const auto amounts = AmountsTaken(choice.amounts, pool.driver, device);
      got.consumed = WithoutDomain(*amounts, pool.driver);
      got.share = ShareIdOf(job, task, start, devices.size());
    }
    devices.push_back(std::move(got));
  }
  return devices;
}

void NodeDevices::State::Hang(JobId job, int task, Hold hold) {
  ++version;
  for (const AllocatedDevice& each : hold.devices) {
    const PoolId id = pools.Find(each.id.driver, each.id.pool);
    DevicePools::Pool& pool = pools.at(id);
    pool.takings.Add({job, task, hold.start, hold.end,
                      UseOf(each, pool.SlotOf(each.id.device))});
    if (!each.shared.empty()) sharers[each.shared].insert({job, task});
  }
  nodes[hold.node].tasks.emplace_back(job, task);
  holds[job].insert_or_assign(task, std::move(hold));
}

void NodeDevices::State::Drop(JobId job, int task) {
  ++version;
  const Hold& hold = *HoldOf(job, task);
  for (const AllocatedDevice& each : hold.devices) {
    const auto pool = pools.Known(each.id.driver, each.id.pool);
    pools.at(*pool).takings.Remove(job, task);
    const auto of = sharers.find(each.shared);
    if (of == sharers.end()) continue;
    of->second.erase({job, task});
    if (of->second.empty()) sharers.erase(of);
  }
  std::erase(nodes[hold.node].tasks, TaskOfJob(job, task));
}

const NodeDevices::State::Hold* NodeDevices::State::HoldOf(JobId job,
                                                           int task) const {
  const auto of_job = holds.find(job);
  if (of_job == holds.end()) return nullptr;
  const auto found = of_job->second.find(task);
  return found == of_job->second.end() ? nullptr : &found->second;
}

bool NodeDevices::Book(JobId job, int task, NodeIndex node, DevicesId devices,
                       const InsideWindow& window) {
  State& state = *state_;
  if (state.HoldOf(job, task) != nullptr) {
    throw std::invalid_argument(
        fmt::format("task {} of job {} holds devices already", task, job));
  }
  if (devices == kNoDevices) return true;
  const auto placed = state.PlaceIn(node, devices, &window, {});
  if (!placed) return false;
  const State::Request& request = state.RequestOf(devices);
  auto got = state.PickedBy(job, task, window.from, state.nodes[node], request,
                            placed->picks);
  got.insert(got.begin(), placed->pinned_devices.begin(),
             placed->pinned_devices.end());
  const auto number = [&](const AllocatedDevice& each) {
    return std::ranges::find(request.devices.claims, each.claim,
                             &DeviceClaim::name) -
           request.devices.claims.begin();
  };
  std::ranges::stable_sort(got, {}, number);
  if (got.empty()) return true;
  state.Hang(job, task, {node, window.from, window.end, std::move(got)});
  return true;
}

void NodeDevices::Restore(JobId job, int task, NodeIndex node,
                          std::string_view text, Time start, Time end) {
  State& state = *state_;
  if (state.HoldOf(job, task) != nullptr) {
    throw std::invalid_argument(
        fmt::format("task {} of job {} holds devices already", task, job));
  }
  auto devices = ReadDevices(text);
  state.NodeAt(node);
  if (devices.empty()) return;
  state.Hang(job, task,
             {node, start, std::max(end, start + 1), std::move(devices)});
}

bool NodeDevices::IsFree(NodeIndex node, std::string_view text,
                         const InsideWindow& window) const {
  State& state = *state_;
  const auto devices = ReadDevices(text);
  State::Node& at = state.NodeAt(node);
  state.Look(at);
  return std::ranges::all_of(devices, [&](const AllocatedDevice& each) {
    const auto pool = state.pools.Known(each.id.driver, each.id.pool);
    if (!pool) return false;
    DevicePools::Pool& of = state.pools.at(*pool);
    const auto slot = of.slot_of.find(each.id.device);
    if (slot == of.slot_of.end()) return false;
    const auto place =
        std::ranges::find_if(at.places, [&](const State::Place& candidate) {
          return candidate.pool == *pool && candidate.slot == slot->second;
        });
    if (place == at.places.end()) return false;
    if (each.admin_access) return true;
    const bool share = !each.share.empty();
    if (!of.takings.IsFree(slot->second, share, each.shared, window)) {
      return false;
    }
    if (!share) return true;
    const auto& taken = of.takings.In(window).shares;
    const auto shares = taken.find(slot->second);
    const Device& device = state.kinds.device(place->content);
    const auto wanted = WithDomains(each.consumed, each.id.driver);
    return std::ranges::all_of(wanted, [&](const auto& amount) {
      const auto has = device.capacity.find(amount.first);
      if (has == device.capacity.end()) return false;
      Int128 sum = amount.second.nano;
      if (shares != taken.end() && shares->second.contains(amount.first)) {
        sum += shares->second.at(amount.first).nano;
      }
      return sum <= has->second.nano;
    });
  });
}

bool NodeDevices::Release(JobId job, int task) {
  if (state_->HoldOf(job, task) == nullptr) return false;
  state_->Drop(job, task);
  const auto of_job = state_->holds.find(job);
  of_job->second.erase(task);
  if (of_job->second.empty()) state_->holds.erase(of_job);
  return true;
}

bool NodeDevices::Cancel(JobId job) {
  const auto of_job = state_->holds.find(job);
  if (of_job == state_->holds.end()) return false;
  for (const auto& [task, hold] : of_job->second) state_->Drop(job, task);
  state_->holds.erase(of_job);
  return true;
}

std::string NodeDevices::DevicesOf(JobId job, int task) const {
  const State::Hold* hold = state_->HoldOf(job, task);
  return hold == nullptr ? std::string() : WriteDevices(hold->devices);
}

std::vector<std::string> NodeDevices::DescribeOn(NodeIndex node) const {
  std::vector<std::string> lines;
  if (node < 0 || static_cast<std::size_t>(node) >= state_->nodes.size()) {
    return lines;
  }
  for (const auto& [job, task] : state_->nodes[node].tasks) {
    const State::Hold& hold = *state_->HoldOf(job, task);
    for (const AllocatedDevice& each : hold.devices) {
      lines.push_back(fmt::format("{} [{},{}) {}", job, hold.start, hold.end,
                                  WriteDevices(std::span(&each, 1))));
    }
  }
  std::ranges::sort(lines);
  return lines;
}

}  // namespace fluxnetes::matcher
