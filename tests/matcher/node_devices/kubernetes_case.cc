#include "kubernetes_case.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "matcher/devices/device_nodes.h"
#include "matcher/devices/device_selector.h"
#include "matcher/devices/devices_text.h"

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;

const json& ListIn(const json& object, const char* name) {
  static const json empty = json::array();
  const auto found = object.find(name);
  return found == object.end() ? empty : *found;
}

const json& ObjectIn(const json& object, const char* name) {
  static const json empty = json::object();
  const auto found = object.find(name);
  return found == object.end() ? empty : *found;
}

std::string TextIn(const json& object, const char* name) {
  return object.value(name, std::string());
}

DeviceAmount AmountFrom(const json& value) {
  const auto amount = ReadAmount(value.get<std::string>());
  if (!amount) throw std::invalid_argument("no amount: " + value.dump());
  return *amount;
}

std::optional<DeviceAmount> AmountIfAny(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) return std::nullopt;
  return AmountFrom(*found);
}

std::string FullName(const std::string& name, const std::string& driver) {
  return name.find('/') == std::string::npos ? driver + "/" + name : name;
}

std::vector<std::string> SelectorsIn(const json& object) {
  std::vector<std::string> selectors;
  for (const json& each : ListIn(object, "selectors")) {
    selectors.push_back(each.at("cel").at("expression"));
  }
  return selectors;
}

std::optional<DeviceTaint::Effect> EffectIn(const json& object) {
  const std::string effect = TextIn(object, "effect");
  if (effect.empty()) return std::nullopt;
  if (effect == "None") return DeviceTaint::Effect::kNone;
  return effect == "NoExecute" ? DeviceTaint::Effect::kNoExecute
                               : DeviceTaint::Effect::kNoSchedule;
}

LabelTerm TermFrom(const json& term) {
  LabelTerm all;
  for (const char* list : {"matchExpressions", "matchFields"}) {
    for (const json& each : ListIn(term, list)) {
      LabelRequirement requirement;
      requirement.key = each.at("key");
      requirement.op = ParseOp(each.at("operator").get<std::string>()).value();
      requirement.field = list == std::string_view("matchFields");
      for (const json& value : ListIn(each, "values")) {
        requirement.values.push_back(value);
      }
      all.push_back(std::move(requirement));
    }
  }
  return all;
}

DeviceNodes NodesFrom(const json& object) {
  DeviceNodes nodes;
  nodes.node = TextIn(object, "nodeName");
  nodes.all = object.value("allNodes", false);
  const json& selector = ObjectIn(object, "nodeSelector");
  for (const json& term : ListIn(selector, "nodeSelectorTerms")) {
    nodes.terms.push_back(TermFrom(term));
  }
  return nodes;
}

DeviceAttribute AttributeFrom(const json& value) {
  if (value.contains("int")) return value.at("int").get<std::int64_t>();
  if (value.contains("bool")) return value.at("bool").get<bool>();
  if (value.contains("version")) return DeviceVersion{value.at("version")};
  return value.at("string").get<std::string>();
}

RequestPolicy PolicyFrom(const json& value) {
  RequestPolicy policy;
  policy.fallback = AmountIfAny(value, "default");
  for (const json& each : ListIn(value, "validValues")) {
    policy.valid.push_back(AmountFrom(each));
  }
  const json& range = ObjectIn(value, "validRange");
  policy.minimum = AmountIfAny(range, "min");
  policy.maximum = AmountIfAny(range, "max");
  policy.step = AmountIfAny(range, "step");
  return policy;
}

DeviceAmounts CountersFrom(const json& value) {
  DeviceAmounts counters;
  for (const auto& [name, counter] : ObjectIn(value, "counters").items()) {
    counters.emplace(name, AmountFrom(counter.at("value")));
  }
  return counters;
}

