// The devices that a task holds, as a text for a row: compact JSON.
//
//   [{"claim":"training","request":"gpu","driver":"gpu.example.com",
//     "pool":"node0","device":"gpu-0"}]
//
// More members, where they are set: "shared": "namespace/name" of a claim of
// several tasks; "admin": true; "consumed": amounts by
// capacity, such as {"gpu.example.com/memory":"1073741824"}; "share": a
// shareID; "tolerations", "conditions", "failures" as Kubernetes has them;
// "all": true or "terms" where other nodes than that of the task can use the
// device. A task without devices has the empty text.
//
// Tests: tests/matcher/devices/devices_text_test.cc.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/devices/device_request.h"

namespace fluxnetes::matcher {

// A text that is not such a list. what() gives the place and the fault.
class DevicesError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline constexpr std::size_t kMaxDevicesBytes = 1 << 20;
inline constexpr std::size_t kMaxHeldDevices = 4096;

std::string WriteDevices(std::span<const AllocatedDevice> devices);
// Throws DevicesError.
std::vector<AllocatedDevice> ReadDevices(std::string_view text);

}  // namespace fluxnetes::matcher
