#include "matcher/selection/visit_memo.h"

#include <algorithm>

namespace fluxnetes::matcher {

bool VisitMemo::Serves(const JobRequest& request, const Moment& moment) const {
  const Jobspec& spec = *request.spec;
  return moment == moment_ && request.flexible == flexible_ &&
         spec.top == top_ && spec.resources == resources_ &&
         request.below == needs_ && spec.constraint == constraint_;
}

void VisitMemo::Drop(VertexIndex v) {
  if (places_[v] != kNone) entries_[places_[v]].kept = false;
}

void VisitMemo::DropBelow(const ResourceGraph& graph, VertexIndex top) {
  open_.assign(1, top);
  while (!open_.empty()) {
    const VertexIndex v = open_.back();
    open_.pop_back();
    Drop(v);
    for (EdgeIndex e = graph.FirstOut(v); e != kNoEdge; e = graph.NextOut(e)) {
      if (!graph.IsLeaf(graph.target(e))) open_.push_back(graph.target(e));
    }
  }
}

// A vertex that is held with all below it may hide uses there, so what is below
// it is dropped too.
void VisitMemo::CatchUp(const ResourceGraph& graph, const TouchLog& log) {
  places_.resize(graph.size(), kNone);
  const auto touches = log.Since(position_);
  position_ = log.end();
  if (!touches) {
    for (Entry& entry : entries_) entry.kept = false;
    return;
  }
  for (const Touch& touch : *touches) {
    for (VertexIndex v = touch.vertex; v != kNoVertex; v = graph.parent(v)) {
      Drop(v);
    }
    if (touch.whole) DropBelow(graph, touch.vertex);
  }
}

// Makes room for the choices of the candidates that have none here yet.
void VisitMemo::MakeRoom(Entry& entry) {
  std::size_t needed = 1;
  for (const Scoreboard::List& list : entry.below) {
    for (const Candidate& candidate : list.candidates) {
      needed += IsKept(candidate) ? 0 : candidate.choices;
    }
  }
  if (needed <= entry.room) return;
  entry.room = std::max(needed, 2 * entry.room);
  entry.first_choice = choices_.size();
  choices_.resize(choices_.size() + entry.room);
}

void VisitMemo::Keep(VertexIndex v, const Approach& approach, bool found,
                     const Candidate& candidate, const Scoreboard* below,
                     const std::vector<Choice>& choices) {
  if (places_[v] == kNone) {
    places_[v] = static_cast<std::int32_t>(entries_.size());
    entries_.emplace_back();
  }
  Entry& entry = entries_[places_[v]];
  entry.kept = true;
  entry.approach = approach;
  entry.found = found;
  entry.below.Clear();
  if (!found) return;
  if (below != nullptr) entry.below.AddAll(*below);
  MakeRoom(entry);
  std::size_t next = entry.first_choice;
  const auto keep = [&](Candidate& of) {
    if (IsKept(of)) return;
    std::copy_n(choices.begin() + of.first, of.choices,
                choices_.begin() + static_cast<std::ptrdiff_t>(next));
    of.first = -1 - static_cast<std::int32_t>(next);
    next += of.choices;
  };
  entry.candidate = candidate;
  keep(entry.candidate);
  for (Scoreboard::List& list : entry.below) {
    for (Candidate& passed : list.candidates) keep(passed);
  }
}

}  // namespace fluxnetes::matcher