Device DeviceFrom(const json& value, const std::string& driver,
                  bool says_nodes) {
  Device device;
  device.name = value.at("name");
  for (const auto& [name, each] : ObjectIn(value, "attributes").items()) {
    device.attributes.emplace(FullName(name, driver), AttributeFrom(each));
  }
  for (const auto& [name, each] : ObjectIn(value, "capacity").items()) {
    const std::string full = FullName(name, driver);
    device.capacity.emplace(full, AmountFrom(each.at("value")));
    if (each.contains("requestPolicy")) {
      device.policies.emplace(full, PolicyFrom(each.at("requestPolicy")));
    }
  }
  for (const json& each : ListIn(value, "consumesCounters")) {
    device.uses.push_back({each.at("counterSet"), CountersFrom(each)});
  }
  for (const json& each : ListIn(value, "taints")) {
    device.taints.push_back(
        {each.at("key"), TextIn(each, "value"), EffectIn(each).value()});
  }
  if (says_nodes) device.nodes = NodesFrom(value);
  device.shared = value.value("allowMultipleAllocations", false);
  device.binds_to_node = value.value("bindsToNode", false);
  for (const json& each : ListIn(value, "bindingConditions")) {
    device.binding_conditions.push_back(each);
  }
  for (const json& each : ListIn(value, "bindingFailureConditions")) {
    device.binding_failures.push_back(each);
  }
  return device;
}

DeviceSlice SliceFrom(const json& value) {
  const json& spec = value.at("spec");
  DeviceSlice slice;
  slice.name = value.at("name");
  slice.driver = spec.at("driver");
  slice.pool = spec.at("pool").at("name");
  slice.generation = spec.at("pool").at("generation");
  slice.slices = spec.at("pool").at("resourceSliceCount");
  const bool says_nodes = spec.value("perDeviceNodeSelection", false);
  if (!says_nodes) slice.nodes = NodesFrom(spec);
  for (const json& each : ListIn(spec, "devices")) {
    slice.devices.push_back(DeviceFrom(each, slice.driver, says_nodes));
  }
  for (const json& each : ListIn(spec, "sharedCounters")) {
    slice.counters.push_back({each.at("name"), CountersFrom(each)});
  }
  return slice;
}

DeviceChoice ChoiceFrom(const json& value) {
  DeviceChoice choice;
  choice.name = TextIn(value, "name");
  choice.device_class = TextIn(value, "deviceClassName");
  choice.selectors = SelectorsIn(value);
  choice.all = TextIn(value, "allocationMode") == "All";
  choice.count = value.value("count", std::int64_t{0});
  choice.admin_access = value.value("adminAccess", false);
  for (const json& each : ListIn(value, "tolerations")) {
    choice.tolerations.push_back({TextIn(each, "key"),
                                  TextIn(each, "operator") == "Exists",
                                  TextIn(each, "value"), EffectIn(each)});
  }
  const json& requests = ObjectIn(ObjectIn(value, "capacity"), "requests");
  for (const auto& [name, amount] : requests.items()) {
    choice.amounts.emplace(name, AmountFrom(amount));
  }
  return choice;
}

DeviceClaim ClaimFrom(const json& value, std::size_t number) {
  DeviceClaim claim;
  claim.name = fmt::format("claim{}", number);
  const json& devices = ObjectIn(value.at("spec"), "devices");
  for (const json& each : ListIn(devices, "requests")) {
    DeviceRequest request;
    request.name = each.at("name");
    if (each.contains("exactly")) {
      request.choices.push_back(ChoiceFrom(each.at("exactly")));
      request.choices.back().name.clear();
    }
    for (const json& choice : ListIn(each, "firstAvailable")) {
      request.choices.push_back(ChoiceFrom(choice));
    }
    claim.requests.push_back(std::move(request));
  }
  for (const json& each : ListIn(devices, "constraints")) {
    DeviceConstraint constraint;
    for (const json& request : ListIn(each, "requests")) {
      constraint.requests.push_back(request);
    }
    constraint.match = TextIn(each, "matchAttribute");
    constraint.distinct = TextIn(each, "distinctAttribute");
    claim.constraints.push_back(std::move(constraint));
  }
  return claim;
}

