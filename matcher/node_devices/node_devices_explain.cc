#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/devices/device_nodes.h"
#include "matcher/devices/device_search.h"
#include "matcher/node_devices/device_reasons.h"
#include "matcher/node_devices/node_devices_state.h"

namespace fluxnetes::matcher {
namespace {

constexpr std::size_t kMostTaintsTold = 3;
constexpr std::size_t kMostShortTold = 3;

std::string TaintText(const DeviceTaint& taint) {
  const bool schedules = taint.effect == DeviceTaint::Effect::kNoSchedule;
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=",
                     taint.value, schedules ? "NoSchedule" : "NoExecute");
}

// "in NUMA domain 0"; empty: anywhere.
std::string InWords(const std::optional<std::vector<std::int64_t>>& numa) {
  if (!numa) return "";
  if (numa->empty()) return "in a NUMA domain by an attribute numaNode";
  return fmt::format("in NUMA domain{} {}", numa->size() == 1 ? "" : "s",
                     fmt::join(*numa, ", "));
}

}  // namespace

std::string NodeDevices::State::ClassFault(const std::string& name) const {
  const auto found = classes.find(name);
  if (found == classes.end())
    return fmt::format("class {} does not exist", name);
  if (found->second.error.empty()) return {};
  return fmt::format("class {} has a selector that cannot be used: {}", name,
                     found->second.error);
}

// Counts a device for a choice; false: it is not selected.
bool NodeDevices::State::CountSelected(const DeviceQuestion::Choice& choice,
                                       ProbeId within, ContentId content,
                                       ChoiceCounts& counts) {
  const DeviceChoice& wanted = *choice.wanted;
  const auto reason = kinds.ReasonOf(content, choice.probe);
  const auto of_class = static_cast<int>(
      classes.find(wanted.device_class)->second.content.selectors.size());
  if (!reason.error.empty()) {
    const bool by_class = reason.selector < of_class;
    counts.selector_fault = fmt::format(
        "selector {} of {} cannot be evaluated for a device: {}",
        by_class ? reason.selector + 1 : reason.selector - of_class + 1,
        by_class ? "class " + wanted.device_class : "the request",
        reason.error);
    return false;
  }
  if (reason.selector == kNone || reason.selector >= of_class) {
    ++counts.of_class;
  }
  if (reason.selector != kNone) return false;
  ++counts.selected;
  if (within != kNone &&
      kinds.verdict(kinds.kind(content), within) != DeviceKinds::Verdict::kYes)
    return false;
  ++counts.within;
  if (!AmountsOfPick(kinds, kinds.kind(content), wanted)) return false;
  ++counts.large_enough;
  bool tolerated = true;
  for (const DeviceTaint& taint : kinds.device(content).taints) {
    if (IsTolerated(taint, wanted.tolerations)) continue;
    tolerated = false;
    const std::string text = TaintText(taint);
    const bool told =
        std::ranges::find(counts.taints, text) != counts.taints.end();
    if (!told && counts.taints.size() < kMostTaintsTold) {
      counts.taints.push_back(text);
    }
  }
  if (tolerated) ++counts.tolerated;
  return tolerated;
}

ChoiceCounts NodeDevices::State::CountOn(const Node& node,
                                         const DeviceQuestion::Choice& choice,
                                         ProbeId within, DeviceWords words) {
  ChoiceCounts counts;
  counts.class_fault = ClassFault(choice.wanted->device_class);
  if (!counts.class_fault.empty()) return counts;
  const DeviceLayout& layout = node.states->layout();
  const DeviceState state(layout, words);
  for (std::size_t i = 0; i < node.pools.size(); ++i) {
    const DeviceLayout::Pool& pool = layout.pools[i];
    if (!pool.incomplete && !pool.invalid) continue;
    const DevicePools::Pool& of = pools.at(node.pools[i].pool);
    const std::string text =
        fmt::format("pool {} of driver {} is {}", of.name, of.driver,
                    pool.incomplete ? "being published, some slices are missing"
                                    : "published with contradictions");
    if (choice.all) counts.pool_fault = text + "; it asks for all devices";
  }
  for (std::size_t p = 0; p < node.places.size(); ++p) {
    const auto position = static_cast<int>(p);
    if (!layout.IsUsable(layout.positions[p])) continue;
    if (!CountSelected(choice, within, node.places[p].content, counts))
      continue;
    if (choice.admin || !state.IsTaken(position)) ++counts.free;
  }
  return counts;
}

