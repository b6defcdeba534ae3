// How many tasks of a gang found no place when it was looked for a start: the
// least over each of some stretches of time.
//
//   lacking  3 |____
//            2 |    |      ____
//            1 |    |_____|    |____
//              now   60   100   120   its start
//
// So a start before the one that was found needs as many places that have come
// free since, at one time of these. See NodeGraph::MayStartEarlier.
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
    int tasks = 0;  // at least, until the next part
  };

  // In order of time: so many tasks find no place from then on.
  void Note(Time from, int tasks);
  void Clear() { parts_.clear(); }
  // The same in at most kMostParts parts.
  Shortfall Short() const;

  // In order of time. Nothing is known before the first; none: nothing at all.
  const std::vector<Part>& parts() const { return parts_; }
  // So many of these have found one.
  void Take(std::size_t part, int tasks) { parts_[part].tasks -= tasks; }

 private:
  std::vector<Part> parts_;
};

}  // namespace fluxnetes::matcher
