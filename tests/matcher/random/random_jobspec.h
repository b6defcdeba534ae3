// Random jobspecs for tests, with all that a jobspec can say.
#pragma once

#include <string>
#include <vector>

#include "matcher/jobspec/jobspec.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {

// `types`: those of inner vertices, from the bottom. `most`: the largest plain
// number.
Jobspec RandomJobspec(Random& random, const std::vector<std::string>& types,
                      bool flexible, int most);

// What most people ask for: cores, cores of one node, whole nodes, `most` of
// them at most.
Jobspec CommonJobspec(Random& random, int most);

// In one line, without the constraint.
std::string Show(const Jobspec& jobspec);

}  // namespace fluxnetes::matcher
