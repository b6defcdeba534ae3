// A jobspec prepared for one graph: types as numbers, and for each resource
// what it needs below it, for pruning.
//
// If slots of one level are alternatives (`flexible`), they share one list of
// parts to look for: for each type, the part with the highest minimum count.
//
// What a level needs is summed in the order of its resources. Each slot that is
// an alternative limits the sum so far to what it needs itself, so the sum
// depends on the order: a type that only the last slot needs counts in full,
// one that only an earlier slot needs does not count. Fluxion sums like this.
// Tests: tests/matcher/fluxion/matcher_alternatives_test.cc,
// tests/matcher/fluxion/matcher_plain_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "matcher/graph/resource_graph.h"
#include "matcher/jobspec/jobspec.h"
#include "matcher/jobspec/xor_slots.h"
#include "matcher/planner/pruning_filters.h"

namespace fluxnetes::matcher {

// The units needed of each type; 0 for types that no filter tracks.
struct TypeNeeds {
  std::vector<std::int64_t> units;  // [type]
  bool any = false;

  bool operator==(const TypeNeeds&) const = default;
};

// The resources of one level of a jobspec: JobRequest::lists [first, last).
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
  std::vector<int> lists;        // indices of resources
  std::vector<TypeNeeds> below;  // [resource]: for one unit of it
  TypeNeeds total;
  std::set<TypeId> exclusive;  // taken with everything below them
  Time duration = 1;

  const JobResource& resource(int i) const { return spec->resources[i]; }
  Level top() const { return {0, spec->top}; }
  bool IsSlot(int i) const { return types[i] == types::kSlot; }
};

// Returns nothing if the graph does not know a type. The jobspec must outlive
// the request.
std::optional<JobRequest> MakeJobRequest(const Jobspec& spec, bool flexible,
                                         const ResourceGraph& graph,
                                         const PruningFilters& filters);

// Returns the request of one variant of a jobspec with xor_slots, of which
// `whole` is the request. As in Fluxion, a variant is pruned by the needs of
// the whole, and takes whole what any variant takes whole.
JobRequest MakeVariantRequest(const XorVariant& variant,
                              const JobRequest& whole,
                              const ResourceGraph& graph,
                              const PruningFilters& filters);

}  // namespace fluxnetes::matcher
