// A picture for people of what jobs hold of a graph over time: a page of HTML
// that needs nothing else.
//
//   node0   |=== 1 ===|####### 3 #######
//   node1   |==== 2 ======|             |...... 4 reserved ......|
//   node2             |####### 3 #######
//
// Rows are the nodes in the order of the graph, and what stands outside of
// nodes and contains nothing; time goes from left to right. A bar is as high
// as the share of its row that the job holds: of that type of which it holds
// the largest part.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

struct PictureJob {
  JobId id = 0;
  std::string name{};  // by which people know it
  Time start = 0;
  Time end = kForever;  // kForever: not known
  bool reserved = false;
  std::vector<VertexIndex> held{};  // alone; what they contain is held as well
};

// The vertices that a job has for itself, for PictureJob::held.
std::vector<VertexIndex> HeldAlone(const Matcher& matcher, JobId job);

// `now` is marked. Throws std::invalid_argument if the graph has no root.
std::string DrawPicture(const ResourceGraph& graph,
                        std::span<const PictureJob> jobs, Time now);

}  // namespace fluxnetes::matcher
