#include "matcher/devices/devices_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "matcher/graph/text_sets.h"

namespace fluxnetes::matcher {
namespace {

using nlohmann::json;
using LabelOp = LabelRequirement::Op;
using TaintEffectOfDevice = DeviceTaint::Effect;

constexpr std::size_t kMostOfList = 1024;
constexpr int kMostDepth = 8;

constexpr std::pair<const char*, LabelOp> kLabelOps[] = {
    {"In", LabelOp::kIn},         {"NotIn", LabelOp::kNotIn},
    {"Exists", LabelOp::kExists}, {"DoesNotExist", LabelOp::kDoesNotExist},
    {"Gt", LabelOp::kGt},         {"Lt", LabelOp::kLt}};
constexpr std::pair<const char*, TaintEffectOfDevice> kTaintEffects[] = {
    {"None", TaintEffectOfDevice::kNone},
    {"NoSchedule", TaintEffectOfDevice::kNoSchedule},
    {"NoExecute", TaintEffectOfDevice::kNoExecute}};

template <typename Value, std::size_t n>
const char* NameIn(const std::pair<const char*, Value> (&names)[n],
                   Value value) {
  for (const auto& [name, each] : names) {
    if (each == value) return name;
  }
  return "";
}

json ToleratedAsJson(const DeviceToleration& toleration) {
  json value = json::object();
  if (!toleration.key.empty()) value["key"] = toleration.key;
  if (toleration.exists) value["operator"] = "Exists";
  if (!toleration.value.empty()) value["value"] = toleration.value;
  if (toleration.effect) {
    value["effect"] = NameIn(kTaintEffects, *toleration.effect);
  }
  return value;
}

json TermsAsJson(const std::vector<LabelTerm>& terms) {
  json all = json::array();
  for (const LabelTerm& term : terms) {
    json& each = all.emplace_back(json::array());
    for (const LabelRequirement& requirement : term) {
      json value = {{"key", requirement.key},
                    {"operator", NameIn(kLabelOps, requirement.op)}};
      if (!requirement.values.empty()) value["values"] = requirement.values;
      if (requirement.field) value["field"] = true;
      each.push_back(std::move(value));
    }
  }
  return all;
}

// The members that most devices do not have, each with a comma before it.
void AppendRareMembers(const AllocatedDevice& device, std::string& text) {
  const auto add = [&](const char* name, const json& value) {
    text += fmt::format(",\"{}\":{}", name, value.dump());
  };
  if (!device.shared.empty()) add("shared", device.shared);
  if (device.admin_access) add("admin", true);
  if (!device.consumed.empty()) {
    json amounts = json::object();
    for (const auto& [name, amount] : device.consumed) {
      amounts[name] = ToText(amount);
    }
    add("consumed", amounts);
  }
  if (!device.share.empty()) add("share", device.share);
  if (!device.tolerations.empty()) {
    json all = json::array();
    for (const auto& each : device.tolerations) {
      all.push_back(ToleratedAsJson(each));
    }
    add("tolerations", all);
  }
  if (device.nodes && device.nodes->all) add("all", true);
  if (device.nodes && !device.nodes->all) {
    add("terms", TermsAsJson(device.nodes->terms));
  }
  if (!device.binding_conditions.empty()) {
    add("conditions", device.binding_conditions);
  }
  if (!device.binding_failures.empty()) {
    add("failures", device.binding_failures);
  }
}

// Reads the members of one object and refuses others.
class ObjectReader {
 public:
  ObjectReader(const json& value, std::string place)
      : value_(value), place_(std::move(place)) {
    if (!value.is_object()) Fail("must be an object");
  }
  [[noreturn]] void Fail(const std::string& what) const {
    throw DevicesError(fmt::format("devices of a task: {} {}", place_, what));
  }
  ~ObjectReader() = default;

  std::string Text(const char* name, bool required = false) {
    const json* value = Find(name);
    if (value == nullptr) {
      if (required) Fail(fmt::format("needs \"{}\"", name));
      return {};
    }
    if (!value->is_string()) Fail(fmt::format("\"{}\" must be a string", name));
    auto text = value->get<std::string>();
    if (required && text.empty()) {
      Fail(fmt::format("\"{}\" must not be empty", name));
    }
    return text;
  }
  bool Flag(const char* name) {
    const json* value = Find(name);
    if (value == nullptr) return false;
    if (!value->is_boolean()) {
      Fail(fmt::format("\"{}\" must be true or false", name));
    }
    return value->get<bool>();
  }
  // Null: there is none.
  const json* List(const char* name) {
    const json* value = Find(name);
    if (value == nullptr) return nullptr;
    if (!value->is_array() || value->size() > kMostOfList) {
      Fail(fmt::format("\"{}\" must be a list of at most {} values", name,
                       kMostOfList));
    }
    return value;
  }
  std::vector<std::string> Texts(const char* name) {
    std::vector<std::string> texts;
    const json* list = List(name);
    if (list == nullptr) return texts;
    for (const json& each : *list) {
      if (!each.is_string()) {
        Fail(fmt::format("\"{}\" must have strings alone", name));
      }
      texts.push_back(each.get<std::string>());
    }
    return texts;
  }
  template <typename Value, std::size_t n>
  Value OneOf(const char* name,
              const std::pair<const char*, Value> (&names)[n]) {
    const std::string text = Text(name, true);
    for (const auto& [each, value] : names) {
      if (text == each) return value;
    }
    Fail(fmt::format("\"{}\" has the unknown value \"{}\"", name, text));
  }
  DeviceAmounts Amounts(const char* name) {
    DeviceAmounts amounts;
    const json* value = Find(name);
    if (value == nullptr) return amounts;
    if (!value->is_object())
      Fail(fmt::format("\"{}\" must be an object", name));
    for (const auto& [key, text] : value->items()) {
      std::optional<DeviceAmount> amount;
      if (text.is_string()) amount = ReadAmount(text.get<std::string>());
      if (!amount) Fail(fmt::format("\"{}\" has no amount of {}", name, key));
      amounts.emplace(key, *amount);
    }
    return amounts;
  }
  bool Has(const char* name) const { return value_.contains(name); }
  void End() const {
    if (read_ == value_.size()) return;
    Fail("has a member that is not known, or one that does not belong there");
  }

