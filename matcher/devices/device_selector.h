// Selectors of devices: expressions in CEL (Common Expression Language) on the
// variable `device`, as resource.k8s.io/v1 has them:
//
//   device.driver == "gpu.example.com" &&
//   device.attributes["gpu.example.com"].model.startsWith("H") &&
//   device.capacity["gpu.example.com"].memory.isGreaterThan(quantity("40Gi"))
//
// docs/devices.md lists the part of CEL that is supported.
// Tests: tests/matcher/devices/device_selector_test.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "matcher/devices/device.h"

namespace fluxnetes::matcher {

// An expression that cannot be used: it is malformed, has the wrong types, is
// too large or too costly, or uses what is not supported. The message has line
// and column, both from 1.
class SelectorError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// Constant after construction; copies share what was compiled.
class DeviceSelector {
 public:
  // Throws SelectorError.
  explicit DeviceSelector(std::string_view expression);

  // What the selector says of a device. `error`: it cannot be evaluated, for
  // example since the device lacks an attribute that it reads; Kubernetes then
  // refuses the allocation on all nodes that can use the device.
  struct Verdict {
    bool matches = false;
    std::string error = {};
    std::uint64_t cost = 0;  // as CEL counts it
  };
  Verdict Evaluate(const std::string& driver, const Device& device) const;

 private:
  std::shared_ptr<const struct SelectorProgram> program_;
};

}  // namespace fluxnetes::matcher
