// Fluxion's graph matcher: finds and books resources of a graph for jobs, now
// or in the future. resource-query uses it; the scheduler places pods with
// NodeGraph (gangs/node_graph.h).
//
//   Matcher matcher(ReadJgf(text),
//                   {.policy = Policy::kLonode});
//   Match match = matcher.Run(1, ParseJobspec(spec),
//                             MatchOp::kAllocateOrElseReserve, now);
//   if (match.outcome == MatchOutcome::kReserved) ... match.at ...
//
// Vertices are taken whole, in [at, at + duration). Times are seconds from 0.
// Nothing ends by itself: an allocation past its end keeps its vertices from
// other allocations until it is cancelled.
//
// The graph may grow and shrink, and vertices may go down and come up. A job
// keeps the vertices that it holds when they go down or are removed by path.
//
// Owned by one thread. Reads no clock and writes no log. Outcomes are values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "matcher/graph/id_set.h"
#include "matcher/graph/resource_graph.h"
#include "matcher/jobspec/jobspec.h"
#include "matcher/policy.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class PruningFilters;

enum class MatchOp {
  kAllocate,
  // kAllocate, but kUnsatisfiable where it can never fit
  kAllocateWithSatisfiability,
  kAllocateOrElseReserve,
  kSatisfiability,           // this and the two below book nothing
  kWithoutAllocating,        // returns what kAllocate would
  kWithoutAllocatingFuture,  // returns what kAllocateOrElseReserve would
};

enum class MatchOutcome {
  kAllocated,
  kReserved,
  kMatched,  // found, not booked
  kSatisfiable,
  kBusy,           // not now, nor at a later time that is known
  kUnsatisfiable,  // not even on an empty graph with all vertices up
  // an unknown type, an impossible time or duration, or a booking for a job
  // that holds something
  kInvalid,
};

// Details that few vertices have.
struct TakenNote {
  std::string label;   // from the jobspec
  std::string filter;  // for `find`: the state of its pruning filter, as JSON
};

// A vertex that a job got, and the edge that led to it (kNoEdge: it is the
// root). `exclusive`: no other job uses it.
struct Taken {
  VertexIndex vertex = kNoVertex;
  EdgeIndex edge = kNoEdge;
  std::int64_t units = 0;
  bool exclusive = false;
  std::shared_ptr<const TakenNote> note{};  // null: none
};

struct Match {
  MatchOutcome outcome = MatchOutcome::kBusy;
  Time at = 0;
  Time duration = 0;
  std::string error;  // the reason, if kInvalid
  // In post-order: children, then their parent; the root is last.
  std::vector<Taken> taken;
  // The cost over all times that were tried: vertices visited, and those among
  // them that had something to give.
  std::int64_t visits = 0;
  std::int64_t finds = 0;

  bool found() const {
    return outcome == MatchOutcome::kAllocated ||
           outcome == MatchOutcome::kReserved ||
           outcome == MatchOutcome::kMatched;
  }
};

struct MatcherOptions {
  Policy policy{};
  std::string prune_filters = "ALL:core,ALL:node";
  // Slots of one level are alternatives, as are xor_slots. At each time the
  // first alternative that fits is taken.
  bool flexible = false;
  // Jobs run within [start, end); a job without a duration gets all of it.
  Time start = 0;
  Time end = 3'153'600'000;  // 100 years
  // Equal candidates are in the order of std::sort, as in Fluxion, even if they
  // are among more than 1,024. Costs a walk and a sort where that order
  // matters.
  bool sort_equals = false;
};

// The resources that an R (resource set, Flux RFC 20) gives to a job, as
// vertices and edges of the graph.
struct HeldPart {
  VertexIndex vertex = kNoVertex;
  std::int64_t units = 0;
  bool exclusive = false;
};
struct HeldEdge {
  EdgeIndex edge = kNoEdge;  // kNoEdge: the entry to the root
  std::int64_t units = 0;
  bool exclusive = false;
};
struct HeldParts {
  std::vector<HeldPart> parts;  // booked if exclusive, else checked to be free
  std::vector<HeldEdge> edges;
};

enum class Released {
  kPart,
  kAll,       // the job holds nothing any more
  kUnknown,   // no such job
  kReserved,  // only allocations can be released in part
  kNotHeld,   // the job does not hold all of it; nothing was released
};

class Matcher {
 public:
  // Throws std::invalid_argument if the filters are malformed, or the window is
  // empty or too long.
  Matcher(ResourceGraph graph, const MatcherOptions& options);
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  const ResourceGraph& graph() const;
  const PruningFilters& filters() const;

  Match Run(JobId job, const Jobspec& jobspec, MatchOp op, Time now);
  // Books the resources of an R, from `at` on. Returns kInvalid, with the
  // reason, if some of them are not available.
  Match Restore(JobId job, const HeldParts& held, bool reserved, Time at,
                Time duration);
  // False if the job holds nothing.
  bool Cancel(JobId job);
  // Releases all that the job has on these ranks, on each of which it must hold
  // something exclusively, or these vertices, which it must hold exclusively.
  Released CancelRanks(JobId job, const std::vector<std::int64_t>& ranks);
  Released CancelVertices(JobId job, const std::vector<VertexIndex>& vertices);
  // Returns how many bookings and vertices all partial releases have looked at,
  // a measure of their cost.
  std::int64_t release_steps() const;

  // Marks the vertices at the path as up or down. Matches leave out vertices
  // that are down and all below them; jobs there go on. False if there is no
  // such path.
  bool SetUp(std::string_view path, bool up);
  bool SetProperty(std::string_view path, const std::string& key,
                   const std::string& value);

  // Calls `change` to add to the graph, then updates filters, bookings and
  // caches. If `change` throws, its additions are cut off again.
  void Grow(const std::function<void(ResourceGraph&)>& change);
  // Cuts off the vertices at the path, or on the ranks. Jobs lose what they had
  // on the ranks. False if there is no such vertex, or it is the root.
  bool Remove(std::string_view path);
  bool RemoveRanks(const std::vector<std::int64_t>& ranks);

  // State of vertices and jobs.
  bool Known(JobId job) const;
  std::int64_t allocations(VertexIndex v) const;   // jobs that hold it now
  std::int64_t reservations(VertexIndex v) const;  // jobs that reserve it
  struct Hold {
    bool tagged = false;     // the job holds something at or below it
    bool exclusive = false;  // the job holds the vertex exclusively
    bool filtered = false;   // its pruning filter has a span of the job
    std::vector<std::int64_t> units;  // that the filter has for the job
  };
  Hold HoldOf(JobId job, VertexIndex v) const;
  bool Reserved(JobId job) const;
  // Returns the units in use below the vertex, by the types of its pruning
  // filter.
  std::vector<std::int64_t> FilterUse(VertexIndex v, Time at) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::matcher
