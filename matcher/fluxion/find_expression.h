// What `find` looks for: predicates joined by `and`, `or` (a blank means and),
// of equal weight, from the left; and parentheses.
//
//   status=up and (sched-now=allocated or sched-future=reserved)
//   jobid-alloc=3 agfilter=t      names=node[0-3]      property=amd
//
// Vertices below one that is down, allocated or reserved count as such.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/graph/host_list.h"

namespace fluxnetes::matcher {

inline constexpr std::size_t kMaxFindBytes = 1 << 16;

class FindExpression {
 public:
  // Nothing if the text is none.
  static std::optional<FindExpression> Parse(std::string_view text);

  // The vertices that are looked for, and all above them; of agfilter=true
  // those that have a pruning filter, with what it says at `wall_clock`.
  std::vector<Taken> Find(const Matcher& matcher, Time wall_clock) const;

 private:
  enum class Predicate {
    kStatus,
    kNow,
    kFuture,
    kJobAllocated,
    kJobReserved,
    kJobSpan,
    kJobTag,
    kFilter,
    kNames,
    kProperty,
  };
  // In postfix order.
  struct Step {
    enum class Kind { kTest, kAnd, kOr };
    Kind kind = Kind::kTest;
    Predicate predicate = Predicate::kStatus;
    bool yes = false;  // up, allocated, reserved, true
    JobId job = 0;
    std::string key;
    std::optional<HostList> names;
  };
  // What a vertex is by itself or by what is above it.
  struct Standing {
    bool down = false;
    bool allocated = false;
    bool reserved = false;
  };

  static std::optional<Step> ParseTest(std::string_view text);
  bool Holds(const Matcher& matcher, VertexIndex v, Standing standing) const;
  static bool Holds(const Step& step, const Matcher& matcher, VertexIndex v,
                    Standing standing);
  std::string FilterOf(const Matcher& matcher, VertexIndex v,
                       Time wall_clock) const;

  std::vector<Step> steps_;
  bool filters_ = false;      // agfilter=true is asked for
  std::optional<JobId> job_;  // that is asked for
};

}  // namespace fluxnetes::matcher
