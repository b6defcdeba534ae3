#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "matcher/devices/device_nodes.h"
#include "matcher/devices/request_amounts.h"
#include "matcher/node_devices/node_devices_state.h"

namespace fluxnetes::matcher {

// True if what tasks on other nodes take does not matter to the node.
bool NodeDevices::State::IsAlone(const Node& node, NodeIndex index,
                                 const Request& request,
                                 std::span<const DevicesBeside> beside) {
  if (request.shares) return false;
  return std::ranges::all_of(beside, [&](const DevicesBeside& each) {
    if (each.devices == kNoDevices || each.tasks <= 0) return true;
    if (each.node != index) return !node.wide;
    return !RequestOf(each.devices).shares;
  });
}

int NodeDevices::State::FitAlone(Node& node, NodeIndex index, Request& request,
                                 int limit, const InsideWindow* window,
                                 std::span<const DevicesBeside> beside) {
  const Question& question = QuestionOf(request, 0);
  for (const DevicesBeside& each : beside) {
    if (each.node != index || each.devices == kNoDevices) continue;
    QuestionOf(RequestOf(each.devices), 0);  // before the node is looked at
  }
  Look(node);
  StateId state = StateIn(node, window);
  for (const DevicesBeside& each : beside) {
    if (each.node != index || each.devices == kNoDevices) continue;
    const Question& other = QuestionOf(RequestOf(each.devices), 0);
    for (int i = 0; i < each.tasks; ++i) {
      state =
          node.states->StepFrom(state, other.id, other.question, kinds).next;
      if (state < 0) return 0;
    }
  }
  for (int tasks = 0; tasks < limit; ++tasks) {
    state = node.states->StepFrom(state, question.id, question.question, kinds)
                .next;
    if (state < 0) return tasks;
  }
  return std::max(limit, 0);
}

int NodeDevices::State::FitIn(NodeIndex index, DevicesId devices, int limit,
                              const InsideWindow* window,
                              std::span<const DevicesBeside> beside) {
  if (devices == kNoDevices) return std::max(limit, 0);
  LimitStates();
  Request& request = RequestOf(devices);
  Node& node = NodeAt(index);
  QuestionOf(request, 0);
  Look(node);
  return IsAlone(node, index, request, beside)
             ? FitAlone(node, index, request, limit, window, beside)
             : FitInTrial(index, devices, limit, window, beside);
}

int NodeDevices::Fit(NodeIndex node, DevicesId devices, int limit,
                     const InsideWindow& window,
                     std::span<const DevicesBeside> beside) {
  return state_->FitIn(node, devices, limit, &window, beside);
}

int NodeDevices::FitEmpty(NodeIndex node, DevicesId devices, int limit,
                          std::span<const DevicesBeside> beside) {
  return state_->FitIn(node, devices, limit, nullptr, beside);
}

// Plans these tasks; those that the last plan began with are planned already.
void NodeDevices::State::Plan(
    const InsideWindow* window,
    const std::vector<std::pair<NodeIndex, DevicesId>>& tasks) {
  const bool empty = window == nullptr;
  const InsideWindow of = empty ? InsideWindow() : *window;
  const bool continues =
      trial.version == version && trial.empty == empty &&
      trial.from == of.from && trial.end == of.end && trial.now == of.now &&
      std::ranges::equal(trial.without, of.without) &&
      trial.tasks.size() <= tasks.size() &&
      std::equal(trial.tasks.begin(), trial.tasks.end(), tasks.begin());
  if (!continues) {
    trial = {{},      true,   {},
             version, empty,  of.from,
             of.end,  of.now, {of.without.begin(), of.without.end()}};
  }
  for (std::size_t i = trial.tasks.size(); i < tasks.size() && trial.fits;
       ++i) {
    trial.tasks.push_back(tasks[i]);
    trial.fits =
        PlaceOne(tasks[i].first, tasks[i].second, window, trial.overlay);
  }
}

int NodeDevices::State::FitInTrial(NodeIndex index, DevicesId devices,
                                   int limit, const InsideWindow* window,
                                   std::span<const DevicesBeside> beside) {
  std::vector<std::pair<NodeIndex, DevicesId>> tasks;
  for (const DevicesBeside& each : beside) {
    if (each.devices == kNoDevices) continue;
    for (int i = 0; i < each.tasks; ++i) {
      tasks.emplace_back(each.node, each.devices);
    }
  }
  Plan(window, tasks);
  if (!trial.fits) return 0;
  Overlay overlay = trial.overlay;
  for (int fit = 0; fit < limit; ++fit) {
    if (!PlaceOne(index, devices, window, overlay)) return fit;
  }
  return std::max(limit, 0);
}

std::optional<NodeDevices::State::Pinned> NodeDevices::State::PinnedBy(
    const std::string& claim, const InsideWindow* window,
    const Overlay& overlay) const {
  if (const auto known = allocated.find(claim); known != allocated.end()) {
    return known->second;
  }
  if (const auto planned = overlay.pinned.find(claim);
      planned != overlay.pinned.end()) {
    return planned->second;
  }
  const auto of = sharers.find(claim);
  if (window == nullptr || of == sharers.end()) return std::nullopt;
  const bool now = window->from <= window->now;
  for (const auto& [job, task] : of->second) {
    if (std::ranges::find(window->without, job) != window->without.end()) {
      continue;
    }
    const Hold& hold = *HoldOf(job, task);
    if (hold.start >= window->end || (!now && hold.end <= window->from)) {
      continue;
    }
    Pinned pinned;
    std::string name;
    for (const AllocatedDevice& each : hold.devices) {
      if (each.shared != claim) continue;
      name = each.claim;
      pinned.devices.push_back(each);
    }
    pinned.nodes = NodesOf(name, pinned.devices, nodes[hold.node].name);
    return pinned;
  }
  return std::nullopt;
}

bool NodeDevices::State::IsUsable(const Node& node, const std::string& claim,
                                  const Pinned& pinned,
                                  const InsideWindow* window,
                                  const Overlay& overlay) const {
  if (!Includes(pinned.nodes, node.name, LabelsOf(node))) return false;
  if (window == nullptr) return true;
  return std::ranges::all_of(pinned.devices, [&](const AllocatedDevice& each) {
    if (each.admin_access) return true;
    const auto known = pools.Known(each.id.driver, each.id.pool);
    if (!known) return true;  // nobody else can have it
    const DevicePools::Pool& pool = pools.at(*known);
    const auto slot = pool.slot_of.find(each.id.device);
    if (slot == pool.slot_of.end()) return true;
    const bool planned =
        std::ranges::any_of(overlay.uses, [&](const auto& use) {
          return use.first == *known && use.second.slot == slot->second &&
                 !use.second.admin && use.second.claim != claim &&
                 (each.share.empty() || use.second.share.empty());
        });
    return !planned && pool.takings.IsFree(slot->second, !each.share.empty(),
                                           claim, *window);
  });
}

bool NodeDevices::State::IsWithin(const Question& question,
                                  const Pinned& pinned) const {
  const ProbeId within = question.question.within;
  return within == kNone ||
         std::ranges::all_of(pinned.devices, [&](const AllocatedDevice& each) {
           const auto content = pools.ContentOf(each.id);
           return content && kinds.verdict(kinds.kind(*content), within) ==
                                 DeviceKinds::Verdict::kYes;
         });
}

// The devices of claims that have some must agree with those that are found, if
// the task aligns them.
std::optional<std::vector<DevicePick>> NodeDevices::State::Search(
    Node& node, Request& request, const Placed& placed, StateId state) {
  const Question& question = QuestionOf(request, placed.pinned);
  if (request.devices.align.empty() || placed.pinned_devices.empty()) {
    const auto step =
        node.states->StepFrom(state, question.id, question.question, kinds);
    if (step.next < 0) return std::nullopt;
    return node.states->picks(step);
  }
  DeviceQuestion bound = question.question;
  for (const AllocatedDevice& each : placed.pinned_devices) {
    const auto content = pools.ContentOf(each.id);
    if (!content) continue;
    for (std::size_t a = 0; a < request.devices.align.size(); ++a) {
      const std::int32_t value =
          kinds.value(*content, bound.constraints[a].attribute);
      if (value < 0) continue;
      const int here = PatternOf(node, bound.constraints[a].attribute, value);
      auto& bound_to = bound.constraints[a].bound_to;
      if (bound_to && *bound_to != here) return std::nullopt;
      bound_to = here;
    }
  }
  DeviceFind find = FindDevices(kinds, node.states->layout(), bound,
                                node.states->words(state));
  if (!find.found) return std::nullopt;
  return std::move(find.picks);
}

// The number of a value in the pattern of the node; one that no device there
// has if none has it.
int NodeDevices::State::PatternOf(const Node& node, AttributeId attribute,
                                  std::int32_t value) const {
  const auto& pattern = node.states->layout().patterns[attribute];
  for (std::size_t p = 0; p < node.places.size(); ++p) {
    if (kinds.value(node.places[p].content, attribute) == value) {
      return pattern[p];
    }
  }
  return static_cast<int>(node.places.size());
}

std::optional<NodeDevices::State::Placed> NodeDevices::State::PlaceIn(
    NodeIndex index, DevicesId devices, const InsideWindow* window,
    const Overlay& overlay) {
  Request& request = RequestOf(devices);
  Node& node = NodeAt(index);
  Placed placed;
  const auto& claims = request.devices.claims;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    if (claims[c].shared.empty()) continue;
    auto pinned = PinnedBy(claims[c].shared, window, overlay);
    if (!pinned) continue;
    if (!IsUsable(node, claims[c].shared, *pinned, window, overlay) ||
        !IsWithin(QuestionOf(request, 0), *pinned)) {
      return std::nullopt;
    }
    placed.pinned |= std::uint64_t{1} << c;
    for (AllocatedDevice& each : pinned->devices) {
      each.claim = claims[c].name;
      each.shared = claims[c].shared;
      if (pinned->nodes.node.empty()) each.nodes = pinned->nodes;
      placed.pinned_devices.push_back(std::move(each));
    }
  }
  QuestionOf(request, placed.pinned);
  Look(node);
  auto picks = Search(node, request, placed, StateIn(node, window, overlay));
  if (!picks) return std::nullopt;
  placed.picks = *std::move(picks);
  return placed;
}

