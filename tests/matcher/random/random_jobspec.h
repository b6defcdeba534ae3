// Random jobspecs for tests, with everything that a jobspec can express.
#pragma once

#include <string>
#include <vector>

#include "matcher/jobspec/jobspec.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {

// `types`: those of inner vertices, from the bottom up. `most`: the largest
// plain count.
Jobspec RandomJobspec(Random& random, const std::vector<std::string>& types,
                      bool flexible, int most);

// Returns a common request: cores, cores of one node, or whole nodes, at most
// `most` of them.
Jobspec CommonJobspec(Random& random, int most);

// Returns a request for alternative slots of cores, gpus and memory, at the top
// or below a vertex that has these.
Jobspec AlternativesJobspec(Random& random,
                            const std::vector<std::string>& types);

// Returns one line, without the constraint.
std::string Show(const Jobspec& jobspec);

}  // namespace fluxnetes::matcher
