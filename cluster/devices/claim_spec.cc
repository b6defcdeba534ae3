#include "cluster/devices/claim_spec.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "cluster/text/json_field.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

constexpr const char* kNotSupported = "this field is not supported";

std::string Of(const std::string& place, std::size_t index) {
  return place + "[" + std::to_string(index) + "]";
}

// Reads a spec and keeps the first fault.
class SpecReader {
 public:
  ClaimSpec Read(const Json& spec) {
    ClaimSpec result;
    Allow(spec, "", {"devices"});
    const Json& devices = At(spec, "devices");
    Allow(devices, "devices", {"requests", "constraints", "config"});
    ForEach(devices, "requests", [&](const Json& json, const auto& place) {
      result.devices.requests.push_back(ReadRequest(json, place));
    });
    ForEach(devices, "constraints", [&](const Json& json, const auto& place) {
      result.devices.constraints.push_back(ReadConstraint(json, place));
    });
    ForEach(devices, "config", [&](const Json& json, const auto& place) {
      result.config.push_back(ReadConfig(json, place));
    });
    result.fault = std::move(fault_);
    if (!result.fault.empty()) result.devices = {};
    return result;
  }

 private:
  void Fail(const std::string& place, const std::string& what) {
    if (fault_.empty()) fault_ = place.empty() ? what : place + ": " + what;
  }

  // Fails at the first field that is none of these.
  void Allow(const Json& json, const std::string& place,
             std::initializer_list<std::string_view> fields) {
    if (!json.is_object()) {
      if (!json.is_null()) Fail(place, "is not an object");
      return;
    }
    for (const auto& [name, value] : json.items()) {
      if (value.is_null() || std::ranges::count(fields, name) > 0) continue;
      Fail(place.empty() ? name : place + "." + name, kNotSupported);
    }
  }

  template <typename Body>
  void ForEach(const Json& devices, const char* key, const Body& body) {
    const Json& list = At(devices, key);
    const std::string place = std::string("devices.") + key;
    if (!list.is_null() && !list.is_array()) Fail(place, "is not a list");
    for (std::size_t i = 0; i < List(list).size(); ++i) {
      body(list[i], Of(place, i));
    }
  }

  std::string Name(const Json& json, const char* key,
                   const std::string& place) {
    std::string name = Text(json, key);
    if (name.empty()) Fail(place + "." + key, "is missing");
    return name;
  }

  matcher::DeviceRequest ReadRequest(const Json& json,
                                     const std::string& place) {
    matcher::DeviceRequest request;
    Allow(json, place, {"name", "exactly", "firstAvailable"});
    request.name = Name(json, "name", place);
    const Json& exactly = At(json, "exactly");
    const Json& alternatives = At(json, "firstAvailable");
    if (exactly.is_null() == List(alternatives).empty()) {
      Fail(place, "has to have either `exactly` or `firstAvailable`");
    }
    if (!exactly.is_null()) {
      Allow(exactly, place + ".exactly",
            {"deviceClassName", "selectors", "allocationMode", "count",
             "adminAccess", "tolerations", "capacity"});
      request.choices.push_back(ReadChoice(exactly, place + ".exactly"));
      request.choices.back().admin_access = Flag(exactly, "adminAccess");
      return request;
    }
    for (std::size_t i = 0; i < List(alternatives).size(); ++i) {
      const std::string at = Of(place + ".firstAvailable", i);
      Allow(alternatives[i], at,
            {"name", "deviceClassName", "selectors", "allocationMode", "count",
             "tolerations", "capacity"});
      request.choices.push_back(ReadChoice(alternatives[i], at));
      request.choices.back().name = Name(alternatives[i], "name", at);
    }
    return request;
  }

