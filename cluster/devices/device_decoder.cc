#include "cluster/devices/device_decoder.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "cluster/devices/claim_decoder.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using matcher::DeviceAmount;

// A selector that no device satisfies.
constexpr const char* kNoDevice = "false";

// Reads the parts of a slice. `fault` is the first of the current part.
class SliceReader {
 public:
  explicit SliceReader(std::string driver) : driver_(std::move(driver)) {}

  matcher::Device ReadDevice(const EncodedValue& json) {
    fault_.clear();
    matcher::Device device;
    device.name = Text(json, "name");
    if (device.name.empty()) Fail("name: is missing");
    ReadAttributes(At(json, "attributes"), device);
    ReadCapacity(At(json, "capacity"), device);
    for (const EncodedValue& use : List(At(json, "consumesCounters"))) {
      device.uses.push_back(
          {Text(use, "counterSet"), ReadCounters(At(use, "counters"))});
    }
    for (const EncodedValue& taint : List(At(json, "taints")))
      device.taints.push_back(ReadTaint(taint));
    ReadNodes(json, device);
    device.shared = Flag(json, "allowMultipleAllocations");
    device.binding_conditions = Texts(At(json, "bindingConditions"));
    device.binding_failures = Texts(At(json, "bindingFailureConditions"));
    device.binds_to_node = Flag(json, "bindsToNode");
    if (!At(json, "nodeAllocatableResourceMappings").Entries().empty())
      Fail("nodeAllocatableResourceMappings: this field is not supported");
    return device;
  }

  matcher::DeviceAmounts ReadCounters(const EncodedValue& json) {
    matcher::DeviceAmounts counters;
    for (const auto& [name, counter] : json.Entries())
      counters.emplace(name, ReadAmount(At(counter, "value"), name));
    return counters;
  }

  // Takes the fault of what was read last; empty: none.
  std::string TakeFault() { return std::exchange(fault_, {}); }

 private:
  void Fail(std::string what) {
    if (fault_.empty()) fault_ = std::move(what);
  }

  DeviceAmount ReadAmount(const EncodedValue& value, const std::string& place) {
    const std::string text = value.Written();
    const auto amount = matcher::ReadAmount(text);
    if (!amount) Fail(place + ": " + Quote(text) + " is no quantity");
    return amount.value_or(DeviceAmount{});
  }

  std::optional<DeviceAmount> ReadOptional(const EncodedValue& value,
                                           const std::string& place) {
    if (value.IsNull()) return std::nullopt;
    return ReadAmount(value, place);
  }

  void ReadAttributes(const EncodedValue& json, matcher::Device& device) {
    for (const auto& [name, value] : json.Entries()) {
      matcher::DeviceAttribute attribute;
      if (const auto number = At(value, "int").Integer()) {
        attribute = *number;
      } else if (At(value, "bool").IsFlag()) {
        attribute = Flag(value, "bool");
      } else if (const auto text = At(value, "string").Text()) {
        attribute = *text;
      } else if (const auto version = At(value, "version").Text()) {
        attribute = matcher::DeviceVersion{*version};
      } else {
        Fail("attributes." + name +
             ": only int, bool, string and version are supported");
      }
      device.attributes.emplace(FullDeviceName(driver_, name),
                                std::move(attribute));
    }
  }

  void ReadCapacity(const EncodedValue& json, matcher::Device& device) {
    for (const auto& [name, value] : json.Entries()) {
      const std::string place = "capacity." + name;
      const std::string full = FullDeviceName(driver_, name);
      device.capacity.emplace(full, ReadAmount(At(value, "value"), place));
      const EncodedValue policy = At(value, "requestPolicy");
      if (policy.IsObject())
        device.policies.emplace(full, ReadPolicy(policy, place));
    }
  }

  matcher::RequestPolicy ReadPolicy(const EncodedValue& json,
                                    const std::string& place) {
    matcher::RequestPolicy policy;
    policy.fallback = ReadOptional(At(json, "default"), place);
    for (const EncodedValue& value : List(At(json, "validValues")))
      policy.valid.push_back(ReadAmount(value, place));
    const EncodedValue range = At(json, "validRange");
    policy.minimum = ReadOptional(At(range, "min"), place);
    policy.maximum = ReadOptional(At(range, "max"), place);
    policy.step = ReadOptional(At(range, "step"), place);
    return policy;
  }

