#include <algorithm>

#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {

void PlainMatcher::ReleasePiece(JobId id, VertexIndex v) {
  Job& job = jobs_[id];
  const auto found = job.pieces.find(v);
  if (found == job.pieces.end()) return;
  const Piece piece = found->second;
  job.pieces.erase(found);
  Place& place = places_[v];
  place.holders.erase(id);
  place.sharers.erase(id);
  if (piece.units) place.plan.GiveBack(job.start, job.end, *piece.units);
  if (!piece.filter) return;
  --place.filter_spans;
  for (auto& [type, plan] : place.filter) {
    const auto units = piece.filter->find(type);
    if (units == piece.filter->end()) continue;
    plan.GiveBack(job.start, job.end, units->second);
  }
}

void PlainMatcher::ReleaseAll(JobId id) {
  while (!jobs_[id].pieces.empty()) {
    ReleasePiece(id, jobs_[id].pieces.begin()->first);
  }
  jobs_.erase(id);
}

bool PlainMatcher::Cancel(JobId job) {
  if (!jobs_.contains(job)) return false;
  ReleaseAll(job);
  return true;
}

Released PlainMatcher::CancelRanks(JobId id,
                                   const std::vector<std::int64_t>& ranks) {
  if (!jobs_.contains(id)) return Released::kUnknown;
  const Job& job = jobs_[id];
  if (job.reserved) return Released::kReserved;
  std::vector<VertexIndex> vertices;
  for (const std::int64_t rank : ranks) {
    bool holds_some = false;
    for (VertexIndex v = 0; v < graph_.size(); ++v) {
      if (graph_.detached(v) || graph_.rank(v) != rank || rank < 0) continue;
      const auto piece = job.pieces.find(v);
      if (piece == job.pieces.end() || !piece->second.tagged) continue;
      vertices.push_back(v);
      holds_some = holds_some || piece->second.units;
    }
    if (!holds_some) return Released::kNotHeld;
  }
  return ReleasePart(id, vertices);
}

Released PlainMatcher::CancelVertices(
    JobId id, const std::vector<VertexIndex>& vertices) {
  if (!jobs_.contains(id)) return Released::kUnknown;
  const Job& job = jobs_[id];
  if (job.reserved) return Released::kReserved;
  for (const VertexIndex v : vertices) {
    const auto piece = job.pieces.find(v);
    if (piece == job.pieces.end() || !piece->second.units) {
      return Released::kNotHeld;
    }
  }
  return ReleasePart(id, vertices);
}

// Releases the vertices and takes their units off the filters of all vertices
// above. If a filter has nothing left of the job, the job leaves the filter's
// vertex.
Released PlainMatcher::ReleasePart(JobId id,
                                   const std::vector<VertexIndex>& vertices) {
  Job& job = jobs_[id];
  const std::set<VertexIndex> gone(vertices.begin(), vertices.end());
  std::map<VertexIndex, Counts> above;
  for (const VertexIndex v : gone) {
    const auto piece = job.pieces.find(v);
    if (piece == job.pieces.end()) continue;
    for (VertexIndex up = graph_.parent(v); up != kNoVertex;
         up = graph_.parent(up)) {
      if (gone.contains(up)) continue;
      Counts& counts = above[up];
      if (piece->second.units) counts[graph_.type(v)] += graph_.units(v);
    }
  }
  for (const VertexIndex v : gone) ReleasePiece(id, v);
  for (const auto& [v, counts] : above) {
    const bool empty = ReduceFilter(id, v, counts);
    if (empty && !job.pieces[v].units) ReleasePiece(id, v);
  }
  const auto root = job.pieces.find(graph_.root());
  if (root != job.pieces.end() && root->second.tagged) return Released::kPart;
  ReleaseAll(id);
  return Released::kAll;
}

// True if the filter has nothing left of the job.
bool PlainMatcher::ReduceFilter(JobId id, VertexIndex v, const Counts& by) {
  Job& job = jobs_[id];
  const auto found = job.pieces.find(v);
  if (found == job.pieces.end() || !found->second.filter) return false;
  Counts& had = *found->second.filter;
  Place& place = places_[v];
  for (auto& [type, plan] : place.filter) {
    if (!had.contains(type)) continue;
    const auto less = by.find(type);
    const std::int64_t units = less == by.end() ? 0 : less->second;
    if (units > had[type]) return false;
    if (units == had[type]) {
      plan.GiveBack(job.start, job.end, units);
      had.erase(type);
    } else {
      plan.Reduce(job.start, job.end, units);
      had[type] -= units;
    }
  }
  if (!had.empty()) return false;
  found->second.filter.reset();
  --place.filter_spans;
  return true;
}

bool PlainMatcher::LoseRanks(const std::vector<std::int64_t>& ranks) {
  for (const std::int64_t rank : ranks) {
    bool known = false;
    for (VertexIndex v = 0; v < graph_.size(); ++v) {
      if (graph_.detached(v) || graph_.rank(v) != rank) continue;
      if (v == graph_.root()) return false;
      known = true;
    }
    if (!known || rank < 0) return false;
  }
  std::vector<JobId> all;
  for (const auto& [id, job] : jobs_) all.push_back(id);
  for (const JobId id : all) {
    std::vector<VertexIndex> lost;
    for (const auto& [v, piece] : jobs_[id].pieces) {
      if (!graph_.detached(v) &&
          std::count(ranks.begin(), ranks.end(), graph_.rank(v)) > 0) {
        lost.push_back(v);
      }
    }
    if (!lost.empty()) ReleasePart(id, lost);
  }
  return true;
}

}  // namespace fluxnetes::matcher