  matcher::DeviceChoice ReadChoice(const Json& json, const std::string& place) {
    matcher::DeviceChoice choice;
    choice.device_class = Name(json, "deviceClassName", place);
    const Json& selectors = At(json, "selectors");
    for (std::size_t i = 0; i < List(selectors).size(); ++i) {
      const std::string at = Of(place + ".selectors", i);
      Allow(selectors[i], at, {"cel"});
      Allow(At(selectors[i], "cel"), at + ".cel", {"expression"});
      choice.selectors.push_back(
          Name(At(selectors[i], "cel"), "expression", at + ".cel"));
    }
    ReadCount(json, place, choice);
    choice.tolerations = ReadDeviceTolerations(At(json, "tolerations"),
                                               place + ".tolerations", fault_);
    const Json& capacity = At(json, "capacity");
    Allow(capacity, place + ".capacity", {"requests"});
    const Json& amounts = At(capacity, "requests");
    if (!amounts.is_object()) return choice;
    for (const auto& [name, value] : amounts.items()) {
      const auto amount =
          value.is_string() ? matcher::ReadAmount(value.get<std::string>())
          : value.is_number_integer() ? matcher::ReadAmount(value.dump())
                                      : std::nullopt;
      if (!amount) {
        Fail(place + ".capacity.requests." + name,
             Quote(value.dump()) + " is not a quantity, such as \"10Gi\"");
      }
      choice.amounts.emplace(name, amount.value_or(matcher::DeviceAmount{}));
    }
    return choice;
  }

  void ReadCount(const Json& json, const std::string& place,
                 matcher::DeviceChoice& choice) {
    const std::string mode = Text(json, "allocationMode", "ExactCount");
    choice.all = mode == "All";
    if (!choice.all && mode != "ExactCount" && !mode.empty()) {
      Fail(place + ".allocationMode",
           Quote(mode) + " is not supported, only ExactCount and All are");
    }
    const Json& count = At(json, "count");
    if (count.is_null() || choice.all) return;
    choice.count =
        count.is_number_integer() ? count.get<std::int64_t>() : std::int64_t{0};
    if (choice.count == 0) choice.count = 1;  // as the API server reads it
    if (!count.is_number_integer() || choice.count < 1) {
      Fail(place + ".count", Quote(count.dump()) + " is not a number above 0");
    }
  }

  matcher::DeviceConstraint ReadConstraint(const Json& json,
                                           const std::string& place) {
    Allow(json, place, {"requests", "matchAttribute", "distinctAttribute"});
    matcher::DeviceConstraint constraint{Texts(At(json, "requests")),
                                         Text(json, "matchAttribute"),
                                         Text(json, "distinctAttribute")};
    if (constraint.match.empty() == constraint.distinct.empty()) {
      Fail(place, "has to have either `matchAttribute` or `distinctAttribute`");
    }
    return constraint;
  }

  DeviceConfig ReadConfig(const Json& json, const std::string& place) {
    Allow(json, place, {"requests", "opaque"});
    const Json entry = {{"opaque", At(json, "opaque")}};
    return {Texts(At(json, "requests")),
            entry.dump(-1, ' ', false, Json::error_handler_t::replace)};
  }

  std::string fault_;
};

constexpr int kMostLevels = 1'000;

bool IsDeeper(const Json& json, int levels) {
  if (!json.is_structured()) return false;
  return levels == 0 || std::ranges::any_of(json, [&](const Json& value) {
           return IsDeeper(value, levels - 1);
         });
}

void DropEmpty(Json& json) {
  if (!json.is_structured()) return;
  for (Json& value : json) DropEmpty(value);
  if (!json.is_object()) return;
  for (auto at = json.begin(); at != json.end();) {
    const bool empty =
        at->is_null() || *at == false || (at->is_structured() && at->empty());
    at = empty ? json.erase(at) : std::next(at);
  }
}

void FillIn(Json& json) {
  if (!json.is_object()) return;
  if (Text(json, "allocationMode").empty())
    json["allocationMode"] = "ExactCount";
  if (At(json, "count") == 0) json.erase("count");
  if (json["allocationMode"] == "ExactCount" && At(json, "count").is_null())
    json["count"] = 1;
  if (!At(json, "tolerations").is_array()) return;
  for (Json& toleration : json["tolerations"]) {
    if (toleration.is_object() && Text(toleration, "operator").empty())
      toleration["operator"] = "Equal";
  }
}