// The counters and capacities that keep free devices from the choice, by name,
// with what is left and what a device needs; if there are none, those of which
// there is too little for all that it asks for.
std::string NodeDevices::State::WhatIsShort(
    const Node& node, const DeviceQuestion::Choice& choice,
    DeviceWords words) const {
  const DeviceLayout& layout = node.states->layout();
  const DeviceState state(layout, words);
  const auto is_in_use = [&](int position) {
    const int share = layout.positions[position].share;
    return state.IsTaken(position) || (share != kNone && state.IsShared(share));
  };
  std::vector<Int128> left = layout.counters;
  for (std::size_t c = 0; c < left.size(); ++c) {
    left[c] -= state.outside(static_cast<int>(c));
  }
  for (int p = 0; p < std::ssize(layout.positions); ++p) {
    if (!is_in_use(p)) continue;
    for (const auto& use : layout.positions[p].uses) {
      left[use.counter] -= use.nano;
    }
  }
  std::set<std::string> alone;
  std::set<std::string> together;
  const auto note = [&](const std::string& what, Int128 has, Int128 needed) {
    const std::string text = fmt::format("{} ({}, a device needs {})", what,
                                         ToText({has}), ToText({needed}));
    if (has < needed) alone.insert(text);
    if (has < needed * choice.wanted->count) together.insert(text);
  };
  for (int p = 0; p < std::ssize(layout.positions); ++p) {
    const DeviceLayout::Position& position = layout.positions[p];
    const Device& device = kinds.device(node.places[p].content);
    const auto amounts = AmountsOfPick(kinds, position.kind, *choice.wanted);
    if (!layout.IsUsable(position) || state.IsTaken(p) || !amounts ||
        kinds.verdict(position.kind, choice.probe) !=
            DeviceKinds::Verdict::kYes) {
      continue;
    }
    if (!is_in_use(p)) {
      auto use = position.uses.begin();  // in the order of its device's
      for (const CounterUse& of : device.uses) {
        for (const auto& [name, amount] : of.counters) {
          note(fmt::format("the counter {} of {}", name, of.set),
               left[use->counter], amount.nano);
          ++use;
        }
      }
    }
    if (position.share == kNone) continue;
    int amount = 0;
    for (const auto& [name, has] : device.capacity) {
      note("the capacity " + name,
           has.nano - state.amount(position.amounts + amount),
           (*amounts)[amount]);
      ++amount;
    }
  }
  const auto& all = alone.empty() ? together : alone;
  if (all.empty()) return "what its devices have";
  const bool many = all.size() > kMostShortTold;
  const auto told = many ? std::next(all.begin(), kMostShortTold) : all.end();
  return fmt::format("{}{}", fmt::join(all.begin(), told, ", "),
                     many ? ", ..." : "");
}

// Which request of the question alone does not fit.
std::optional<DeviceObstacle> NodeDevices::State::ExplainRequest(
    const Node& node, const Request& request, const DeviceQuestion& question,
    const DeviceWords& words) {
  for (const auto& each : question.requests) {
    DeviceQuestion alone;
    alone.requests = {each};
    alone.within = question.within;
    for (auto& choice : alone.requests.front().choices) {
      choice.constraints.clear();
    }
    if (FindDevices(kinds, node.states->layout(), alone, words).found) continue;
    const DeviceClaim& claim = request.devices.claims[each.claim];
    const DeviceRequest& of = claim.requests[each.request];
    std::string text;
    for (const auto& choice : each.choices) {
      if (!text.empty()) text += "; or ";
      if (!choice.wanted->name.empty()) text += choice.wanted->name + ": ";
      ChoiceCounts counts = CountOn(node, choice, question.within, words);
      counts.domain = InWords(request.numa);
      text += Describe(*choice.wanted, counts);
      const bool enough = choice.all ? counts.free == counts.selected
                                     : counts.free >= choice.wanted->count;
      if (enough && counts.selected > 0) {
        text +=
            ", but too little is left of " + WhatIsShort(node, choice, words);
      }
    }
    return DeviceObstacle{claim.name, of.name, text};
  }
  return std::nullopt;
}

