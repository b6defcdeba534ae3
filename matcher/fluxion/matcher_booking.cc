#include <algorithm>
#include <functional>
#include <utility>

#include "matcher/fluxion/matcher_state.h"

namespace fluxnetes::matcher {

Match Matcher::State::Book(JobId id, const JobRequest& asked, Time at,
                           MatchOutcome how) {
  match = Match{};
  if (at >= options.end) return match;
  match.outcome = how;
  match.at = at;
  match.duration = std::min(asked.duration, options.end - at);
  request = &asked;
  const auto& resources = asked.spec->resources;
  labelled = std::any_of(resources.begin(), resources.end(), [](const auto& r) {
    return !r.label.empty() && r.type != "slot";
  });
  job_id = id;
  job = Job{how == MatchOutcome::kReserved,
            false,
            at,
            at + match.duration,
            {},
            0,
            is_tree ? shape : 0};
  job.bookings.reserve(4);
  Match made = Walk(how == MatchOutcome::kMatched ? Mode::kLook : Mode::kBook);
  if (made.taken.empty()) {
    made.outcome = MatchOutcome::kBusy;  // the walk reached nothing exclusive
    Release(id, job);
  } else if (how != MatchOutcome::kMatched) {
    Keep(id);
  }
  return made;
}

void Matcher::State::Keep(JobId id) {
  if (jobs.empty()) last_start = 0;
  ++starts[job.start];
  if (!job.reserved) {
    ++ends[job.end];
    last_start = std::max(last_start, job.start);
  }
  jobs.emplace(id, std::move(job));
}

Match Matcher::State::Walk(Mode how) {
  mode = how;
  // Leave() clears each lower level when the walk leaves the level above.
  std::fill(levels[0].units.begin(), levels[0].units.end(), 0);
  levels[0].any = false;
  levels[0].exclusive = 0;
  // What is taken whole has no marks below it; as much as last time is likely.
  if (selection.listed()) {
    match.taken.reserve(std::max(selection.selected() + 1, last_taken));
  }
  Descend(kNoEdge, graph.root(), selection.root_mark(), {}, 0);
  last_taken = match.taken.size();
  return std::move(match);
}

// Books what is selected below the vertex (everything if `whole`), then the
// vertex. Recurses as deep as the graph. Returns how many vertices the job has
// exclusively; -1 if the vertex is another job's or its filter has no room.
int Matcher::State::Descend(EdgeIndex way, VertexIndex v,
                            const Selection::Mark& mark, Share share,
                            int depth) {
  if (depth > kMaxGraphDepth) return -1;
  share.whole =
      share.whole ||
      (request != nullptr && request->exclusive.contains(graph.type(v))) ||
      (options.policy.node_exclusive && graph.type(v) == types::kNode);
  const bool cover = share.whole && !share.covered && MayCover(v);
  const Share below{share.whole, share.covered || cover};
  const auto take = [&](EdgeIndex e) {
    const VertexIndex child = graph.target(e);
    if (below.covered && graph.IsLeaf(child)) return TakeCovered(e, depth + 1);
    const Selection::Mark of_child =
        below.whole ? Selection::Mark{0, graph.units(child), true}
                    : selection.mark(e);
    if (Descend(e, child, of_child, below, depth + 1) > 0 &&
        options.policy.stop_on_match) {
      Weigh(e);
    }
  };
  if (!below.whole && selection.listed() && edges_in_order) {
    for (const auto& listed : selection.SelectedFrom(v)) take(listed.edge);
  } else {
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      if (below.whole || selection.Selected(e)) take(e);
    }
  }
  return Leave(way, v, mark, share, cover, depth);
}

// Does what Descend() does for a leaf below a cover.
void Matcher::State::TakeCovered(EdgeIndex way, int depth) {
  const VertexIndex leaf = graph.target(way);
  HandUp(leaf, graph.units(leaf), depth);
  ++levels[depth].exclusive;
  match.taken.push_back({leaf, way, graph.units(leaf), true, NoteOf(leaf)});
}

