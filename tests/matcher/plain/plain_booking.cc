#include <algorithm>

#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {

Match PlainMatcher::Book(JobId job, Time at, MatchOutcome how) {
  match_ = Match{};
  if (at >= options_.end) return match_;
  match_.outcome = how;
  match_.at = at;
  match_.duration = std::min(duration_, options_.end - at);
  mode_ = how == MatchOutcome::kMatched ? Mode::kLook : Mode::kBook;
  job_ = job;
  if (mode_ == Mode::kBook) {
    jobs_[job] = {how == MatchOutcome::kReserved, at, at + match_.duration, {}};
  }
  Counts above;
  Walk(kNoEdge, graph_.root(), marks_[kNoEdge], false, above);
  if (match_.taken.empty()) {
    match_.outcome = MatchOutcome::kBusy;
    if (mode_ == Mode::kBook) jobs_.erase(job);
  }
  return match_;
}

// Adds what is taken below the vertex to `above`. Returns how many vertices are
// taken whole; nothing if the vertex is another job's or its filter has no
// room.
std::optional<int> PlainMatcher::Walk(EdgeIndex way, VertexIndex v, Choice mark,
                                      bool whole, Counts& above) {
  whole = whole || whole_types_.contains(graph_.type(v));
  const bool exclusive = whole || mark.exclusive;
  Counts below;
  int taken = 0;
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    if (!whole && !marks_.contains(e)) continue;
    const VertexIndex child = graph_.target(e);
    const Choice next =
        whole ? Choice{e, graph_.units(child), true} : marks_[e];
    const int more = Walk(e, child, next, whole, below).value_or(0);
    taken += more;
    if (more > 0 && policy_.first) Weigh(e);
  }
  if (exclusive) ++taken;
  if (taken == 0) return 0;
  if (mode_ != Mode::kLook && !BookVertex(v, mark.units, exclusive, below)) {
    return std::nullopt;
  }
  for (const auto& [type, count] : below) above[type] += count;
  if (Tracked(graph_.type(v))) {
    above[graph_.type(v)] +=
        exclusive ? graph_.units(v) : graph_.units(v) - mark.units;
  }
  Taken& entry = match_.taken.emplace_back();
  entry.vertex = v;
  entry.edge = way;
  entry.units = mark.units;
  entry.exclusive = exclusive;
  return taken;
}

bool PlainMatcher::BookVertex(VertexIndex v, std::int64_t units, bool exclusive,
                              const Counts& below) {
  Job& job = jobs_[job_];
  Place& place = places_[v];
  const bool takes = exclusive && mode_ == Mode::kBook;
  if (takes && !place.plan.Take(job.start, job.end, units)) return false;
  Piece& piece = job.pieces[v];
  piece.tagged = true;
  if (takes) {
    piece.units = units;
    place.holders.insert(job_);
  }
  piece.shares = true;
  place.sharers.insert(job_);
  if (!place.filtered || below.empty()) return true;
  Counts counts;
  for (const auto& [type, plan] : place.filter) {
    const auto found = below.find(type);
    counts[type] = found == below.end() ? 0 : found->second;
    if (!plan.Has(job.start, job.end, counts[type])) return false;
  }
  if (counts.empty()) return false;
  for (auto& [type, plan] : place.filter) {
    plan.Take(job.start, job.end, counts[type]);
  }
  piece.filter = counts;
  ++place.filter_spans;
  return true;
}

// `first` next takes the edge with most left of the last tracked type.
void PlainMatcher::Weigh(EdgeIndex e) {
  const Place& place = places_[graph_.target(e)];
  if (place.filter.empty()) return;
  const std::int64_t left = place.filter.back().second.Least(now_, now_ + 1);
  if (left > 0 || place.filter_spans > 0) {
    weights_[e] = std::max<std::int64_t>(left, 0);
  }
}

bool PlainMatcher::BookPart(const HeldPart& part) {
  Job& job = jobs_[job_];
  Place& place = places_[part.vertex];
  if (!part.exclusive) {
    return place.plan.Least(job.start, job.end) >= graph_.units(part.vertex);
  }
  Piece& piece = job.pieces[part.vertex];
  if (piece.units || !place.plan.Take(job.start, job.end, part.units)) {
    return false;
  }
  piece.units = part.units;
  place.holders.insert(job_);
  return true;
}

Match PlainMatcher::Restore(JobId job, const HeldParts& held, bool reserved,
                            Time at, Time duration) {
  match_ = Match{};
  match_.outcome = MatchOutcome::kInvalid;
  if (jobs_.contains(job) || at < 0 || duration < 1) return match_;
  job_ = job;
  jobs_[job] = {reserved, at, at + duration, {}};
  if (!std::all_of(held.parts.begin(), held.parts.end(),
                   [&](const HeldPart& part) { return BookPart(part); })) {
    ReleaseAll(job);
    return match_;
  }
  match_.outcome =
      reserved ? MatchOutcome::kReserved : MatchOutcome::kAllocated;
  match_.at = at;
  match_.duration = duration;
  marks_.clear();
  for (const HeldEdge& edge : held.edges) {
    marks_[edge.edge] = {edge.edge, edge.units, edge.exclusive};
  }
  whole_types_.clear();
  if (policy_.node_exclusive) whole_types_.insert(types::kNode);
  mode_ = Mode::kRestore;
  now_ = 0;
  Counts above;
  Walk(kNoEdge, graph_.root(), marks_[kNoEdge], false, above);
  return match_;
}

}  // namespace fluxnetes::matcher
