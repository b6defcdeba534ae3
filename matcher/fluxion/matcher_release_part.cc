// How a job gives up a part of what it holds. The cost is that of the part.
#include <algorithm>

#include "matcher/fluxion/matcher_state.h"

namespace fluxnetes::matcher {
namespace {

bool IsIn(const std::vector<VertexIndex>& vertices, VertexIndex v) {
  return std::binary_search(vertices.begin(), vertices.end(), v);
}

}  // namespace

// Counts the job's loose bookings, which it may have from its start or by a
// change of the graph.
void Matcher::State::CountLoose(JobId id, Job& held) {
  held.loose = 0;
  for (Booking& booking : held.bookings) {
    ++release_steps;
    const VertexIndex up = graph.parent(booking.vertex);
    const Booking* above = up == kNoVertex ? &booking : held.bookings.Find(up);
    booking.loose =
        above == nullptr || above->sharing == 0 || booking.sharing == 0;
    held.loose += booking.loose ? 1 : 0;
  }
  held.shape = is_tree ? shape : 0;
  NoteOdd(held);
  if (!held.odd) return;
  Vertices covers;
  for (const Booking& booking : held.bookings) {
    if (booking.cover) covers.push_back(booking.vertex);
  }
  for (const VertexIndex v : covers) UncoverBelow(id, held, v);
}

void Matcher::State::NoteOdd(Job& held) {
  const bool odd = held.loose > 0;
  odd_jobs += (odd ? 1 : 0) - (held.odd ? 1 : 0);
  held.odd = odd;
}

// Notes that the job has left the vertex above, and uncovers what it covers at
// and below this one.
void Matcher::State::Loosen(JobId id, Job& held, VertexIndex v) {
  if (held.bookings.Find(v) == nullptr) return;
  Vertices open = {v};
  while (!open.empty()) {
    const VertexIndex at = open.back();
    open.pop_back();
    ++release_steps;
    const Booking* booking = held.bookings.Find(at);
    if (booking == nullptr) continue;
    if (booking->cover) {
      UncoverBelow(id, held, at);
      continue;
    }
    for (EdgeIndex e = graph.FirstOut(at); e != kNoEdge; e = graph.NextOut(e)) {
      open.push_back(graph.target(e));
    }
  }
  Booking& booking = *held.bookings.Find(v);
  held.loose += booking.loose ? 0 : 1;
  booking.loose = true;
}

void Matcher::State::ReleaseVertex(JobId id, Job& held, VertexIndex v) {
  const Booking* found = held.bookings.Find(v);
  if (found == nullptr) return;
  ++release_steps;
  const Booking booking = *found;
  Unbook(id, held, booking);
  held.loose -= booking.loose ? 1 : 0;
  held.bookings.Remove(v);
  if (booking.cover) return;
  for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
    Loosen(id, held, graph.target(e));
  }
}

// Returns the vertex that the job covers, at `v` or above it; kNoVertex: none.
VertexIndex Matcher::State::CoverOf(const Job& held, VertexIndex v) const {
  for (; v != kNoVertex; v = graph.parent(v)) {
    const Booking* booking = held.bookings.Find(v);
    if (booking != nullptr) return booking->cover ? v : kNoVertex;
  }
  return kNoVertex;
}

// Splits covers until each of the vertices is booked itself or below a cover
// that goes with everything below it.
void Matcher::State::Expose(JobId id, Job& held, const Vertices& gone) {
  VertexIndex above = kNoVertex;  // the parent of those that are done
  for (const VertexIndex v : gone) {
    const VertexIndex parent = graph.parent(v);
    if (parent != kNoVertex && parent == above) continue;
    VertexIndex cover = CoverOf(held, v);
    for (; cover != kNoVertex && !IsIn(gone, cover); cover = CoverOf(held, v)) {
      Split(id, held, cover, graph.size());
    }
    above = parent;
  }
  for (const VertexIndex v : gone) {
    const Booking* booking = held.bookings.Find(v);
    if (booking == nullptr || !booking->cover) continue;
    if (!AllBelow(gone, v)) UncoverBelow(id, held, v);
  }
}

