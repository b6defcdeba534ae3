// Reads the nodes of a simulated cluster from a file: v1 Node manifests, or the
// short form:
//
//   nodes:
//     - count: 64
//       name: node           # node0 .. node63; without a count just this
//       cpu: 32
//       memory: 128Gi
//       pods: 110            # default
//       ephemeral-storage: 1Ti
//       resources: {nvidia.com/gpu: 8}
//       zone: a              # label topology.kubernetes.io/zone
//       rack: r1             # label topology.kubernetes.io/rack
//       labels: {disk: ssd}
//       taints: [{key: team, value: red, effect: NoSchedule}]
//       unschedulable: false
//       structure: "sockets: 2, numa: 4, cores: 32, gpus: 8"   # what is
//       inside;
//                            # or JGF, or a mapping {sockets: 2, numa: 4, ...}
//       topology-policy: single-numa-node      # of its kubelet; or restricted
//
// A structure must have the node's cpus and GPUs, and no less memory if it has
// memory. A Node manifest has it in the annotation fluxnetes.structure.
//
// Every node gets the label kubernetes.io/hostname. Manifests of DeviceClasses
// and ResourceSlices say which devices the nodes can use. Throws InputError.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/devices/device_objects.h"
#include "cluster/objects/node.h"
#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

inline constexpr int kMostNodes = 100'000;

struct NodeFile {
  std::vector<Node> nodes;  // one at least; names are unique
  std::vector<DeviceClass> classes = {};
  std::vector<ResourceSlice> slices = {};
};
NodeFile ReadNodeFile(std::string_view text, const std::string& source,
                      const YamlLimits& limits = {});

// The same for nodes alone: devices are refused.
std::vector<Node> ReadNodes(std::string_view text, const std::string& source,
                            const YamlLimits& limits = {});

}  // namespace fluxnetes::cluster
