// The parts of a Matcher.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "matcher/planner/bookings.h"
#include "matcher/planner/pruning_filters.h"
#include "matcher/selection/job_request.h"
#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

struct Matcher::State {
  // What a job has booked at a vertex; 0 where nothing.
  struct Booking {
    VertexIndex vertex = kNoVertex;
    bool tagged = false;  // reached by the walk that booked
    bool cover = false;   // with all below it, which is not booked
    PlanId plan = 0;
    PlanId sharing = 0;
    PlanId filter = 0;
  };
  struct Job {
    bool reserved = false;
    // Holds something without what stands above it: then a vertex does not
    // tell whether something below it is in use.
    bool odd = false;
    Time start = 0;
    Time end = 0;
    std::vector<Booking> bookings;  // in order of vertex, once sorted

    void Sort();
    const Booking* Find(VertexIndex v) const;  // null: none
    Booking* Find(VertexIndex v);
  };
  // Units that are handed up a level while a selection is booked.
  struct Below {
    std::vector<std::int64_t> units;  // [type]
    bool any = false;
    int exclusive = 0;  // vertices
  };
  enum class Mode { kBook, kRestore, kLook };

  State(ResourceGraph graph, const MatcherOptions& options);

  void Prime();   // after the graph changed
  void Resize();  // the same, but for filters and the count of nodes
  bool Extend(int vertices, int edges);
  void CutOff(VertexIndex top);
  std::int64_t NodesUpBelow(VertexIndex top) const;

  // Searches.
  std::optional<Time> DurationOf(const Jobspec& jobspec) const;
  bool EnoughNodes(const JobRequest& request, MatchOp op, Time now) const;
  std::int64_t CountNodes(const JobRequest& request, bool status,
                          Time at) const;
  bool Prepared(const Jobspec& jobspec) const;
  Match Search(JobId id, const JobRequest& request, MatchOp op, Time now);
  Match Variants(JobId id, const Jobspec& jobspec, MatchOp op, Time now);
  bool Satisfiable(const JobRequest& request);
  Match Reserve(JobId id, const JobRequest& request, MatchOp op, Time now);
  bool Steady(Time at) const;

  // Books the last selection.
  Match Book(JobId id, const JobRequest& request, Time at, MatchOutcome how);
  Match Walk(Mode how);
  // How much of a vertex and what is below it a walk takes.
  struct Share {
    bool whole = false;    // everything below, too
    bool covered = false;  // so much so that it need not be booked
  };
  int Descend(EdgeIndex way, VertexIndex v, const Selection::Mark& mark,
              Share share, int depth);
  int Leave(EdgeIndex way, VertexIndex v, const Selection::Mark& mark,
            Share share, bool cover, int depth);
  bool BookVertex(VertexIndex v, const Selection::Mark& mark, bool exclusive,
                  int depth);
  Booking& BookingOf(VertexIndex v);
  std::shared_ptr<const TakenNote> NoteOf(VertexIndex v) const;
  void HandUp(VertexIndex v, std::int64_t units, int depth);
  void Weigh(EdgeIndex e);
  std::string BookHeld(const Held& held);

  void Keep(JobId id);

  // What is below covered vertices.
  template <typename Use>
  void ForCoversAbove(VertexIndex v, const Use& use) const;
  std::int64_t JobsAbove(VertexIndex v, bool reserved) const;
  bool CoveredDuring(VertexIndex v, Time at, Time duration) const;
  bool MayCover(VertexIndex v) const;
  void NoteOdd(Job& job);
  bool TracksBelow(VertexIndex top) const;
  void Uncover(JobId id, VertexIndex end);
  void UncoverAbove(VertexIndex v, VertexIndex end);
  void UncoverAround(VertexIndex top);

  // Lets go.
  void Release(JobId id, Job& job);
  void Forget(JobId id);
  void ReleaseVertex(JobId id, Job& job, VertexIndex v);
  void Unbook(JobId id, const Job& job, const Booking& booking);
  Released ReleasePart(JobId id, const std::vector<VertexIndex>& vertices);
  bool RootTagged(const Job& job) const;

  ResourceGraph graph;
  MatcherOptions options;
  PruningFilters filters;
  Bookings bookings;
  Selection selection;
  std::unordered_map<JobId, Job> jobs;
  std::map<Time, int> starts;   // of the jobs
  std::int64_t nodes_up = 0;    // that are up, and all above them too
  bool is_tree = false;         // no vertex has two edges to it
  bool edges_in_order = false;  // those from a vertex, by index
  int odd_jobs = 0;

  // What was asked for last: people ask for the same again and again.
  std::optional<JobRequest> prepared;
  int prepared_top = 0;
  std::vector<JobResource> prepared_resources;

  // While a selection is booked.
  const JobRequest* request = nullptr;
  Match match;
  JobId job_id = 0;
  Job job;
  Job restored;  // what a restored job has before the walk
  Mode mode = Mode::kBook;
  Time now = 0;
  std::vector<Below> levels;  // [depth]
  std::vector<std::int64_t> filter_units;
};

}  // namespace fluxnetes::matcher
