// Which nodes a pod of a waiting group could use now, and what keeps it off the
// others, by the records: what each node has, what others and running groups
// hold of it, what is reserved on it and which maintenance it will have. Of
// several reasons the first in this order is told:
//
//   closed ─▶ queue ─▶ labels ─▶ taints ─▶ topology ─▶ size ─▶ room
//          ─▶ maintenance ─▶ reserved ─▶ free
//
// Rules about other pods, host ports and volumes are not looked at.
//
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::services {

// What a scenario has not.
struct NodeRecords {
  std::map<std::string, std::string> closed;    // why, by node
  std::map<std::string, std::string> reserved;  // for whom before it, by node
};

struct NodeVerdict {
  std::string kind;  // of the above; "free": nothing keeps it off
  std::string why;   // for people: "too little cpu free"
  std::vector<std::string> nodes;
};

// For one pod of this request (of scenario.requests), of a waiting group. Those
// with most nodes first, "free" before all.
std::vector<NodeVerdict> JudgeNodes(const workers::Scenario& scenario,
                                    int group, int request,
                                    const NodeRecords& records);

}  // namespace fluxnetes::services
