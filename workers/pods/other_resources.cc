#include "workers/pods/other_resources.h"

#include <nlohmann/json.hpp>

#include "workers/labels/device_counts.h"

namespace fluxnetes::workers {
namespace {

constexpr const char* kEphemeral = "ephemeral-storage";

}  // namespace

std::optional<std::string> OtherResources(const cluster::Resources& resources) {
  if (resources.ephemeral_bytes == 0 && resources.extended.empty()) return {};
  nlohmann::json other = nlohmann::json::object();
  if (resources.ephemeral_bytes != 0)
    other[kEphemeral] = resources.ephemeral_bytes;
  for (const auto& [name, amount] : resources.extended) other[name] = amount;
  return other.dump();
}

std::optional<std::string> OtherResources(const cluster::PodRequest& request,
                                          std::set<std::string>& counted) {
  if (request.rules->resource_claims.empty())
    return OtherResources(request.resources);
  cluster::Resources all = request.resources;
  const auto add = [&all](const DeviceAmountsByName& amounts) {
    for (const auto& [name, amount] : amounts)
      all.SetExtended(name, all.Extended(name) + amount);
  };
  const DeviceCounts devices = CountDevices(request);
  add(devices.own);
  for (const auto& [claim, amounts] : devices.shared)
    if (counted.insert(claim).second) add(amounts);
  return OtherResources(all);
}

void ReadOtherResources(const std::string& other,
                        cluster::Resources& resources) {
  const auto parsed = nlohmann::json::parse(other);
  for (const auto& [name, amount] : parsed.items()) {
    if (name == kEphemeral)
      resources.ephemeral_bytes = amount.get<std::int64_t>();
    else
      resources.SetExtended(name, amount.get<std::int64_t>());
  }
}

}  // namespace fluxnetes::workers
