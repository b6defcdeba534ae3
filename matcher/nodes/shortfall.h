// How many tasks of a gang found no place while its start was searched: the
// least number over each of some stretches of time.
//
//   lacking  3 |____
//            2 |    |      ____
//            1 |    |_____|    |____
//              now   60   100   120   its start
//
// To start in one of these stretches, the gang needs as many places that have
// come free since, all at one time in it. See NodeGraph::MayStartEarlier.
#pragma once

#include <cstddef>
#include <vector>

#include "matcher/units.h"

namespace fluxnetes::matcher {

class Shortfall {
 public:
  static constexpr std::size_t kMostParts = 32;

  struct Part {
    Time from = 0;
    int tasks = 0;  // at least; until the next part
  };

  // Notes that `tasks` tasks find no place from then on. Called in order of
  // time.
  void Note(Time from, int tasks);
  void Clear() { parts_.clear(); }
  // Returns the same in at most kMostParts parts.
  Shortfall Short() const;

  // In order of time. Before the first part nothing is known; empty: nothing at
  // all.
  const std::vector<Part>& parts() const { return parts_; }
  // Takes off tasks of the part that have found a place since.
  void Take(std::size_t part, int tasks) { parts_[part].tasks -= tasks; }

 private:
  std::vector<Part> parts_;
};

}  // namespace fluxnetes::matcher
