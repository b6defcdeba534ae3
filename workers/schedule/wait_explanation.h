// Explains why a group waits, with numbers of nodes and in words for the owners
// of its pods: "5 of 8 places are free now; 3 nodes have taints that are not
// tolerated (team=red:NoSchedule), 2 lack labels of the node selector {gpu:
// a100}". It looks at every node.
//
// Owned by one thread.
// Tests: tests/workers/schedule/schedule_reason_test.cc.
#pragma once

#include <string>

#include "matcher/nodes/node_set.h"
#include "matcher/units.h"
#include "workers/graph/schedule_graph.h"
#include "workers/pending/pending_line.h"

namespace fluxnetes::workers {

std::string ExplainWaiting(const ScheduleGraph& graph, const PendingLine& line,
                           matcher::Policy policy, matcher::Time now);

// "{disk: ssd, zone: a}"
std::string FormatLabels(const cluster::LabelMap& labels);

// Which part of the request by itself excludes all these nodes, each of which
// it cannot use: "no node has the labels of the node selector {gpu: a100}".
std::string WhyNoneSuits(const ScheduleGraph& graph,
                         const std::vector<matcher::NodeIndex>& nodes,
                         const cluster::PodRequest& request);

// The number of open nodes that suit the shape and have maintenance before its
// groups would end.
int NodesInMaintenance(const ScheduleGraph& graph, const PendingLine& line,
                       matcher::Time now);

}  // namespace fluxnetes::workers
