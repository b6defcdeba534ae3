// A matcher on a random graph in which random jobs come and go, and what can be
// said of it: for tests of properties.
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

  // Lets a random job be allocated or reserved, if it can be. 0: it cannot.
  JobId Ask();
  void Cancel(JobId job);
  JobId AnyJob();
  Jobspec AnyJobspec();

  // All that is booked, now and later, at every vertex and for every job.
  std::string State() const { return State(matcher); }
  std::string State(const Matcher& of) const;
  // The same graph, policy and filters, with nothing booked.
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
