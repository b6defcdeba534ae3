// The nodes that a pod of a waiting group could use now, and what keeps it off
// the others. The records give what each node has, what unmanaged pods and
// running groups use of it, its reservations and its maintenance. Of several
// reasons the first in this order is reported:
//
//   closed ─▶ queue ─▶ labels ─▶ taints ─▶ topology ─▶ size ─▶ room
//          ─▶ inside ─▶ maintenance ─▶ reserved ─▶ devices ─▶ free
//
// Rules about other pods, host ports and volumes are not checked. The records
// do not say which devices a node has left, so no node is free for a pod that
// has claims of devices: the reason of its group says which of them are short.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

// Records that a Scenario lacks.
struct NodeRecords {
  std::map<std::string, std::string> closed;  // the reason, by node
  // The group ahead that reserved it, by node.
  std::map<std::string, std::string> reserved;
};

struct NodeVerdict {
  std::string kind;  // one of the above; "free": the pod can use it
  std::string why;   // for people: "too little cpu free"
  std::vector<std::string> nodes;
};

// Judges one pod with this request (of scenario.requests) of a waiting group.
// "free" comes first, then the verdicts with most nodes.
std::vector<NodeVerdict> JudgeNodes(const workers::Scenario& scenario,
                                    int group, int request,
                                    const NodeRecords& records);

}  // namespace fluxnetes::services
