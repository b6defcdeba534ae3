// The parts of a Matcher.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "matcher/bookings.h"
#include "matcher/job_request.h"
#include "matcher/matcher.h"
#include "matcher/pruning_filters.h"
#include "matcher/selection.h"

namespace fluxnetes::matcher {

struct Matcher::State {
  // What a job has booked at a vertex; 0 where nothing.
  struct Booking {
    PlanId plan = 0;
    PlanId sharing = 0;
    PlanId filter = 0;
    bool tagged = false;  // reached by the walk that booked
  };
  struct Job {
    bool reserved = false;
    Time start = 0;
    std::unordered_map<VertexIndex, Booking> bookings;
  };
  // Units that are handed up a level while a selection is booked.
  struct Below {
    std::vector<std::int64_t> units;  // [type]
    bool any = false;
    int exclusive = 0;  // vertices
  };
  enum class Mode { kBook, kRestore, kLook };

  State(ResourceGraph graph, const MatcherOptions& options);

  void Prime();  // after the graph changed

  // Searches.
  std::optional<Time> DurationOf(const Jobspec& jobspec) const;
  bool EnoughNodes(const JobRequest& request, MatchOp op, Time now) const;
  std::int64_t CountNodes(const JobRequest& request, bool status,
                          Time at) const;
  Match Search(JobId id, const JobRequest& request, MatchOp op, Time now);
  Match Variants(JobId id, const Jobspec& jobspec, MatchOp op, Time now);
  bool Satisfiable(const JobRequest& request);
  Match Reserve(JobId id, const JobRequest& request, MatchOp op, Time now);
  void CountUp();
  bool Steady(Time at) const;

  // Books the last selection.
  Match Book(JobId id, const JobRequest& request, Time at, MatchOutcome how);
  Match Walk(Mode how);
  int Descend(EdgeIndex way, VertexIndex v, const Selection::Mark& mark,
              bool whole, int depth);
  int Leave(EdgeIndex way, VertexIndex v, const Selection::Mark& mark,
            bool exclusive, int depth);
  bool BookVertex(VertexIndex v, const Selection::Mark& mark, bool exclusive,
                  int depth);
  std::shared_ptr<const TakenNote> NoteOf(VertexIndex v) const;
  void HandUp(VertexIndex v, std::int64_t units, int depth);
  void Weigh(EdgeIndex e);
  std::string BookHeld(const Held& held);

  void Keep(JobId id);

  // Lets go.
  void Release(Job& job);
  void Forget(JobId id);
  void ReleaseVertex(Job& job, VertexIndex v);
  Released ReleasePart(JobId id, const std::vector<VertexIndex>& vertices);
  bool RootTagged(const Job& job) const;

  ResourceGraph graph;
  MatcherOptions options;
  PruningFilters filters;
  Bookings bookings;
  Selection selection;
  std::map<JobId, Job> jobs;
  std::map<Time, int> starts;  // of the jobs
  std::int64_t nodes_up = 0;

  // While a selection is booked.
  const JobRequest* request = nullptr;
  Match match;
  Job job;
  Mode mode = Mode::kBook;
  Time now = 0;
  std::vector<Below> levels;  // [depth]
};

}  // namespace fluxnetes::matcher
