// A matcher on a random graph in which random jobs come and go, for tests of
// properties.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {

class MatcherGame {
 public:
  explicit MatcherGame(unsigned seed);

  // Allocates or reserves for a random job. Returns 0 if it cannot.
  JobId Ask();
  void Cancel(JobId job);
  JobId AnyJob();
  Jobspec AnyJobspec();

  // Describes all that is booked, now and later, at every vertex and for every
  // job.
  std::string State() const { return State(matcher); }
  std::string State(const Matcher& of) const;
  // Returns a matcher with the same graph, policy and filters, and nothing
  // booked.
  Matcher Empty() const;

  Random random;
  std::string policy;
  Matcher matcher;
  std::map<JobId, Match> held;

 private:
  MatcherGame(unsigned seed, Random drawing);

  GraphPlan plan_;
  std::vector<Jobspec> specs_;
  JobId last_job_ = 0;
};

}  // namespace fluxnetes::matcher
