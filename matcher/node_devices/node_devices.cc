#include "matcher/node_devices/node_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "matcher/node_devices/node_devices_state.h"

namespace fluxnetes::matcher {

NodeDevices::NodeDevices(LabelSource labels)
    : state_(std::make_unique<State>()) {
  state_->label_source = std::move(labels);
}
NodeDevices::~NodeDevices() = default;
NodeDevices::NodeDevices(NodeDevices&&) noexcept = default;
NodeDevices& NodeDevices::operator=(NodeDevices&&) noexcept = default;

NodeDevices::State::Node& NodeDevices::State::NodeAt(NodeIndex node) {
  if (node < 0) throw std::invalid_argument("there is no node below 0");
  if (static_cast<std::size_t>(node) >= nodes.size()) nodes.resize(node + 1);
  return nodes[node];
}

const Labels& NodeDevices::State::LabelsOf(const Node& node) const {
  if (!node.labels) {
    const auto index = static_cast<NodeIndex>(&node - nodes.data());
    node.labels = label_source ? label_source(index) : Labels();
  }
  return *node.labels;
}

NodeDevices::State::Request& NodeDevices::State::RequestOf(DevicesId devices) {
  const auto found = requests.find(devices);
  if (found == requests.end()) {
    throw std::invalid_argument(
        fmt::format("there is no request {} for devices", devices));
  }
  return found->second;
}

// Looks at these nodes anew when they are asked for.
void NodeDevices::State::Touch(const std::set<std::string>& names) {
  ++version;
  for (const std::string& name : names) {
    if (name.empty()) {
      ++view_epoch;
      return;
    }
    const auto at = node_index.find(name);
    if (at != node_index.end()) nodes[at->second].known = false;
  }
}

void NodeDevices::SetNode(NodeIndex node, const std::string& name,
                          const Labels& labels) {
  SetNode(node, name);
  state_->NodeAt(node).labels = labels;
}

void NodeDevices::SetNode(NodeIndex node, const std::string& name) {
  State::Node& at = state_->NodeAt(node);
  if (at.name != name) {
    state_->ForgetName(node);
    state_->node_index.insert_or_assign(name, node);
    at.name = name;
  }
  at.labels.reset();
  at.known = false;
  ++state_->version;
}

void NodeDevices::RemoveNode(NodeIndex node) {
  state_->ForgetName(node);
  State::Node& at = state_->NodeAt(node);
  at.labels.reset();
  at.known = false;
  ++state_->version;
}

void NodeDevices::State::ForgetName(NodeIndex node) {
  Node& at = NodeAt(node);
  const auto named = node_index.find(at.name);
  if (named != node_index.end() && named->second == node)
    node_index.erase(named);
  at.name.clear();
}

void NodeDevices::SetSlice(DeviceSlice slice) {
  state_->Touch(state_->pools.SetSlice(std::move(slice)));
}

void NodeDevices::RemoveSlice(std::string_view name) {
  state_->Touch(state_->pools.RemoveSlice(name));
}

void NodeDevices::SetClass(DeviceClass device_class) {
  State::Class added{std::move(device_class), {}};
  for (const std::string& selector : added.content.selectors) {
    try {
      const DeviceSelector checked(selector);
    } catch (const SelectorError& error) {
      added.error = error.what();
      break;
    }
  }
  const std::string name = added.content.name;
  state_->ForgetQuestions(name);
  state_->classes.insert_or_assign(name, std::move(added));
}

void NodeDevices::RemoveClass(std::string_view name) {
  const auto found = state_->classes.find(name);
  if (found == state_->classes.end()) return;
  state_->ForgetQuestions(found->first);
  state_->classes.erase(found);
}

int NodeDevices::CountOfClass(std::string_view name) const {
  const auto found = state_->classes.find(name);
  if (found == state_->classes.end() || !found->second.error.empty()) return 0;
  DeviceKinds& kinds = state_->kinds;
  const ProbeId probe = kinds.TakeProbe(found->second.content.selectors);
  int count = 0;
  for (const auto& [kind, devices] : state_->pools.CountKinds()) {
    if (kinds.verdict(kind, probe) == DeviceKinds::Verdict::kYes)
      count += devices;
  }
  kinds.GiveProbe(probe);
  return count;
}

std::string NodeDevices::ClassBehind(std::string_view resource) const {
  constexpr std::string_view kImplicit = "deviceclass.resource.kubernetes.io/";
  if (resource.starts_with(kImplicit)) {
    const auto named = resource.substr(kImplicit.size());
    return state_->classes.contains(named) ? std::string(named) : "";
  }
  for (const auto& [name, each] : state_->classes)
    if (each.content.extended_resource == resource) return name;
  return "";
}

void NodeDevices::SetAllocated(const std::string& claim,
                               std::vector<AllocatedDevice> devices,
                               DeviceNodes nodes) {
  State& state = *state_;
  ForgetAllocated(claim);
  std::map<PoolId, std::vector<SlotUse>> uses;
  for (const AllocatedDevice& device : devices) {
    const PoolId pool = state.pools.Find(device.id.driver, device.id.pool);
    const SlotId slot = state.pools.at(pool).SlotOf(device.id.device);
    uses[pool].push_back(state.UseOf(device, slot));
  }
  for (auto& [pool, of_pool] : uses) {
    state.pools.at(pool).takings.SetAllocated(claim, std::move(of_pool));
  }
  state.allocated.emplace(claim,
                          State::Pinned{std::move(devices), std::move(nodes)});
}

void NodeDevices::ForgetAllocated(const std::string& claim) {
  State& state = *state_;
  ++state.version;
  const auto known = state.allocated.find(claim);
  if (known == state.allocated.end()) return;
  for (const AllocatedDevice& device : known->second.devices) {
    const auto pool = state.pools.Known(device.id.driver, device.id.pool);
    if (pool) state.pools.at(*pool).takings.ForgetAllocated(claim);
  }
  state.allocated.erase(known);
}

namespace {

std::size_t HashOfDevices(const TaskDevices& devices) {
  std::size_t hash = devices.align.size();
  const auto add = [&hash](std::size_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 31;
  };
  const std::hash<std::string> of;
  for (const DeviceClaim& claim : devices.claims) {
    add(of(claim.name));
    add(of(claim.shared));
    add(claim.constraints.size());
    for (const DeviceRequest& request : claim.requests) {
      add(of(request.name));
      for (const DeviceChoice& choice : request.choices) {
        add(of(choice.device_class));
        add(static_cast<std::size_t>(choice.count) * 2 + (choice.all ? 1 : 0));
        for (const std::string& each : choice.selectors) add(of(each));
      }
    }
  }
  return hash;
}

// What the API server does not let pass is a fault of the caller.
void CheckDevices(const TaskDevices& devices) {
  if (devices.claims.size() > kMostClaims) {
    throw std::invalid_argument(
        fmt::format("a task has more than {} claims", kMostClaims));
  }
  for (const DeviceClaim& claim : devices.claims) {
    for (const DeviceRequest& request : claim.requests) {
      if (request.choices.empty()) {
        throw std::invalid_argument(fmt::format(
            "request {} of claim {} has no choice", request.name, claim.name));
      }
      for (const DeviceChoice& choice : request.choices) {
        for (const std::string& each : choice.selectors) {
          const DeviceSelector checked(each);
        }
      }
    }
  }
}

}  // namespace

DevicesId NodeDevices::Take(const TaskDevices& devices) {
  return state_->Take(devices, std::nullopt);
}

DevicesId NodeDevices::TakeWithin(const TaskDevices& devices,
                                  std::vector<std::int64_t> numa) {
  return state_->Take(devices, std::move(numa));
}

DevicesId NodeDevices::State::Take(const TaskDevices& devices, Numa numa) {
  const std::size_t hash = HashOfDevices(devices);
  const auto [first, last] = request_index.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    Request& known = requests.at(at->second);
    if (!(known.devices == devices) || known.numa != numa) continue;
    ++known.uses;
    return at->second;
  }
  CheckDevices(devices);
  const DevicesId id = next_request++;
  Request& added = requests[id];
  added.devices = devices;
  added.numa = std::move(numa);
  added.uses = 1;
  added.shares = std::ranges::any_of(
      devices.claims, [](const auto& claim) { return !claim.shared.empty(); });
  request_index.emplace(hash, id);
  return id;
}

