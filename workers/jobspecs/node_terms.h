// A constraint of a jobspec (Flux RFC 31) as terms of a node affinity, one of
// which must hold:
//
//   properties: ["ssd"]             the label fluxnetes.property/ssd exists
//   properties: ["^ssd"]            it does not
//   properties: ["arch=amd64"]      the label arch is amd64
//   properties: ["example.com/x"]   the label of this key exists
//   hostlist: ["node[1-3]"]         the node's name is one of these
//   ranks: ["0-3"]                  its logical id is: the number at the end
//                                   of its name
//   and, or, not                    of these
//
// Pure.
// Tests: tests/workers/jobspecs/node_terms_test.cc.
#pragma once

#include <vector>

#include "cluster/objects/pod_request.h"
#include "matcher/graph/constraint.h"

namespace fluxnetes::workers {

inline constexpr const char* kPropertyPrefix = "fluxnetes.property/";
inline constexpr std::size_t kMaxNodeTerms = 100;
inline constexpr std::size_t kMaxNodeValues = 1'000;

// Returns no terms if every node will do. Throws matcher::JobspecError if no
// node would, if a property is no label, or if the terms or the names in them
// are too many.
std::vector<cluster::NodeSelectorTerm> TermsOf(
    const matcher::Constraint& constraint);

// Terms that hold where one of `a` and one of `b` hold; none are no condition.
// Throws JobspecError if they are too many.
std::vector<cluster::NodeSelectorTerm> BothOf(
    const std::vector<cluster::NodeSelectorTerm>& a,
    const std::vector<cluster::NodeSelectorTerm>& b);

}  // namespace fluxnetes::workers
