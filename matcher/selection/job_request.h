// A jobspec made ready for one graph: types as numbers, and what each of its
// resources needs below it, for pruning.
//
// Where slots stand side by side and are alternatives (`flexible`), they share
// one list of parts to look for: of each type the part that asks for most.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/jobspec/jobspec.h"
#include "matcher/planner/pruning_filters.h"

namespace fluxnetes::matcher {

// Per type what is needed; what no filter tracks stays 0.
struct TypeNeeds {
  std::vector<std::int64_t> units;  // [type]
  bool any = false;
};

// Resources of a jobspec side by side: JobRequest::lists [first, last).
struct Level {
  int first = 0;
  int last = 0;
};

struct JobRequest {
  const Jobspec* spec = nullptr;
  bool flexible = false;
  std::vector<TypeId> types;     // [resource]
  std::vector<Level> with;       // [resource]
  std::vector<Level> parts;      // [resource]: of a slot and its alternatives
  std::vector<int> lists;        // resources
  std::vector<TypeNeeds> below;  // [resource]: of one unit of it
  TypeNeeds total;
  std::set<TypeId> exclusive;  // taken with everything below
  Time duration = 1;

  const JobResource& resource(int i) const { return spec->resources[i]; }
  Level top() const { return {0, spec->top}; }
  bool IsSlot(int i) const { return types[i] == types::kSlot; }
};

// Nothing if the graph has never heard of a type. The jobspec must outlive it.
std::optional<JobRequest> MakeJobRequest(const Jobspec& spec, bool flexible,
                                         const ResourceGraph& graph,
                                         const PruningFilters& filters);

}  // namespace fluxnetes::matcher
