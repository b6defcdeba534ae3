// The expression of the command `find`: predicates joined by `and` and `or` (a
// blank means `and`), which bind equally and from the left; and parentheses.
//
//   status=up and (sched-now=allocated or sched-future=reserved)
//   jobid-alloc=3 agfilter=t      names=node[0-3]      property=amd
//
// A vertex below one that is down, allocated or reserved counts as such too.
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
  // Returns nothing if the text is not an expression.
  static std::optional<FindExpression> Parse(std::string_view text);

  // Returns the vertices that match and all vertices above them. With
  // agfilter=true, returns only those that have a pruning filter, with its
  // state at `wall_clock` in their notes.
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
  // Steps are in postfix order.
  struct Step {
    enum class Kind { kTest, kAnd, kOr };
    Kind kind = Kind::kTest;
    Predicate predicate = Predicate::kStatus;
    bool yes = false;  // the value is up, allocated, reserved or true
    JobId job = 0;
    std::string key;
    std::optional<HostList> names;
  };
  // The state of a vertex, its own or that of a vertex above it.
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
  bool filters_ = false;      // the expression has agfilter=true
  std::optional<JobId> job_;  // the last one in the expression
};

}  // namespace fluxnetes::matcher
