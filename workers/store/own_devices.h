// The column placements.own_devices: how many devices a pod has that no other
// pod can have, by driver, such as {"gpu.example.com":2}. Devices with admin
// access do not count.
//
// Pure.
// Tests: tests/workers/store/own_devices_test.cc.
#pragma once

#include <optional>
#include <string>

namespace fluxnetes::workers {

// `devices`: as in placements.devices. Nothing: the pod has none, or some of
// them are shared, so that those of several pods must be compared.
std::optional<std::string> OwnDevices(const std::string& devices);

}  // namespace fluxnetes::workers