int Matcher::State::Leave(EdgeIndex way, VertexIndex v,
                          const Selection::Mark& mark, Share share, bool cover,
                          int depth) {
  Below& below = levels[depth + 1];
  const bool exclusive = share.whole || mark.exclusive;
  int taken = below.exclusive + (exclusive ? 1 : 0);
  if (taken > 0) {
    if (mode == Mode::kLook || share.covered ||
        BookVertex(v, mark, exclusive, depth)) {
      HandUp(v, exclusive ? graph.units(v) : graph.units(v) - mark.units,
             depth);
      levels[depth].exclusive += taken;
      match.taken.push_back({v, way, mark.units, exclusive, NoteOf(v)});
    } else {
      taken = -1;
      job.shape = 0;  // the vertices above may not be booked
    }
    if (cover) {
      BookingOf(v).cover = true;
      bookings.covers.Add(v, {job_id, job.start, job.end, job.reserved});
    }
  }
  if (below.any) std::fill(below.units.begin(), below.units.end(), 0);
  below.any = false;
  below.exclusive = 0;
  return taken;
}

// A restored job has bookings from before the walk.
Booking& Matcher::State::BookingOf(VertexIndex v) {
  if (!job.bookings.empty() && job.bookings.back().vertex == v) {
    return job.bookings.back();
  }
  if (mode == Mode::kRestore) {
    if (Booking* booking = restored.bookings.Find(v)) return *booking;
  }
  return job.bookings.Add(Booking{v});
}

std::shared_ptr<const TakenNote> Matcher::State::NoteOf(VertexIndex v) const {
  if (mode == Mode::kRestore || !labelled) return nullptr;
  const std::string& label = selection.LabelOf(v, *request);
  if (label.empty()) return nullptr;
  return std::make_shared<const TakenNote>(TakenNote{label, ""});
}

bool Matcher::State::BookVertex(VertexIndex v, const Selection::Mark& mark,
                                bool exclusive, int depth) {
  PlanId plan = 0;
  if (exclusive && mode == Mode::kBook) {
    plan = bookings.plans
               .AddSpan(v, graph.units(v), match.at, match.duration, mark.units)
               .value_or(0);
    // If a node is taken whole, parts of it may belong to another job.
    if (plan == 0) return false;
    ++(job.reserved ? bookings.reservations : bookings.allocations)[v];
  }
  Booking& booking = BookingOf(v);
  booking.tagged = true;
  if (plan != 0) booking.plan = plan;
  bookings.log.Add(
      {v, false, exclusive, mode == Mode::kBook ? selection.turn() : 0});
  booking.sharing =
      bookings.sharing.AddSpan(v, kMaxSharing, match.at, match.duration, 1)
          .value_or(0);
  const Below& below = levels[depth + 1];
  MultiPlanner* filter = filters.At(v);
  if (filter == nullptr || !below.any) return true;
  filter_units.clear();
  for (const TypeId type : filter->types()) {
    filter_units.push_back(below.units[type]);
  }
  booking.filter =
      filter->AddSpan(match.at, match.duration, filter_units).value_or(0);
  return booking.filter != 0;
}

// Adds the units that are used at and below the vertex to those of its level.
void Matcher::State::HandUp(VertexIndex v, std::int64_t units, int depth) {
  const Below& below = levels[depth + 1];
  Below& here = levels[depth];
  if (filters.Tracks(graph.type(v))) {
    here.units[graph.type(v)] += units;
    here.any = true;
  }
  if (!below.any) return;
  here.any = true;
  std::transform(below.units.begin(), below.units.end(), here.units.begin(),
                 here.units.begin(), std::plus<>());
}

// Sets the weight of the edge to a vertex that a job has just taken: what is
// left below the vertex.
void Matcher::State::Weigh(EdgeIndex e) {
  const MultiPlanner* filter = filters.At(graph.target(e));
  if (filter == nullptr) return;
  const int last = static_cast<int>(filter->types().size()) - 1;
  const std::int64_t left =
      std::max<std::int64_t>(0, filter->planner(last).LeftAt(now));
  if (left == 0 && filter->spans() == 0) return;
  bookings.weights.Set(graph, e, left);
}

}  // namespace fluxnetes::matcher
