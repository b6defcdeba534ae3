// What all open nodes have free together, as steps over time: more than any
// gang can get, so that a gang for which this is not enough at a time need not
// be tried then.
//
// Owned by one thread. A value: what is booked later has to be told.
#pragma once

#include <optional>
#include <vector>

#include "matcher/gang.h"

namespace fluxnetes::matcher {

class NodeTable;

class RoomOverTime {
 public:
  using Sum = __int128;  // of amounts, which may be 2^62 each

  // From the time of the table on.
  explicit RoomOverTime(NodeTable& nodes);

  // These amounts, per resource, were given back for [from, end).
  void Add(Time from, Time end, const std::vector<Sum>& amounts);
  // The same, taken.
  void Take(Time from, Time end, const std::vector<Sum>& amounts);

  // The first time before `before` from which there is so much for `duration`,
  // if those who ask give back what they have in [own_from, own_end), the same
  // amounts. Nothing: there is none.
  std::optional<Time> Find(const std::vector<Sum>& amounts, Time duration,
                           Time before, Time own_from, Time own_end) const;

 private:
  static constexpr std::size_t kBlock = 64;  // steps

  void Charge(Time from, Time end, const std::vector<Sum>& amounts, int sign);
  // The step that begins at the time, made if there is none.
  std::size_t StepAt(Time time);
  void SumUp();  // blocks
  bool Enough(const Sum* free, const std::vector<Sum>& amounts) const;

  std::size_t resources_ = 0;
  std::vector<Time> times_;  // when each step begins
  std::vector<Sum> free_;    // [step * resources + resource]
  std::vector<Sum> most_;    // the same, of blocks of steps
};

// What the tasks of a gang ask for together.
std::vector<RoomOverTime::Sum> SumOf(const Gang& gang, std::size_t resources);

}  // namespace fluxnetes::matcher
