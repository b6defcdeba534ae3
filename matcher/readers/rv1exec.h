// R, version 1 (Flux RFC 20): the cores and gpus of each rank. As a graph it
// has three levels:
//
//   {"version": 1, "execution": {"R_lite": [{"rank": "0-1", "children":
//     {"core": "0-3", "gpu": "0"}}], "nodelist": ["node[0-1]"],
//     "starttime": 0, "expiration": 3600}}
//
//   cluster0 - node0 - core0 ... core3, gpu0
//            - node1 - ...
//
// All functions throw GraphError, which gives the place and the fault.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/resource_graph.h"
#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

// The times between which R is valid; 0: not given.
struct RTimes {
  Time start = 0;
  Time expiration = 0;
};

ResourceGraph ReadRv1exec(std::string_view text, RTimes* times = nullptr);

// Finds in a graph of that shape the resources that R gives to a job.
HeldParts FindRv1exec(std::string_view text, const ResourceGraph& graph);

// Returns the ranks of R, in order.
std::vector<std::int64_t> RanksOfRv1exec(std::string_view text);

}  // namespace fluxnetes::matcher
