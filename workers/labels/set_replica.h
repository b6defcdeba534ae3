// The replica of a LeaderWorkerSet that a pod belongs to, by the labels and
// annotations that its controller gives each pod.
// (LeaderWorkerSet: pkg/controllers/pod_controller.go.)
//
// Pure.
// Tests: tests/workers/pods/group_labels_test.cc.
#pragma once

#include <optional>
#include <string>

#include "cluster/objects/pod.h"
#include "workers/labels/marks.h"

namespace fluxnetes::workers {

struct SetReplica {
  std::string set;
  std::string replica;  // its number
  Mark size;            // in pods, as it is written
  bool is_leader = false;
};

// Returns nothing if the pod is of none, and sets `lacks` to what it would
// have: "label leaderworkerset.sigs.k8s.io/name".
std::optional<SetReplica> FindSetReplica(const cluster::Pod& pod,
                                         std::string& lacks);

}  // namespace fluxnetes::workers