AllocatedDevice DeviceOf(const json& value, const char* amounts) {
  AllocatedDevice device;
  device.id = {value.at("driver"), value.at("pool"), value.at("device")};
  device.share = TextIn(value, "share");
  device.request = TextIn(value, "request");
  device.admin_access = value.value("admin", false);
  for (const auto& [name, amount] : ObjectIn(value, amounts).items()) {
    device.consumed.emplace(name, AmountFrom(amount));
  }
  return device;
}

void ReadAnswer(const json& answer, KubernetesCase& of) {
  of.found = answer.at("found");
  of.error = TextIn(answer, "error");
  const json& results = ListIn(answer, "results");
  for (std::size_t claim = 0; claim < results.size(); ++claim) {
    for (const json& each : results[claim]) {
      AllocatedDevice device = DeviceOf(each, "consumed");
      device.claim = fmt::format("claim{}", claim);
      of.devices.push_back(std::move(device));
    }
  }
  for (const json& selector : ListIn(answer, "selectors")) {
    DeviceNodes nodes;
    nodes.all = selector.is_null();
    if (!nodes.all) {
      for (const json& term : ListIn(selector, "nodeSelectorTerms")) {
        nodes.terms.push_back(TermFrom(term));
      }
    }
    of.nodes.push_back(std::move(nodes));
  }
}

KubernetesCase ReadQuestion(const json& value) {
  KubernetesCase of;
  of.name = TextIn(value, "name");
  of.node = value.at("node").at("name");
  for (const auto& [key, label] :
       ObjectIn(value.at("node"), "labels").items()) {
    of.labels.emplace(key, label);
  }
  for (const json& each : ListIn(value, "classes")) {
    of.classes.push_back({each.at("name"), SelectorsIn(each.at("spec")), {}});
  }
  for (const json& each : ListIn(value, "slices")) {
    of.slices.push_back(SliceFrom(each));
  }
  for (const json& each : ListIn(value, "claims")) {
    of.task.claims.push_back(ClaimFrom(each, of.task.claims.size()));
  }
  for (const json& each : ListIn(value, "allocated")) {
    of.allocated.push_back(DeviceOf(each, "capacity"));
  }
  return of;
}

}  // namespace

KubernetesCase ReadKubernetesCase(std::string_view line) {
  const json value = json::parse(line);
  KubernetesCase of = ReadQuestion(value);
  ReadAnswer(value.at("answer"), of);
  return of;
}

std::optional<std::vector<AllocatedDevice>> GivenIn(const KubernetesCase& of) {
  NodeDevices devices;
  devices.SetNode(0, of.node, of.labels);
  for (const DeviceClass& each : of.classes) devices.SetClass(each);
  for (const DeviceSlice& each : of.slices) devices.SetSlice(each);
  for (std::size_t i = 0; i < of.allocated.size(); ++i) {
    devices.SetAllocated(fmt::format("ns/allocated{}", i), {of.allocated[i]},
                         {.all = true});
  }
  try {
    const DevicesId task = devices.Take(of.task);
    if (!devices.Book(1, 0, 0, task, {10, 20, 10})) return std::nullopt;
  } catch (const SelectorError&) {
    return std::nullopt;
  }
  return ReadDevices(devices.DevicesOf(1, 0));
}

std::string ToText(const std::vector<AllocatedDevice>& devices) {
  std::string text;
  for (const AllocatedDevice& each : devices) {
    text += fmt::format("{} {} {}/{}/{}{}", each.claim, each.request,
                        each.id.driver, each.id.pool, each.id.device,
                        each.admin_access ? " admin" : "");
    for (const auto& [name, amount] : each.consumed) {
      text += fmt::format(" {}={}", name, ToText(amount));
    }
    text += '\n';
  }
  return text;
}

}  // namespace fluxnetes::matcher
