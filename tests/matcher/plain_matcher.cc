#include "tests/matcher/plain_matcher.h"

#include <algorithm>
#include <cmath>

namespace fluxnetes::matcher {
namespace {

constexpr Time kWindow = 3'153'600'000;

}  // namespace

std::int64_t PlainMatcher::Groups::Count() const {
  std::int64_t count = 0;
  for (const Group& group : list) count += group.count;
  return count;
}

PlainMatcher::PlainMatcher(const ResourceGraph& graph,
                           const std::string& policy)
    : graph_(graph), policy_(policy) {
  first_ = policy.starts_with("first");
  descending_ = first_ || policy.starts_with("hi") || policy == "locality";
  node_centric_ = first_ || policy.find("node") != std::string::npos;
  node_exclusive_ = policy.ends_with("nodex");
  tracked_ = {types::kCore, types::kNode};
  for (VertexIndex v = 0; v < graph.size(); ++v) up_[v] = graph.up(v);
  CountBelow(graph.root());
}

void PlainMatcher::CountBelow(VertexIndex v) {
  const TypeId type = graph_.type(v);
  if (graph_.IsLeaf(v) && !tracked_.contains(type)) {
    tracked_.insert(type);
    leaf_types_.insert(type);
  }
  Counts& counts = below_[v];
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    const VertexIndex child = graph_.target(e);
    CountBelow(child);
    if (tracked_.contains(graph_.type(child))) {
      counts[graph_.type(child)] += graph_.units(child);
    }
    for (const auto& [t, count] : below_[child]) counts[t] += count;
  }
}

std::vector<TypeId> PlainMatcher::FilterTypes(VertexIndex v) const {
  std::vector<TypeId> list;
  if (graph_.IsLeaf(v)) return list;
  if (graph_.type(v) == types::kCluster) {
    list.assign(leaf_types_.begin(), leaf_types_.end());
  }
  for (const TypeId type : {types::kCore, types::kNode}) {
    if (type != graph_.type(v)) list.push_back(type);
  }
  return list;
}

PlainMatcher::Level PlainMatcher::With(int resource) const {
  Level level;
  const JobResource& of = spec_->resources[resource];
  for (int r = of.first; r < of.last; ++r) level.push_back(r);
  return level;
}

PlainMatcher::Level PlainMatcher::Top() const {
  Level level;
  for (int r = 0; r < spec_->top; ++r) level.push_back(r);
  return level;
}

TypeId PlainMatcher::TypeOf(int resource) const {
  return *graph_.type_names().Find(spec_->resources[resource].type);
}

PlainMatcher::Counts PlainMatcher::Needs(const Level& level) const {
  Counts needs;
  for (const int r : level) {
    const std::int64_t min = spec_->resources[r].count.min;
    if (tracked_.contains(TypeOf(r))) needs[TypeOf(r)] += min;
    for (const auto& [type, count] : Needs(With(r))) needs[type] += min * count;
  }
  return needs;
}

std::int64_t PlainMatcher::Left(VertexIndex v) const {
  std::int64_t least = graph_.units(v);
  const Time end = attempt_.at + attempt_.duration;
  for (const Span& edge : spans_) {
    const Time at = std::max(edge.start, attempt_.at);
    if (edge.v != v || at >= end) continue;
    std::int64_t left = graph_.units(v);
    for (const Span& span : spans_) {
      if (span.v == v && span.start <= at && at < span.end) left -= span.units;
    }
    least = std::min(least, left);
  }
  return least;
}

std::int64_t PlainMatcher::Sharers(VertexIndex v) const {
  const Time end = attempt_.at + attempt_.duration;
  return std::count_if(sharing_.begin(), sharing_.end(), [&](const Span& span) {
    return span.v == v && span.start < end && attempt_.at < span.end;
  });
}

// The most that is used of the type at any time.
std::int64_t PlainMatcher::Used(VertexIndex v, TypeId type, Time from,
                                Time to) const {
  const auto at_time = [&](Time at) {
    std::int64_t used = 0;
    for (const FilterSpan& span : filter_spans_) {
      if (span.v != v || at < span.start || at >= span.end) continue;
      const auto found = span.counts.find(type);
      if (found != span.counts.end()) used += found->second;
    }
    return used;
  };
  std::int64_t most = at_time(from);
  for (const FilterSpan& span : filter_spans_) {
    if (span.v == v && span.start > from && span.start < to) {
      most = std::max(most, at_time(span.start));
    }
  }
  return most;
}

bool PlainMatcher::FilterHas(VertexIndex v, const Counts& needs) const {
  if (needs.empty()) return true;
  for (const TypeId type : FilterTypes(v)) {
    const auto found = needs.find(type);
    const std::int64_t need = found == needs.end() ? 0 : found->second;
    const auto counted = below_.at(v).find(type);
    const std::int64_t total =
        counted == below_.at(v).end() ? 0 : counted->second;
    if (total - Used(v, type, attempt_.at, attempt_.at + attempt_.duration) <
        need) {
      return false;
    }
  }
  return true;
}