// Which constraint keeps the requests, which fit alone, from fitting together.
DeviceObstacle NodeDevices::State::ExplainTogether(
    const Node& node, const Request& request, const DeviceQuestion& question,
    const DeviceWords& words) {
  using Rule = DeviceQuestion::Constraint::Rule;
  if (FindDevices(kinds, node.states->layout(), question, words).given_up) {
    return {"", "", "the search for its devices takes too many steps"};
  }
  for (std::size_t c = 0; c < question.constraints.size(); ++c) {
    DeviceQuestion without = question;
    std::string claim;
    for (auto& each : without.requests) {
      for (auto& choice : each.choices) {
        const auto erased = std::erase(choice.constraints, static_cast<int>(c));
        if (erased > 0) claim = request.devices.claims[each.claim].name;
      }
    }
    if (!FindDevices(kinds, node.states->layout(), without, words).found) {
      continue;
    }
    const std::string name =
        kinds.attribute_name(question.constraints[c].attribute);
    switch (question.constraints[c].rule) {
      case Rule::kMatch:
        return {claim, "", "no free devices have one value of " + name};
      case Rule::kDistinct:
        return {claim, "", "no free devices all differ in " + name};
      case Rule::kAlign:
        return {"", "",
                fmt::format("the free devices of its claims are not aligned: "
                            "none have one value of {}",
                            name)};
    }
  }
  return {"", "", "there is room for each of its requests, not for all"};
}

DeviceObstacle NodeDevices::Explain(NodeIndex index, DevicesId devices,
                                    const InsideWindow& window) {
  State& state = *state_;
  State::Request& request = state.RequestOf(devices);
  State::Node& node = state.NodeAt(index);
  std::uint64_t pinned = 0;
  for (std::size_t c = 0; c < request.devices.claims.size(); ++c) {
    const DeviceClaim& claim = request.devices.claims[c];
    if (claim.shared.empty()) continue;
    const auto has = state.PinnedBy(claim.shared, &window, {});
    if (!has) continue;
    pinned |= std::uint64_t{1} << c;
    if (!Includes(has->nodes, node.name, state.LabelsOf(node))) {
      return {claim.name, "",
              "it has its devices already, which this node cannot use"};
    }
    if (!state.IsUsable(node, claim.shared, *has, &window, {})) {
      return {claim.name, "",
              "it has its devices already, which others hold in that time"};
    }
  }
  const DeviceQuestion question = state.QuestionOf(request, pinned).question;
  state.Look(node);
  const DeviceWords words = node.states->words(state.StateIn(node, &window));
  if (auto alone = state.ExplainRequest(node, request, question, words)) {
    return *std::move(alone);
  }
  return state.ExplainTogether(node, request, question, words);
}

std::optional<DeviceObstacle> NodeDevices::ExplainNever(DevicesId devices) {
  State& state = *state_;
  State::Request& request = state.RequestOf(devices);
  const DeviceQuestion question = state.QuestionOf(request, 0).question;
  for (const auto& each : question.requests) {
    const DeviceClaim& claim = request.devices.claims[each.claim];
    if (state.allocated.contains(claim.shared)) continue;
    std::string text;
    bool possible = false;
    for (const auto& choice : each.choices) {
      ChoiceCounts counts;
      counts.class_fault = state.ClassFault(choice.wanted->device_class);
      const int contents =
          counts.class_fault.empty() ? state.kinds.contents() : 0;
      for (ContentId content = 0; content < contents && !possible; ++content) {
        if (!state.kinds.Knows(content)) continue;
        const KindId kind = state.kinds.kind(content);
        possible = (question.within == kNone ||
                    state.kinds.verdict(kind, question.within) ==
                        DeviceKinds::Verdict::kYes) &&
                   state.kinds.verdict(kind, choice.probe) !=
                       DeviceKinds::Verdict::kNo;
        state.CountSelected(choice, question.within, content, counts);
      }
      if (!text.empty()) text += "; or ";
      if (!choice.wanted->name.empty()) text += choice.wanted->name + ": ";
      const std::string fault = counts.class_fault;
      if (!fault.empty()) {
        text += fault;
      } else if (counts.of_class == 0) {
        text += fmt::format("no node has a device of class {}",
                            choice.wanted->device_class);
      } else if (counts.selected == 0) {
        text +=
            fmt::format("none of the devices of class {} matches its selectors",
                        choice.wanted->device_class);
      } else {
        text += fmt::format(
            "none of the devices of class {} that it selects {}",
            choice.wanted->device_class, "is " + InWords(request.numa));
      }
    }
    if (possible) continue;
    return DeviceObstacle{claim.name, claim.requests[each.request].name, text};
  }
  return std::nullopt;
}

}  // namespace fluxnetes::matcher
