#include "workers/store/own_devices.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "matcher/devices/devices_text.h"

namespace fluxnetes::workers {

std::optional<std::string> OwnDevices(const std::string& devices) {
  if (devices.empty()) return std::nullopt;
  std::map<std::string, std::int64_t> by_driver;
  for (const matcher::AllocatedDevice& each : matcher::ReadDevices(devices)) {
    if (!each.shared.empty() || !each.share.empty()) return std::nullopt;
    if (!each.admin_access) ++by_driver[each.id.driver];
  }
  return nlohmann::json(by_driver).dump();
}

}  // namespace fluxnetes::workers
