// How many devices of each class the claims of a pod may get, as quotas and
// fair shares count them. The rules and the names are those of Kubernetes'
// ResourceQuota: `gpu.example.com.deviceclass.resource.k8s.io/devices` counts
// the devices that requests for the class gpu.example.com may get at most.
//
//   exactly         its count
//   All             32, the most that a claim can have
//   firstAvailable  of each class, the most that an alternative asks for
//   adminAccess     none, since it takes nothing (Kubernetes counts it)
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::workers {

using DeviceAmountsByName = std::map<std::string, std::int64_t>;

struct DeviceCounts {
  DeviceAmountsByName own;  // of claims that are the pod's own
  // Of claims that several pods may use, by "namespace/name".
  std::map<std::string, DeviceAmountsByName> shared;
};

DeviceCounts CountDevices(const cluster::PodRequest& request);

// The class that a resource of this name counts; empty: it counts none.
std::string_view ClassCountedBy(std::string_view resource);

// Without what counts devices of a class, which is nothing that a node has.
cluster::Resources OfNodes(cluster::Resources resources);

}  // namespace fluxnetes::workers
