// Draws what jobs hold of a graph over time, for people: an HTML page that
// needs no other file.
//
//   node0   |=== 1 ===|####### 3 #######
//   node1   |==== 2 ======|             |...... 4 reserved ......|
//   node2             |####### 3 #######
//
// The rows are the nodes in the order of the graph, and leaves outside of
// nodes. Time goes from left to right. The height of a bar is the share of its
// row that the job holds: of the type of which it holds the largest share.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/resource_graph.h"

namespace fluxnetes::matcher {

struct PictureJob {
  JobId id = 0;
  std::string name{};  // shown to people
  Time start = 0;
  Time end = kForever;  // kForever: unknown
  bool reserved = false;
  std::vector<VertexIndex> held{};  // exclusively, with all that they contain
};

// Returns the vertices that a job holds exclusively, for PictureJob::held.
std::vector<VertexIndex> HeldAlone(const Matcher& matcher, JobId job);

// The page marks `now`. Throws std::invalid_argument if the graph has no root.
std::string DrawPicture(const ResourceGraph& graph,
                        std::span<const PictureJob> jobs, Time now);

}  // namespace fluxnetes::matcher
