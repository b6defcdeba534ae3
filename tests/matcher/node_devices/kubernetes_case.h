// A question to Kubernetes' allocator of structured parameters, with its
// answer: a line of JSON with objects as Kubernetes has them, which the program
// in tests/cluster_tools/allocator reads and answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {

struct KubernetesCase {
  std::string name;
  std::string node;
  Labels labels;
  std::vector<DeviceClass> classes;
  std::vector<DeviceSlice> slices;
  std::vector<AllocatedDevice> allocated;
  TaskDevices task;  // its claims are "claim0", "claim1", ...

  // The answer.
  bool found = false;
  std::string error;
  std::vector<AllocatedDevice> devices;
  std::vector<DeviceNodes> nodes;  // by claim
};

// Throws if the line is malformed.
KubernetesCase ReadKubernetesCase(std::string_view line);

// What NodeDevices gives in the same case; nothing: the task does not fit, or a
// selector is wrong. Tolerations, shares and nodes are left out, as in the
// answer.
std::optional<std::vector<AllocatedDevice>> GivenIn(const KubernetesCase& of);
std::string ToText(const std::vector<AllocatedDevice>& devices);

}  // namespace fluxnetes::matcher
