// Devices of a cluster as their drivers publish them (resource.k8s.io/v1:
// DeviceClass, ResourceSlice; Kubernetes: "Dynamic Resource Allocation").
//
// Plain values.
// Tests: tests/matcher/devices/device_kinds_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "matcher/devices/amount.h"
#include "matcher/rules/task_rules.h"

namespace fluxnetes::matcher {

// A semantic version 2.0.0, as text, such as "1.2.3-rc.1".
struct DeviceVersion {
  std::string text;
  auto operator<=>(const DeviceVersion&) const = default;
};

using DeviceAttribute =
    std::variant<std::int64_t, bool, std::string, DeviceVersion>;

// Keys are full names: "domain/name". A driver's short name stands in its own
// domain ("gpu.example.com/model").
using DeviceAttributes = std::map<std::string, DeviceAttribute>;
using DeviceAmounts = std::map<std::string, DeviceAmount>;

// How much of a capacity of a device that several claims share one request may
// take. Nothing set: any amount.
struct RequestPolicy {
  std::optional<DeviceAmount> fallback;  // `default`: of requests without one
  std::vector<DeviceAmount> valid;       // validValues, ascending
  std::optional<DeviceAmount> minimum, maximum, step;  // validRange
  bool operator==(const RequestPolicy&) const = default;
};

struct DeviceTaint {
  enum class Effect { kNone, kNoSchedule, kNoExecute };
  std::string key;
  std::string value;
  Effect effect = Effect::kNoSchedule;
  bool operator==(const DeviceTaint&) const = default;
};

// What a device takes of a set of counters of its pool.
struct CounterUse {
  std::string set;
  DeviceAmounts counters;
  bool operator==(const CounterUse&) const = default;
};

// Which nodes can use a slice or a device: one node, all nodes, or those that a
// term of the selector matches.
struct DeviceNodes {
  std::string node = {};
  bool all = false;
  std::vector<LabelTerm> terms = {};
  bool operator==(const DeviceNodes&) const = default;
};

struct Device {
  std::string name;
  DeviceAttributes attributes = {};
  DeviceAmounts capacity = {};
  std::vector<CounterUse> uses = {};  // consumesCounters
  std::vector<DeviceTaint> taints = {};
  std::optional<DeviceNodes> nodes = {};  // if its slice leaves it to devices
  // allowMultipleAllocations: several claims share it, each with an amount of
  // its capacity.
  bool shared = false;
  std::map<std::string, RequestPolicy> policies = {};  // by capacity
  // bindingConditions, bindingFailureConditions, bindsToNode.
  std::vector<std::string> binding_conditions = {};
  std::vector<std::string> binding_failures = {};
  bool binds_to_node = false;
  bool operator==(const Device&) const = default;
};

struct CounterSet {
  std::string name;
  DeviceAmounts counters;
  bool operator==(const CounterSet&) const = default;
};

// A ResourceSlice: some devices, or counters, of a pool of a driver. The pool
// is complete when all `slices` slices of its latest generation are known.
struct DeviceSlice {
  std::string name;
  std::string driver;
  std::string pool;
  std::int64_t generation = 0;
  std::int64_t slices = 1;
  DeviceNodes nodes = {};  // nothing set: each device says its own
  std::vector<Device> devices = {};
  std::vector<CounterSet> counters = {};
  bool operator==(const DeviceSlice&) const = default;
};

// A DeviceClass. `extended_resource`: the resource of containers that stands
// for a device of the class; empty: none.
struct DeviceClass {
  std::string name;
  std::vector<std::string> selectors = {};  // CEL; all must hold
  std::string extended_resource = {};
  bool operator==(const DeviceClass&) const = default;
};

// The name of one device.
struct DeviceId {
  std::string driver;
  std::string pool;
  std::string device;
  auto operator<=>(const DeviceId&) const = default;
};

}  // namespace fluxnetes::matcher
