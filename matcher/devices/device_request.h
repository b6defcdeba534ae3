// What a task asks of devices: the claims of a pod (resource.k8s.io/v1:
// ResourceClaim, spec.devices).
//
// Plain values.
// Tests: tests/matcher/node_devices/device_rules_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matcher/devices/device.h"

namespace fluxnetes::matcher {

// Tolerates taints of devices. An empty key with `exists` tolerates all; no
// effect means all effects.
struct DeviceToleration {
  std::string key;
  bool exists = false;  // operator Exists; else Equal
  std::string value;
  std::optional<DeviceTaint::Effect> effect;
  bool operator==(const DeviceToleration&) const = default;
};

// Devices of one kind: `exactly`, or one of `firstAvailable`.
struct DeviceChoice {
  std::string name = {};  // of a subrequest; empty for `exactly`
  std::string device_class;
  std::vector<std::string> selectors = {};  // CEL; all must hold
  bool all = false;           // allocationMode All: all that match on the node
  std::int64_t count = 1;     // else so many
  bool admin_access = false;  // beside those who hold them, and taking nothing
  std::vector<DeviceToleration> tolerations = {};
  DeviceAmounts amounts = {};  // capacity.requests
  bool operator==(const DeviceChoice&) const = default;
};

struct DeviceRequest {
  std::string name;
  std::vector<DeviceChoice> choices;  // the first that fits; one: `exactly`
  bool operator==(const DeviceRequest&) const = default;
};

// All devices of these requests have one value of an attribute, or each another
// one. "request/subrequest" names a choice. No requests: all of the claim.
struct DeviceConstraint {
  std::vector<std::string> requests = {};
  std::string match = {};     // matchAttribute: full name
  std::string distinct = {};  // distinctAttribute
  bool operator==(const DeviceConstraint&) const = default;
};

struct DeviceClaim {
  std::string name;  // as the pod calls it
  // The claim, as "namespace/name", if several tasks may use it; they then
  // share its devices. Empty: it is the task's own.
  std::string shared = {};
  std::vector<DeviceRequest> requests = {};
  std::vector<DeviceConstraint> constraints = {};
  bool operator==(const DeviceClaim&) const = default;
};

// The claims of a task. An attribute in `align`, such as
// "resource.kubernetes.io/pcieRoot", has one value over all devices of all its
// claims that have this attribute.
struct TaskDevices {
  std::vector<DeviceClaim> claims;
  std::vector<std::string> align = {};
  bool operator==(const TaskDevices&) const = default;
};

// One device that a request got, as in status.allocation.devices.results.
struct AllocatedDevice {
  std::string claim;        // DeviceClaim::name
  std::string shared = {};  // DeviceClaim::shared
  std::string request;      // "request", or "request/subrequest"
  DeviceId id;
  bool admin_access = false;
  DeviceAmounts consumed = {};  // consumedCapacity of a shared device
  std::string share = {};       // shareID: a UUID; of a shared device
  std::vector<DeviceToleration> tolerations = {};
  // Which nodes can use it, if others than that of the task can, too.
  std::optional<DeviceNodes> nodes = {};
  std::vector<std::string> binding_conditions = {};
  std::vector<std::string> binding_failures = {};
  bool operator==(const AllocatedDevice&) const = default;
};

}  // namespace fluxnetes::matcher
