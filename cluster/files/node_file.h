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
//
// Every node gets the label kubernetes.io/hostname. Throws InputError.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/objects/node.h"
#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

inline constexpr int kMostNodes = 100'000;

// Returns at least one node; names are unique.
std::vector<Node> ReadNodes(std::string_view text, const std::string& source,
                            const YamlLimits& limits = {});

}  // namespace fluxnetes::cluster
