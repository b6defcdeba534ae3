// How much of a device's capacity a request takes ("consumable capacity").
//
// Capacities of devices have full names here. In claims and their status a name
// without a domain stands in the one of the driver.
//
// Plain functions.
// Tests: tests/matcher/devices/request_amounts_test.cc.
#pragma once

#include <optional>
#include <string>

#include "matcher/devices/device.h"

namespace fluxnetes::matcher {

// What a request for these amounts takes of each capacity of the device:
// rounded up as its policies say; where it asks for none, the default of the
// policy, or all. Nothing: the device lacks a capacity that is asked for, a
// policy excludes the amount, or it is more than the device has.
std::optional<DeviceAmounts> AmountsTaken(const DeviceAmounts& asked,
                                          const std::string& driver,
                                          const Device& device);

// The amounts with full names, and with short names where these will do.
DeviceAmounts WithDomains(const DeviceAmounts& amounts,
                          const std::string& driver);
DeviceAmounts WithoutDomain(const DeviceAmounts& amounts,
                            const std::string& driver);

}  // namespace fluxnetes::matcher