// True if everything below the vertex is among the others.
bool Matcher::State::AllBelow(const Vertices& gone, VertexIndex top) {
  Vertices open = {top};
  while (!open.empty()) {
    const VertexIndex v = open.back();
    open.pop_back();
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      ++release_steps;
      if (!IsIn(gone, graph.target(e))) return false;
      if (!graph.IsLeaf(graph.target(e))) open.push_back(graph.target(e));
    }
  }
  return true;
}

// Returns the units that go, of each type that a filter tracks, for each vertex
// above one that goes.
Matcher::State::UnitsAt Matcher::State::UnitsAbove(const Job& held,
                                                   const Vertices& gone) const {
  const std::size_t types = graph.type_names().size();
  UnitsAt lowest;  // at the vertices that stay right above those that go
  VertexIndex parent = kNoVertex;
  std::vector<std::int64_t>* row = nullptr;  // of those with this parent
  for (const VertexIndex v : gone) {
    const Booking* booking = held.bookings.Find(v);
    if (graph.parent(v) != parent) {
      parent = graph.parent(v);
      VertexIndex up = parent;
      while (up != kNoVertex && IsIn(gone, up)) up = graph.parent(up);
      row = up == kNoVertex ? nullptr : &lowest[up];
      if (row != nullptr) row->resize(types);
    }
    const bool whole = booking == nullptr || booking->plan != 0;
    if (row == nullptr || !whole || !filters.Tracks(graph.type(v))) continue;
    (*row)[graph.type(v)] += graph.units(v);
  }
  UnitsAt units = lowest;
  for (const auto& [v, below] : lowest) {
    for (VertexIndex up = graph.parent(v); up != kNoVertex;
         up = graph.parent(up)) {
      if (IsIn(gone, up)) continue;
      auto& sum = units[up];
      sum.resize(types);
      for (std::size_t i = 0; i < types; ++i) sum[i] += below[i];
    }
  }
  return units;
}

// Reduces the job's filters by the units. If a filter has nothing left of the
// job, the job leaves the filter's vertex.
void Matcher::State::Reduce(JobId id, Job& held, const UnitsAt& units) {
  std::vector<std::int64_t> of_filter;
  for (const auto& [v, row] : units) {
    Booking* booking = held.bookings.Find(v);
    MultiPlanner* filter = filters.At(v);
    if (booking == nullptr || booking->filter == 0 || filter == nullptr) {
      continue;
    }
    ++release_steps;
    bookings.log.Add({v, true, false});
    of_filter.clear();
    for (const TypeId type : filter->types()) of_filter.push_back(row[type]);
    if (filter->ReduceSpan(booking->filter, of_filter) != Reduced::kRemoved) {
      continue;
    }
    booking->filter = 0;
    if (booking->plan == 0) ReleaseVertex(id, held, v);
  }
}

Released Matcher::State::ReleasePart(JobId id, Vertices gone) {
  Job& held = jobs.at(id);
  const std::int64_t looks = held.bookings.looks();
  std::sort(gone.begin(), gone.end());
  gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
  if (held.shape != shape) CountLoose(id, held);
  Expose(id, held, gone);
  const UnitsAt units = UnitsAbove(held, gone);
  // Covers first: nothing below them is booked.
  for (const VertexIndex v : gone) {
    const Booking* booking = held.bookings.Find(v);
    if (booking != nullptr && booking->cover) ReleaseVertex(id, held, v);
  }
  for (const VertexIndex v : gone) ReleaseVertex(id, held, v);
  Reduce(id, held, units);
  release_steps += held.bookings.looks() - looks;
  if (RootTagged(held)) {
    NoteOdd(held);
    return Released::kPart;
  }
  Release(id, held);
  Forget(id);
  return Released::kAll;
}

}  // namespace fluxnetes::matcher
