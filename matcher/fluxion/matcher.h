// Fluxion's graph matcher: finds and books resources of a graph for jobs, now
// or in the future.
//
//   Matcher matcher(ReadJgf(text),
//                   {.policy = MatchPolicy::Of(Policy::kLonode)});
//   Match match = matcher.Run(1, ParseJobspec(spec),
//                             MatchOp::kAllocateOrElseReserve, now);
//   if (match.outcome == MatchOutcome::kReserved) ... match.at ...
//
// Vertices are taken whole, in [at, at + duration). Times are seconds from 0;
// nothing ends by itself: an allocation whose time is over keeps its vertices
// from other allocations until it is cancelled.
//
// The graph may grow and shrink, vertices go down and come up. Jobs that hold
// what is gone or down keep it.
//
// Owned by one thread. No clock, no log. Outcomes are values.
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
#include "matcher/selection/match_policy.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class PruningFilters;

enum class MatchOp {
  kAllocate,
  kAllocateWithSatisfiability,  // says kUnsatisfiable where kAllocate is kBusy
  kAllocateOrElseReserve,
  kSatisfiability,           // these three book nothing
  kWithoutAllocating,        // what kAllocate would give
  kWithoutAllocatingFuture,  // what kAllocateOrElseReserve would give
};

enum class MatchOutcome {
  kAllocated,
  kReserved,
  kMatched,  // found, not booked
  kSatisfiable,
  kBusy,           // not now, nor at a time that can be known
  kUnsatisfiable,  // not even on an empty graph with all vertices up
  kInvalid,        // a type the graph has never heard of, a duration that
                   // cannot be, a job that holds something already
};

// What is said of few vertices only.
struct TakenNote {
  std::string label;   // that the jobspec gave it
  std::string filter;  // of find: what its pruning filter says, as JSON
};

// A vertex that a job got, and the edge that led to it (kNoEdge: the root).
// `exclusive`: nobody else has it.
struct Taken {
  VertexIndex vertex = kNoVertex;
  EdgeIndex edge = kNoEdge;
  std::int64_t units = 0;
  bool exclusive = false;
  std::shared_ptr<const TakenNote> note{};  // null: nothing
};

struct Match {
  MatchOutcome outcome = MatchOutcome::kBusy;
  Time at = 0;
  Time duration = 0;
  std::string error;  // of kInvalid
  // Leaves first: children, then their parent; the root is last.
  std::vector<Taken> taken;
  // What it cost, over all times that were tried: vertices that were looked
  // at, and those of them that had something to give.
  std::int64_t visits = 0;
  std::int64_t finds = 0;

  bool found() const {
    return outcome == MatchOutcome::kAllocated ||
           outcome == MatchOutcome::kReserved ||
           outcome == MatchOutcome::kMatched;
  }
};

struct MatcherOptions {
  MatchPolicy policy{};
  std::string prune_filters = "ALL:core,ALL:node";
  // Slots side by side are alternatives, as are xor_slots.
  bool flexible = false;
  // Jobs run within [start, end) and without a duration for all of that.
  Time start = 0;
  Time end = 3'153'600'000;  // 100 years
};

// What an R says that a job has, found in the graph.
struct HeldPart {
  VertexIndex vertex = kNoVertex;
  std::int64_t units = 0;
  bool exclusive = false;
};
struct HeldEdge {
  EdgeIndex edge = kNoEdge;  // kNoEdge: the way in to the root
  std::int64_t units = 0;
  bool exclusive = false;
};
struct Held {
  std::vector<HeldPart> parts;  // to be booked, or seen to be free
  std::vector<HeldEdge> edges;
};

enum class Released {
  kPart,
  kAll,       // the job holds nothing any more
  kUnknown,   // no such job
  kReserved,  // only allocations can be released in part
  kNotHeld,   // something that it does not hold; nothing was released
};

class Matcher {
 public:
  // Throws std::invalid_argument if the filters are not well formed, the
  // window is empty or the dominant subsystem has no root.
  Matcher(ResourceGraph graph, const MatcherOptions& options);
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  const ResourceGraph& graph() const;
  const PruningFilters& filters() const;

  Match Run(JobId job, const Jobspec& jobspec, MatchOp op, Time now);
  // Books what an R says, from `at` on: kInvalid, with the reason, if some of
  // it is not to be had.
  Match Restore(JobId job, const Held& held, bool reserved, Time at,
                Time duration);
  // False if the job holds nothing.
  bool Cancel(JobId job);
  // Takes from the job all that it has on these ranks, or these vertices,
  // which it must hold alone.
  Released CancelRanks(JobId job, const std::vector<std::int64_t>& ranks);
  Released CancelVertices(JobId job, const std::vector<VertexIndex>& vertices);

  // Down vertices and all below them are left out of matches; what runs there
  // goes on. False if there is no such path.
  bool SetUp(std::string_view path, bool up);
  bool SetProperty(std::string_view path, const std::string& key,
                   const std::string& value);

  // Adds to the graph, then makes what is known of it anew. If the change
  // throws, what it added is cut off again.
  void Grow(const std::function<void(ResourceGraph&)>& change);
  // Cuts off what stands at the path, or on the ranks; jobs lose what they
  // had on the ranks. False if there is nothing there, or it is the root.
  bool Remove(std::string_view path);
  bool RemoveRanks(const std::vector<std::int64_t>& ranks);

  // What can be asked of vertices and jobs.
  bool Known(JobId job) const;
  std::int64_t allocations(VertexIndex v) const;   // jobs that have it now
  std::int64_t reservations(VertexIndex v) const;  // jobs that will
  struct Hold {
    bool tagged = false;              // the job holds something at or below it
    bool exclusive = false;           // the job holds it
    bool filtered = false;            // its pruning filter knows of the job
    std::vector<std::int64_t> units;  // that the filter has for the job
  };
  Hold HoldOf(JobId job, VertexIndex v) const;
  bool Reserved(JobId job) const;
  // What of the types of the vertex's pruning filter is in use below it.
  std::vector<std::int64_t> FilterUse(VertexIndex v, Time at) const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::matcher