  // An unknown effect counts as None, as the API says.
  matcher::DeviceTaint ReadTaint(const EncodedValue& json) {
    using Effect = matcher::DeviceTaint::Effect;
    const std::string effect = Text(json, "effect");
    return {Text(json, "key"), Text(json, "value"),
            effect == "NoSchedule"  ? Effect::kNoSchedule
            : effect == "NoExecute" ? Effect::kNoExecute
                                    : Effect::kNone};
  }

  void ReadNodes(const EncodedValue& json, matcher::Device& device) {
    const std::string node = Text(json, "nodeName");
    const EncodedValue selector = At(json, "nodeSelector");
    if (!node.empty()) {
      device.nodes = {.node = node};
    } else if (!selector.IsNull()) {
      device.nodes = DecodeDeviceNodes(selector);
    } else if (Flag(json, "allNodes")) {
      device.nodes = {.node = {}, .all = true};
    }
  }

  const std::string driver_;
  std::string fault_;
};

matcher::DeviceNodes NodesOf(const EncodedValue& spec) {
  const std::string node = Text(spec, "nodeName");
  if (!node.empty()) return {.node = node};
  if (!At(spec, "nodeSelector").IsNull())
    return DecodeDeviceNodes(At(spec, "nodeSelector"));
  return {.node = {}, .all = Flag(spec, "allNodes")};
}

}  // namespace

std::string FullDeviceName(const std::string& driver, const std::string& name) {
  return name.find('/') == name.npos ? driver + "/" + name : name;
}

std::string ShortDeviceName(const std::string& driver,
                            const std::string& name) {
  const bool own = name.size() > driver.size() + 1 &&
                   name.starts_with(driver) && name[driver.size()] == '/';
  return own ? name.substr(driver.size() + 1) : name;
}

DeviceClass DecodeDeviceClass(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  DeviceClass result;
  result.resource_version = Text(metadata, "resourceVersion");
  matcher::DeviceClass& device_class = result.device_class;
  device_class.name = Text(metadata, "name");
  device_class.extended_resource = Text(spec, "extendedResourceName");
  const auto selectors = List(At(spec, "selectors"));
  for (std::size_t i = 0; i < selectors.size(); ++i) {
    const auto expression = At(At(selectors[i], "cel"), "expression").Text();
    if (!expression && result.fault.empty()) {
      result.fault = "selectors[" + std::to_string(i) +
                     "]: only selectors by `cel` are supported";
    }
    device_class.selectors.push_back(expression.value_or(kNoDevice));
  }
  for (const EncodedValue& entry : List(At(spec, "config"))) {
    const Json config = {{"opaque", At(entry, "opaque").ToJson()}};
    result.config.push_back(
        config.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return result;
}

ResourceSlice DecodeResourceSlice(const EncodedValue& object) {
  const EncodedValue metadata = At(object, "metadata");
  const EncodedValue spec = At(object, "spec");
  const EncodedValue pool = At(spec, "pool");
  ResourceSlice result;
  result.resource_version = Text(metadata, "resourceVersion");
  matcher::DeviceSlice& slice = result.slice;
  slice.name = Text(metadata, "name");
  slice.driver = Text(spec, "driver");
  slice.pool = Text(pool, "name");
  slice.generation = At(pool, "generation").Integer().value_or(0);
  slice.slices = At(pool, "resourceSliceCount").Integer().value_or(1);
  slice.nodes = NodesOf(spec);
  SliceReader reader(slice.driver);
  const auto note = [&](const char* list, std::size_t index) {
    std::string fault = reader.TakeFault();
    if (fault.empty()) return true;
    result.faults.push_back(std::string(list) + "[" + std::to_string(index) +
                            "]." + fault);
    return false;
  };
  const auto sets = List(At(spec, "sharedCounters"));
  for (std::size_t i = 0; i < sets.size(); ++i) {
    matcher::CounterSet set{Text(sets[i], "name"),
                            reader.ReadCounters(At(sets[i], "counters"))};
    if (note("sharedCounters", i)) slice.counters.push_back(std::move(set));
  }
  const auto devices = List(At(spec, "devices"));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    matcher::Device device = reader.ReadDevice(devices[i]);
    if (note("devices", i)) slice.devices.push_back(std::move(device));
  }
  return result;
}

}  // namespace fluxnetes::cluster
