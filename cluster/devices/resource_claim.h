// ResourceClaim and ResourceClaimTemplate (resource.k8s.io/v1): the fields that
// the scheduler uses. (Kubernetes: "Dynamic Resource Allocation".)
//
// Plain values.
// Tests: tests/cluster/devices/claim_decoder_test.cc.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/objects/copy_on_write.h"
#include "cluster/objects/pod.h"
#include "matcher/devices/device_request.h"

namespace fluxnetes::cluster {

// While a claim has this finalizer, its deletion waits: it has, or may get,
// devices.
inline constexpr const char* kClaimFinalizer =
    "resource.kubernetes.io/delete-protection";

// The API server refuses more consumers of one claim.
inline constexpr std::size_t kMostClaimConsumers = 256;

// What a driver is to be told about devices.
struct DeviceConfig {
  std::vector<std::string> requests = {};  // empty: all of them
  std::string json;  // {"opaque":{"driver":...,"parameters":...}}
  bool operator==(const DeviceConfig&) const = default;
};

// The spec of a claim. `text` is canonical (claim_spec.h): it is equal for
// specs that ask the same, however they are written.
struct ClaimSpec {
  std::string text;
  matcher::DeviceClaim devices = {};  // without a name
  std::vector<DeviceConfig> config = {};
  // What of it is wrong or not supported, with its place. Then there are no
  // `devices`. Empty: nothing.
  std::string fault = {};
  bool operator==(const ClaimSpec&) const = default;
};

// Who uses a claim: mostly a pod.
struct ClaimConsumer {
  std::string api_group = {};  // empty: Kubernetes' core
  std::string resource = "pods";
  std::string name;
  std::string uid;
  bool operator==(const ClaimConsumer&) const = default;
};

// What a claim has been given.
struct ClaimDevices {
  std::vector<matcher::AllocatedDevice> devices = {};  // without a claim's name
  matcher::DeviceNodes nodes = {};                     // that can use them
  bool operator==(const ClaimDevices&) const = default;
};

// What is said of a device of a claim (status.devices): the types of those
// conditions that are true.
struct DeviceStatus {
  matcher::DeviceId id;
  std::string share = {};  // shareID; empty: it is not shared
  std::vector<std::string> conditions = {};
  bool operator==(const DeviceStatus&) const = default;
};

struct ResourceClaim {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::optional<Owner> owner = {};  // the pod that it was made for
  CopyOnWrite<ClaimSpec> spec = {};
  std::optional<ClaimDevices> allocation = {};
  std::vector<ClaimConsumer> reserved_for = {};
  std::vector<DeviceStatus> statuses = {};
  std::vector<std::string> finalizers = {};
  bool terminating = false;  // has a deletion timestamp
  bool operator==(const ResourceClaim&) const = default;
};

struct ResourceClaimTemplate {
  std::string namespace_name;
  std::string name;
  std::string uid;
  std::string resource_version;
  ClaimSpec spec;  // of the claims that are made of it
  bool operator==(const ResourceClaimTemplate&) const = default;
};

// "namespace/name".
inline std::string Key(const ResourceClaim& claim) {
  return claim.namespace_name + "/" + claim.name;
}
inline std::string Key(const ResourceClaimTemplate& of) {
  return of.namespace_name + "/" + of.name;
}

}  // namespace fluxnetes::cluster