 private:
  const json* Find(const char* name) {
    const auto found = value_.find(name);
    if (found == value_.end()) return nullptr;
    ++read_;
    return &*found;
  }

  const json& value_;
  const std::string place_;
  std::size_t read_ = 0;
};

DeviceToleration ReadTolerated(const json& value, const std::string& place) {
  ObjectReader reader(value, place);
  DeviceToleration toleration;
  toleration.key = reader.Text("key");
  const std::string op = reader.Text("operator");
  if (!op.empty() && op != "Exists" && op != "Equal") {
    reader.Fail("\"operator\" must be Exists or Equal");
  }
  toleration.exists = op == "Exists";
  toleration.value = reader.Text("value");
  if (reader.Has("effect")) {
    toleration.effect = reader.OneOf("effect", kTaintEffects);
  }
  reader.End();
  return toleration;
}

LabelTerm ReadNodeTerm(const json& value, const std::string& place) {
  LabelTerm term;
  if (!value.is_array() || value.size() > kMostOfList) {
    throw DevicesError(
        fmt::format("devices of a task: {} must be a list of at most {} values",
                    place, kMostOfList));
  }
  for (const json& each : value) {
    ObjectReader reader(each, place);
    LabelRequirement requirement;
    requirement.key = reader.Text("key", true);
    requirement.op = reader.OneOf("operator", kLabelOps);
    requirement.values = reader.Texts("values");
    requirement.field = reader.Flag("field");
    reader.End();
    term.push_back(std::move(requirement));
  }
  return term;
}

AllocatedDevice ReadDevice(const json& value, const std::string& place) {
  ObjectReader reader(value, place);
  AllocatedDevice device;
  device.claim = reader.Text("claim", true);
  device.shared = reader.Text("shared");
  device.request = reader.Text("request", true);
  device.id = {reader.Text("driver", true), reader.Text("pool", true),
               reader.Text("device", true)};
  device.admin_access = reader.Flag("admin");
  device.consumed = reader.Amounts("consumed");
  device.share = reader.Text("share");
  if (const json* all = reader.List("tolerations")) {
    for (const json& each : *all) {
      device.tolerations.push_back(
          ReadTolerated(each, place + ", \"tolerations\""));
    }
  }
  if (reader.Flag("all")) {
    device.nodes.emplace().all = true;
  } else if (const json* terms = reader.List("terms")) {
    device.nodes.emplace();
    for (const json& term : *terms) {
      device.nodes->terms.push_back(ReadNodeTerm(term, place + ", \"terms\""));
    }
  }
  device.binding_conditions = reader.Texts("conditions");
  device.binding_failures = reader.Texts("failures");
  reader.End();
  return device;
}

}  // namespace

std::string WriteDevices(std::span<const AllocatedDevice> devices) {
  if (devices.empty()) return {};
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += name;
    AppendJsonQuoted(value, text);
  };
  for (const AllocatedDevice& device : devices) {
    add(text.empty() ? R"([{"claim":)" : R"(,{"claim":)", device.claim);
    add(R"(,"request":)", device.request);
    add(R"(,"driver":)", device.id.driver);
    add(R"(,"pool":)", device.id.pool);
    add(R"(,"device":)", device.id.device);
    AppendRareMembers(device, text);
    text += '}';
  }
  text += ']';
  return text;
}

std::vector<AllocatedDevice> ReadDevices(std::string_view text) {
  std::vector<AllocatedDevice> devices;
  if (text.empty()) return devices;
  if (text.size() > kMaxDevicesBytes) {
    throw DevicesError(
        fmt::format("devices of a task: the text is longer than {} bytes",
                    kMaxDevicesBytes));
  }
  bool too_deep = false;
  json all;
  try {
    all = json::parse(text, [&](int depth, json::parse_event_t, json&) {
      too_deep = too_deep || depth > kMostDepth;
      return !too_deep;
    });
  } catch (const json::exception& error) {
    throw DevicesError(
        fmt::format("devices of a task: not JSON: {}", error.what()));
  }
  if (too_deep) throw DevicesError("devices of a task: the JSON is too deep");
  if (!all.is_array() || all.size() > kMaxHeldDevices) {
    throw DevicesError(
        fmt::format("devices of a task: the text must be a list of at most {} "
                    "devices",
                    kMaxHeldDevices));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    devices.push_back(ReadDevice(all[i], fmt::format("device {}", i)));
  }
  return devices;
}

}  // namespace fluxnetes::matcher