void NodeDevices::State::GiveQuestions(Request& request) {
  for (const auto& [pinned, question] : request.questions) {
    for (const ProbeId probe : question.probes) kinds.GiveProbe(probe);
  }
  request.questions.clear();
  request.beyond_known = false;
}

void NodeDevices::State::ForgetQuestions(const std::string& device_class) {
  ++version;
  const auto of_class = [&](const DeviceRequest& request) {
    return std::ranges::find(request.choices, device_class,
                             &DeviceChoice::device_class) !=
           request.choices.end();
  };
  for (auto& [id, request] : requests) {
    const bool uses = std::ranges::any_of(
        request.devices.claims, [&](const DeviceClaim& claim) {
          return std::ranges::any_of(claim.requests, of_class);
        });
    if (uses) GiveQuestions(request);
  }
}

void NodeDevices::Give(DevicesId devices) {
  State& state = *state_;
  State::Request& request = state.RequestOf(devices);
  if (--request.uses > 0) return;
  state.GiveQuestions(request);
  const auto [first, last] =
      state.request_index.equal_range(HashOfDevices(request.devices));
  state.request_index.erase(std::find_if(
      first, last, [&](const auto& each) { return each.second == devices; }));
  state.requests.erase(devices);
  ++state.version;
}

bool NodeDevices::Knows(DevicesId devices) const {
  return state_->requests.contains(devices);
}

const TaskDevices& NodeDevices::Of(DevicesId devices) const {
  return state_->RequestOf(devices).devices;
}

bool NodeDevices::LooksBeyondNode(DevicesId devices) const {
  State& state = *state_;
  State::Request& request = state.RequestOf(devices);
  if (request.shares) return true;
  const auto& question = state.QuestionOf(request, 0).question;
  const std::pair as_of(state.pools.version(), state.kinds.epoch());
  if (request.beyond_known && request.beyond_as_of == as_of) {
    return request.beyond;
  }
  const std::set<KindId> wide = state.pools.WideKinds();
  request.beyond = std::ranges::any_of(wide, [&](KindId kind) {
    return std::ranges::any_of(question.requests, [&](const auto& each) {
      return std::ranges::any_of(each.choices, [&](const auto& choice) {
        return choice.probe != kNone &&
               state.kinds.verdict(kind, choice.probe) !=
                   DeviceKinds::Verdict::kNo;
      });
    });
  });
  request.beyond_as_of = as_of;
  request.beyond_known = true;
  return request.beyond;
}

}  // namespace fluxnetes::matcher
