// The internals of a Matcher.
// Tests: tests/matcher/fluxion/matcher_test.cc,
// tests/matcher/fluxion/matcher_random_test.cc.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "matcher/fluxion/job_bookings.h"
#include "matcher/fluxion/matcher.h"
#include "matcher/planner/bookings.h"
#include "matcher/planner/pruning_filters.h"
#include "matcher/selection/job_request.h"
#include "matcher/selection/selection.h"

namespace fluxnetes::matcher {

struct Matcher::State {
  struct Job {
    bool reserved = false;
    // True if the job holds something below a vertex that it does not hold.
    // Then the bookings of that vertex do not show whether something below it
    // is in use. Nothing there is covered.
    bool odd = false;
    Time start = 0;
    Time end = 0;
    JobBookings bookings;
    int loose = 0;  // bookings that are loose
    // The shape of the graph when they were counted; 0: not counted.
    std::uint64_t shape = 0;
  };
  // Units that are passed up a level while a selection is booked.
  struct Below {
    std::vector<std::int64_t> units;  // [type]
    bool any = false;
    int exclusive = 0;  // exclusive vertices
  };
  enum class Mode { kBook, kRestore, kLook };

  State(ResourceGraph graph, const MatcherOptions& options);

  void Prime();   // after a change of the graph
  void Resize();  // like Prime(), without filters and the node count
  bool Extend(int vertices, int edges);
  void CutOff(VertexIndex top);
  std::int64_t NodesUpBelow(VertexIndex top) const;

  // Searches.
  std::optional<Time> DurationOf(const Jobspec& jobspec) const;
  bool EnoughNodes(const JobRequest& request, MatchOp op, Time now) const;
  std::int64_t CountNodes(const JobRequest& request, bool status,
                          Time at) const;
  std::string Prepare(const Jobspec& jobspec);
  Match Find(JobId id, const Jobspec& jobspec, MatchOp op, Time now);
  const JobRequest* Select(const Selection::Times& times);
  Match Search(JobId id, MatchOp op, Time now);
  bool Satisfiable();
  Match Reserve(JobId id, MatchOp op, Time now);
  bool Steady(Time at) const;
  bool Tidy(Time at, bool now) const;

  // Books the last selection.
  Match Book(JobId id, const JobRequest& request, Time at, MatchOutcome how);
  Match Walk(Mode how);
  // How much of a vertex and of what is below it a walk takes.
  struct Share {
    bool whole = false;    // with everything below it
    bool covered = false;  // a vertex above covers it, so it is not booked
  };
  int Descend(EdgeIndex way, VertexIndex v, const Selection::Mark& mark,
              Share share, int depth);
  int Leave(EdgeIndex way, VertexIndex v, const Selection::Mark& mark,
            Share share, bool cover, int depth);
  void TakeCovered(EdgeIndex way, int depth);
  bool BookVertex(VertexIndex v, const Selection::Mark& mark, bool exclusive,
                  int depth);
  Booking& BookingOf(VertexIndex v);
  std::shared_ptr<const TakenNote> NoteOf(VertexIndex v) const;
  void HandUp(VertexIndex v, std::int64_t units, int depth);
  void Weigh(EdgeIndex e);
  std::string BookHeld(const HeldParts& held);

  void Keep(JobId id);

  // Covers and the vertices below them.
  template <typename Use>
  void ForCoversAbove(VertexIndex v, const Use& use) const;
  std::int64_t JobsAbove(VertexIndex v, bool reserved) const;
  bool CoveredDuring(VertexIndex v, Time at, Time duration) const;
  bool MayCover(VertexIndex v) const;
  bool TracksBelow(VertexIndex top) const;
  void Split(JobId id, Job& job, VertexIndex top, VertexIndex end);
  void Uncover(JobId id, VertexIndex v, VertexIndex end);
  void UncoverBelow(JobId id, Job& job, VertexIndex top);
  void UncoverAbove(VertexIndex v, VertexIndex end);
  void UncoverAround(VertexIndex top);

  // Releases.
  using Vertices = std::vector<VertexIndex>;                         // in order
  using UnitsAt = std::map<VertexIndex, std::vector<std::int64_t>>;  // [type]
  void Release(JobId id, Job& job);
  void Forget(JobId id);
  void ReleaseVertex(JobId id, Job& job, VertexIndex v);
  void Unbook(JobId id, const Job& job, const Booking& booking);
  void CountLoose(JobId id, Job& job);
  void Loosen(JobId id, Job& job, VertexIndex v);
  void NoteOdd(Job& job);
  VertexIndex CoverOf(const Job& job, VertexIndex v) const;
  void Expose(JobId id, Job& job, const Vertices& gone);
  bool AllBelow(const Vertices& gone, VertexIndex top);
  UnitsAt UnitsAbove(const Job& job, const Vertices& gone) const;
  void Reduce(JobId id, Job& job, const UnitsAt& units);
  Released ReleasePart(JobId id, Vertices gone);
  bool RootTagged(const Job& job) const;

  ResourceGraph graph;
  MatcherOptions options;
  PruningFilters filters;
  Bookings bookings;
  Selection selection;
  std::unordered_map<JobId, Job> jobs;
  std::map<Time, int> starts;   // jobs by start
  std::map<Time, int> ends;     // jobs that are not reserved, by end
  Time last_start = 0;          // of those, since there was no job
  std::int64_t nodes_up = 0;    // up themselves and all above them
  bool is_tree = false;         // no vertex has two edges into it
  bool edges_in_order = false;  // edges from a vertex, by index
  int odd_jobs = 0;
  std::uint64_t shape = 0;  // a number that changes with the graph
  std::int64_t release_steps = 0;

  // The requests of the last jobspec, which often comes again: one, or one for
  // each variant that its xor_slots make. At each time they are tried in order.
  std::vector<JobRequest> prepared;
  std::vector<XorVariant> variants;
  int prepared_top = 0;
  std::vector<JobResource> prepared_resources;

  // Used while a selection is booked.
  const JobRequest* request = nullptr;
  bool labelled = false;  // a resource other than a slot has a label
  Match match;
  std::size_t last_taken = 0;  // vertices of the last match
  JobId job_id = 0;
  Job job;
  Job restored;  // bookings of a restored job from before the walk
  Mode mode = Mode::kBook;
  Time now = 0;
  std::vector<Below> levels;  // [depth]
  std::vector<std::int64_t> filter_units;
};

}  // namespace fluxnetes::matcher
