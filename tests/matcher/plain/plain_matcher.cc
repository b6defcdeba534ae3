#include "tests/matcher/plain/plain_matcher.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace fluxnetes::matcher {
namespace {

Match Say(MatchOutcome outcome) {
  Match answer;
  answer.outcome = outcome;
  return answer;
}

}  // namespace

PlainPolicy::PlainPolicy(const std::string& text) {
  locality = text == "locality";
  variation = text == "variation";
  first = text.starts_with("first") ||
          text.find("stop_on_1_matches=true") != std::string::npos;
  descending = locality || text.starts_with("first") ||
               text.starts_with("hi") ||
               text.find("policy=high") != std::string::npos;
  node_exclusive = text.ends_with("nodex") ||
                   text.find("node_exclusive=true") != std::string::npos;
  node_centric = text.starts_with("first") || text.starts_with("hinode") ||
                 text.starts_with("lonode") ||
                 text.find("node_centric=true") != std::string::npos;
}

PlainMatcher::PlainMatcher(const ResourceGraph& graph,
                           const std::string& policy,
                           const MatcherOptions& options)
    : graph_(graph), policy_(policy), options_(options) {
  ReadFilters(options.prune_filters);
  GraphChanged();
}

Match PlainMatcher::Run(JobId job, const Jobspec& jobspec, MatchOp op,
                        Time now) {
  const bool books = op != MatchOp::kSatisfiability &&
                     op != MatchOp::kWithoutAllocating &&
                     op != MatchOp::kWithoutAllocatingFuture;
  if ((books && jobs_.contains(job)) || now < 0 || now > options_.end) {
    return Say(MatchOutcome::kInvalid);
  }
  const Time window = options_.end - options_.start;
  const double seconds = jobspec.duration;
  if (!(seconds >= 0) || seconds > static_cast<double>(window)) {
    return Say(MatchOutcome::kInvalid);
  }
  for (const JobResource& resource : jobspec.resources) {
    if (!graph_.type_names().Find(resource.type)) {
      return Say(MatchOutcome::kInvalid);
    }
  }
  now_ = now;
  duration_ = seconds == 0 ? window : static_cast<Time>(std::ceil(seconds));
  UnderstandWays(jobspec);
  return Find(job, op);
}

Match PlainMatcher::Find(JobId job, MatchOp op) {
  if (op == MatchOp::kSatisfiability) {
    return Say(Satisfiable() ? MatchOutcome::kSatisfiable
                             : MatchOutcome::kUnsatisfiable);
  }
  const bool tells = op == MatchOp::kAllocateWithSatisfiability;
  if (!EnoughNodes(op)) {
    return Say(tells ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
  }
  const bool looks = op == MatchOp::kWithoutAllocating ||
                     op == MatchOp::kWithoutAllocatingFuture;
  if (SelectAny(now_, true, true)) {
    return Book(job, now_,
                looks ? MatchOutcome::kMatched : MatchOutcome::kAllocated);
  }
  if (op == MatchOp::kAllocateOrElseReserve) {
    return Reserve(job, MatchOutcome::kReserved);
  }
  if (op == MatchOp::kWithoutAllocatingFuture) {
    return Reserve(job, MatchOutcome::kMatched);
  }
  const bool never = tells && !Satisfiable();
  return Say(never ? MatchOutcome::kUnsatisfiable : MatchOutcome::kBusy);
}

std::int64_t PlainMatcher::NodesUp() const {
  std::int64_t nodes_up = 0;
  for (VertexIndex v = 0; v < graph_.size(); ++v) {
    bool up = graph_.type(v) == types::kNode && !graph_.detached(v);
    for (VertexIndex a = v; up && a != kNoVertex; a = graph_.parent(a)) {
      up = up_[a] != 0;
    }
    nodes_up += up ? 1 : 0;
  }
  return nodes_up;
}

// True if there are as many nodes as the job needs at least: nodes that are up,
// or, with a constraint, nodes that fulfil it and are free.
bool PlainMatcher::EnoughNodes(MatchOp op) const {
  const auto found = total_.find(types::kNode);
  const std::int64_t nodes =
      found == total_.end() || !Tracked(types::kNode) ? 0 : found->second;
  if (nodes > NodesUp()) return false;
  if (spec_->constraint.nodes.empty()) return true;
  const bool at_once =
      op == MatchOp::kAllocate || op == MatchOp::kWithoutAllocating;
  const Time at = at_once ? now_ : options_.end - 1;
  std::int64_t count = 0;
  for (VertexIndex v = 0; v < graph_.size(); ++v) {
    if (graph_.type(v) != types::kNode || graph_.detached(v)) continue;
    if (op != MatchOp::kAllocateWithSatisfiability && up_[v] == 0) continue;
    if (!Fulfils(v)) continue;
    count += places_[v].plan.Least(at, at + duration_) == 1 ? 1 : 0;
  }
  return count >= nodes;
}

// At each time the first way that fits is taken.
bool PlainMatcher::SelectAny(Time at, bool now, bool status) {
  for (const Way& way : ways_) {
    Understand(way.spec);
    for (std::size_t r = 0; r < way.origins.size(); ++r) {
      needs_[r] = needs_of_all_[way.origins[r]];
    }
    whole_types_ = whole_of_any_;
    if (Select(at, now, status)) return true;
  }
  return false;
}

bool PlainMatcher::Satisfiable() {
  return SelectAny(kForever - duration_ - 1, false, false);
}

// Tries each moment at which something at the root's filter starts or ends.
Match PlainMatcher::Reserve(JobId job, MatchOutcome how) {
  const Place& root = places_[graph_.root()];
  if (!root.filtered) return Say(MatchOutcome::kInvalid);
  std::vector<Time> moments;
  for (const auto& [at, point] : root.filter.front().second.points()) {
    if (at > now_) moments.push_back(at);
  }
  for (const Time at : moments) {
    attempt_ = {at, at + duration_, false, true};
    if (!FilterHas(graph_.root(), total_)) continue;
    if (SelectAny(at, false, true)) return Book(job, at, how);
  }
  return Say(Satisfiable() ? MatchOutcome::kBusy
                           : MatchOutcome::kUnsatisfiable);
}

std::int64_t PlainMatcher::Holders(VertexIndex v, bool reserved) const {
  const auto& holders = places_[v].holders;
  return std::count_if(holders.begin(), holders.end(), [&](JobId job) {
    return jobs_.at(job).reserved == reserved;
  });
}

Matcher::Hold PlainMatcher::HoldOf(JobId job, VertexIndex v) const {
  Matcher::Hold hold;
  const auto held = jobs_.find(job);
  if (held == jobs_.end()) return hold;
  const auto found = held->second.pieces.find(v);
  if (found == held->second.pieces.end()) return hold;
  const Piece& piece = found->second;
  hold.tagged = piece.tagged;
  hold.exclusive = piece.units.has_value();
  hold.filtered = piece.filter.has_value();
  if (!piece.filter) return hold;
  for (const auto& [type, plan] : places_[v].filter) {
    const auto units = piece.filter->find(type);
    hold.units.push_back(units == piece.filter->end() ? 0 : units->second);
  }
  return hold;
}

}  // namespace fluxnetes::matcher