// What is taken below the vertex is added to `above`; tells how many vertices
// are taken whole.
int PlainMatcher::Walk(EdgeIndex way, VertexIndex v, Choice mark, bool whole,
                       Counts& above) {
  whole = whole || whole_types_.contains(graph_.type(v));
  const bool exclusive = whole || mark.exclusive;
  Counts counts;
  int taken = 0;
  for (EdgeIndex e = graph_.FirstOut(v); e != kNoEdge; e = graph_.NextOut(e)) {
    if (!whole && !marks_.contains(e)) continue;
    const VertexIndex child = graph_.target(e);
    const Choice next =
        whole ? Choice{e, graph_.units(child), true} : marks_[e];
    const int more = Walk(e, child, next, whole, counts);
    taken += more;
    const auto types = FilterTypes(child);
    if (more == 0 || !first_ || types.empty()) continue;
    const bool any =
        std::any_of(filter_spans_.begin(), filter_spans_.end(),
                    [&](const FilterSpan& span) { return span.v == child; });
    const auto total = below_[child].find(types.back());
    const std::int64_t left =
        (total == below_[child].end() ? 0 : total->second) -
        Used(child, types.back(), 0, 1);
    if (left != 0 || any) weights_[e] = left;
  }
  if (exclusive) ++taken;
  if (taken == 0) return 0;
  const Time end = match_.at + match_.duration;
  if (exclusive) {
    spans_.push_back({job_, v, match_.at, end, mark.units});
    if (match_.outcome == MatchOutcome::kAllocated) {
      allocations_.insert({job_, v});
    }
  }
  sharing_.push_back({job_, v, match_.at, end, 1});
  if (!FilterTypes(v).empty() && !counts.empty()) {
    filter_spans_.push_back({job_, v, match_.at, end, counts});
  }
  for (const auto& [type, count] : counts) above[type] += count;
  if (tracked_.contains(graph_.type(v))) {
    above[graph_.type(v)] +=
        exclusive ? graph_.units(v) : graph_.units(v) - mark.units;
  }
  match_.taken.push_back({v, way, mark.units, exclusive});
  return taken;
}

Match PlainMatcher::Book(JobId job, Time at, MatchOutcome how) {
  match_ = Match{};
  if (at >= kWindow) return match_;
  match_.outcome = how;
  match_.at = at;
  match_.duration = std::min(attempt_.duration, kWindow - at);
  job_ = job;
  Counts above;
  Walk(kNoEdge, graph_.root(), marks_[kNoEdge], false, above);
  if (match_.taken.empty()) match_.outcome = MatchOutcome::kBusy;
  return match_;
}

std::int64_t PlainMatcher::NodesUp() const {
  std::int64_t nodes_up = 0;
  for (VertexIndex v = 0; v < graph_.size(); ++v) {
    bool up = graph_.type(v) == types::kNode;
    for (VertexIndex a = v; a != kNoVertex; a = graph_.parent(a)) {
      up = up && up_.at(a);
    }
    nodes_up += up ? 1 : 0;
  }
  return nodes_up;
}

bool PlainMatcher::Satisfiable() {
  attempt_.at = kForever - attempt_.duration - 1;
  attempt_.now = attempt_.status = false;
  return Select();
}

std::optional<Match> PlainMatcher::Reserve(JobId job, const Counts& needs) {
  attempt_.now = false;
  std::set<Time> points;
  for (const FilterSpan& span : filter_spans_) {
    if (span.v != graph_.root()) continue;
    points.insert(span.start);
    points.insert(span.end);
  }
  for (const Time at : points) {
    attempt_.at = at;
    if (at > 0 && FilterHas(graph_.root(), needs) && Select()) {
      return Book(job, at, MatchOutcome::kReserved);
    }
  }
  return std::nullopt;
}

Match PlainMatcher::Run(JobId job, const Jobspec& jobspec, MatchOp op) {
  const auto say = [](MatchOutcome outcome) {
    Match answer;
    answer.outcome = outcome;
    return answer;
  };
  spec_ = &jobspec;
  whole_types_.clear();
  if (node_exclusive_) whole_types_.insert(types::kNode);
  for (const JobResource& resource : jobspec.resources) {
    const auto type = graph_.type_names().Find(resource.type);
    if (!type) return say(MatchOutcome::kInvalid);
    if (resource.exclusive == true) whole_types_.insert(*type);
  }
  attempt_ = {};
  attempt_.duration = jobspec.duration == 0
                          ? kWindow
                          : static_cast<Time>(std::ceil(jobspec.duration));
  if (op == MatchOp::kSatisfiability) {
    return say(Satisfiable() ? MatchOutcome::kSatisfiable
                             : MatchOutcome::kUnsatisfiable);
  }
  const bool tells = op == MatchOp::kAllocateWithSatisfiability;
  const bool reserves = op == MatchOp::kAllocateOrElseReserve;
  const Counts needs = Needs(Top());
  const auto nodes = needs.find(types::kNode);
  if (nodes != needs.end() && nodes->second > NodesUp()) {
    return say(tells ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
  }
  attempt_.now = true;
  if (Select()) return Book(job, 0, MatchOutcome::kAllocated);
  if (reserves) {
    if (const auto match = Reserve(job, needs)) return *match;
  }
  const bool never = (tells || reserves) && !Satisfiable();
  return say(never ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
}

void PlainMatcher::Cancel(JobId job) {
  const auto of_job = [job](const auto& span) { return span.job == job; };
  std::erase_if(spans_, of_job);
  std::erase_if(sharing_, of_job);
  std::erase_if(filter_spans_, of_job);
  std::erase_if(allocations_,
                [job](const auto& held) { return held.first == job; });
}

}  // namespace fluxnetes::matcher