bool NodeDevices::State::PlaceOne(NodeIndex index, DevicesId devices,
                                  const InsideWindow* window,
                                  Overlay& overlay) {
  const auto placed = PlaceIn(index, devices, window, overlay);
  if (!placed) return false;
  const Node& node = nodes[index];
  const Request& request = RequestOf(devices);
  // Shares of tasks that are not booked have a name each, too.
  const auto number = static_cast<int>(overlay.uses.size());
  const std::vector<AllocatedDevice> picked =
      PickedBy(kUnbooked, number, 0, node, request, placed->picks);
  for (const AllocatedDevice& each : picked) {
    const PoolId pool = pools.Find(each.id.driver, each.id.pool);
    const SlotId slot = pools.at(pool).SlotOf(each.id.device);
    overlay.uses.emplace_back(pool, UseOf(each, slot));
  }
  const auto& claims = request.devices.claims;
  for (std::size_t c = 0; c < claims.size(); ++c) {
    if (claims[c].shared.empty() || (placed->pinned >> c & 1) != 0) continue;
    Pinned& pinned = overlay.pinned[claims[c].shared];
    for (const AllocatedDevice& each : picked) {
      if (each.claim == claims[c].name) pinned.devices.push_back(each);
    }
    pinned.nodes = NodesOf(claims[c].name, pinned.devices, node.name);
  }
  return true;
}

}  // namespace fluxnetes::matcher
