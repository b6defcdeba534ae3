// Finds the vertices that a task gets in one node, by Fluxion's rules: the
// selection of the Fluxion wing on the graph of the node alone. What is taken
// already is a set of vertices; times have no part in it, since a vertex that
// is taken at some moment of the task's time is taken.
//
// Fluxion's pruning filters are left out: a node is small. So alternatives of
// slots are all tried, where Fluxion's filters look at the last one only.
//
// Owned by one thread.
// Tests: tests/matcher/inside/inside_matcher_test.cc.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/inside/inside_request.h"
#include "matcher/inside/node_structure.h"
#include "matcher/inside/vertex_mask.h"
#include "matcher/jobspec/jobspec.h"
#include "matcher/planner/bookings.h"
#include "matcher/planner/pruning_filters.h"
#include "matcher/policy.h"
#include "matcher/selection/job_request.h"
#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

class InsideSearch {
 public:
  // `graph` is that of the structure, or a view of it. What is taken is in use
  // at all vertices above it in the structure, also if the view lacks it.
  InsideSearch(const NodeStructure& structure, ResourceGraph graph,
               Policy policy);
  InsideSearch(const InsideSearch&) = delete;
  InsideSearch& operator=(const InsideSearch&) = delete;

  // Returns the jobspec prepared for the graph; nothing if the graph does not
  // have one of its types. The jobspec must outlive the request.
  std::optional<JobRequest> Prepare(const Jobspec& jobspec,
                                    bool flexible) const;

  // The same for one of the jobspecs that xor_slots stand for, or nothing also
  // if the graph does not have a type of another one.
  std::optional<JobRequest> PrepareVariant(const Jobspec& jobspec,
                                           const InsideChoice& choice) const;

  // Returns the vertices that the task takes exclusively, in order of index,
  // beside those that are taken; nothing if it does not fit. With a taken
  // vertex all below it must be taken.
  std::optional<std::vector<VertexIndex>> Run(const JobRequest& request,
                                              const VertexMask& taken);

 private:
  void Load(const VertexMask& taken);
  void Put(const VertexMask& to, VertexMask& loaded, VertexPlans& plans,
           std::vector<PlanId>& ids, bool whole);
  void Gather(VertexIndex v, bool exclusive, bool whole);

  const NodeStructure& structure_;
  ResourceGraph graph_;
  PruningFilters filters_;
  Bookings bookings_;
  Selection selection_;
  const JobRequest* request_ = nullptr;
  std::vector<VertexIndex> got_;

  // What the bookings hold now.
  VertexMask taken_;
  VertexMask shared_;
  VertexMask shares_;              // scratch of Load()
  std::vector<PlanId> plan_ids_;   // [vertex]
  std::vector<PlanId> share_ids_;  // [vertex]
};

}  // namespace fluxnetes::matcher