// Fills in what the API server does, and leaves out what is empty; the
// parameters of drivers stay as they are.
std::string Canonical(Json spec) {
  Json config;
  if (At(At(spec, "devices"), "config").is_array())
    config = std::exchange(spec["devices"]["config"], nullptr);
  DropEmpty(spec);
  if (At(At(spec, "devices"), "requests").is_array()) {
    for (Json& request : spec["devices"]["requests"]) {
      if (At(request, "exactly").is_object()) FillIn(request["exactly"]);
      if (!At(request, "firstAvailable").is_array()) continue;
      for (Json& each : request["firstAvailable"]) FillIn(each);
    }
  }
  if (!config.empty()) spec["devices"]["config"] = std::move(config);
  return spec.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Write(const std::vector<matcher::DeviceToleration>& tolerations) {
  Json list = Json::array();
  for (const matcher::DeviceToleration& each : tolerations) {
    Json& json = list.emplace_back(Json::object());
    json["operator"] = each.exists ? "Exists" : "Equal";
    if (!each.key.empty()) json["key"] = each.key;
    if (!each.value.empty()) json["value"] = each.value;
    using Effect = matcher::DeviceTaint::Effect;
    if (!each.effect) continue;
    json["effect"] = *each.effect == Effect::kNone         ? "None"
                     : *each.effect == Effect::kNoSchedule ? "NoSchedule"
                                                           : "NoExecute";
  }
  return list;
}

Json Write(const matcher::DeviceChoice& choice) {
  Json json = {{"deviceClassName", choice.device_class}};
  if (!choice.name.empty()) json["name"] = choice.name;
  for (const std::string& each : choice.selectors)
    json["selectors"].push_back({{"cel", {{"expression", each}}}});
  json["allocationMode"] = choice.all ? "All" : "ExactCount";
  if (!choice.all) json["count"] = choice.count;
  if (choice.admin_access) json["adminAccess"] = true;
  json["tolerations"] = Write(choice.tolerations);
  for (const auto& [name, amount] : choice.amounts)
    json["capacity"]["requests"][name] = ToText(amount);
  return json;
}

}  // namespace

std::vector<matcher::DeviceToleration> ReadDeviceTolerations(
    const EncodedValue& list, const std::string& place, std::string& fault) {
  using Effect = matcher::DeviceTaint::Effect;
  std::vector<matcher::DeviceToleration> tolerations;
  const auto fail = [&](std::size_t index, const std::string& what) {
    if (fault.empty()) fault = Of(place, index) + what;
  };
  const auto all = List(list);
  for (std::size_t i = 0; i < all.size(); ++i) {
    matcher::DeviceToleration& toleration = tolerations.emplace_back();
    toleration.key = Text(all[i], "key");
    toleration.value = Text(all[i], "value");
    const std::string op = Text(all[i], "operator");
    toleration.exists = op == "Exists";
    if (!toleration.exists && op != "Equal" && !op.empty()) {
      fail(i, ".operator: " + Quote(op) +
                  " is not supported, only Equal and Exists are");
    }
    const std::string effect = Text(all[i], "effect");
    if (effect == "NoSchedule") {
      toleration.effect = Effect::kNoSchedule;
    } else if (effect == "NoExecute") {
      toleration.effect = Effect::kNoExecute;
    } else if (effect == "None") {
      toleration.effect = Effect::kNone;
    } else if (!effect.empty()) {
      fail(i, ".effect: " + Quote(effect) +
                  " is not supported, only NoSchedule, NoExecute and None are");
    }
  }
  return tolerations;
}

ClaimSpec DecodeClaimSpec(const Json& spec) {
  if (IsDeeper(spec, kMostLevels)) {
    ClaimSpec result;
    result.fault = "is nested too deeply";
    return result;
  }
  ClaimSpec result = SpecReader().Read(spec);
  result.text = Canonical(spec);
  return result;
}

ClaimSpec ReadClaimSpec(std::string_view text) {
  const Json spec = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!spec.is_discarded()) return DecodeClaimSpec(spec);
  ClaimSpec result;
  result.text = text;
  result.fault = "is not JSON";
  return result;
}

std::string WriteClaimSpec(const matcher::DeviceClaim& claim) {
  Json spec = {{"devices", Json::object()}};
  for (const matcher::DeviceRequest& request : claim.requests) {
    Json json = {{"name", request.name}};
    for (const matcher::DeviceChoice& choice : request.choices) {
      if (choice.name.empty()) {
        json["exactly"] = Write(choice);
      } else {
        json["firstAvailable"].push_back(Write(choice));
      }
    }
    spec["devices"]["requests"].push_back(std::move(json));
  }
  for (const matcher::DeviceConstraint& each : claim.constraints) {
    Json json = {{"requests", each.requests}};
    if (!each.match.empty()) json["matchAttribute"] = each.match;
    if (!each.distinct.empty()) json["distinctAttribute"] = each.distinct;
    spec["devices"]["constraints"].push_back(std::move(json));
  }
  return Canonical(std::move(spec));
}

}  // namespace fluxnetes::cluster
