// The expression of the command `find`: predicates joined by `and` and `or` (a
// blank means `and`), which bind equally and from the left; and parentheses.
//
//   status=up and (sched-now=allocated or sched-future=reserved)
//   jobid-alloc=3 agfilter=t      names=node[0-3]      property=amd
//
// A vertex below one that is down, allocated or reserved counts as such too.
// agfilter is no property of vertices: true holds at all of them, false at
// none. The last agfilter decides whether filters are shown.
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

  // Returns the vertices that match and all vertices above them. Where filters
  // are shown, leaves out the vertices that have none, or none in which the
  // expression's last job has something. Those above them are then returned for
  // other reasons only. The others have the state of their filter at
  // `wall_clock`, or what it has for that job, in their notes.
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
  bool ShowsFilter(const Matcher& matcher, VertexIndex v) const;
  std::string FilterOf(const Matcher& matcher, VertexIndex v,
                       Time wall_clock) const;

  std::vector<Step> steps_;
  bool filters_ = false;      // are shown
  std::optional<JobId> job_;  // the last one in the expression
};

}  // namespace fluxnetes::matcher
