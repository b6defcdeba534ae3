#include "tests/matcher/fluxion/duel_play.h"

#include <algorithm>
#include <stdexcept>

#include "tests/matcher/random/random_jobspec.h"
#include "tests/matcher/random/tree_picture.h"

namespace fluxnetes::matcher {
namespace {

constexpr const char* kOpNames[] = {"allocate",
                                    "allocate with satisfiability",
                                    "allocate or else reserve",
                                    "satisfiability",
                                    "without allocating",
                                    "without allocating future"};

bool SameTaken(const Taken& a, const Taken& b) {
  return a.vertex == b.vertex && a.edge == b.edge && a.units == b.units &&
         a.exclusive == b.exclusive;
}

bool SameHold(const Matcher::Hold& a, const Matcher::Hold& b) {
  return a.tagged == b.tagged && a.exclusive == b.exclusive &&
         a.filtered == b.filtered && a.units == b.units;
}

HeldParts HeldOf(const Match& match) {
  HeldParts held;
  for (const Taken& taken : match.taken) {
    held.parts.push_back({taken.vertex, taken.units, taken.exclusive});
    held.edges.push_back({taken.edge, taken.units, taken.exclusive});
  }
  return held;
}

}  // namespace

DuelPlay::DuelPlay(const DuelSetting& setting)
    : setting_(setting),
      fast_(setting.graph.Make(), setting.options),
      graph_(fast_.graph()),
      plain_(graph_, setting.policy, setting.options) {}

std::optional<std::string> DuelPlay::Play(const std::vector<DuelMove>& moves,
                                          std::string* log) {
  constexpr int kBetweenLooks = 16;
  int next_look = kBetweenLooks;
  for (const DuelMove& move : moves) {
    did_.clear();
    bool same = Make(move);
    if (same && (--next_look == 0 || &move == &moves.back())) {
      same = HoldTheSame();
      next_look = kBetweenLooks;
    }
    if (log != nullptr) *log += did_ + "\n";
    if (!same) return difference_;
  }
  return std::nullopt;
}

bool DuelPlay::Make(const DuelMove& move) {
  switch (move.kind) {
    case DuelMove::Kind::kMatch:
      return Matched(move);
    case DuelMove::Kind::kCancel:
      return Cancelled(move);
    case DuelMove::Kind::kCancelVertices:
      return CancelledVertices(move);
    case DuelMove::Kind::kCancelRanks:
      return CancelledRanks(move);
    case DuelMove::Kind::kRestore:
      return Restored(move);
    case DuelMove::Kind::kCancelAll:
      return CancelledAll();
    case DuelMove::Kind::kStatus:
      return ChangedStatus(move);
    case DuelMove::Kind::kProperty:
      return ChangedProperty(move);
    case DuelMove::Kind::kGrow:
      return Grew(move);
    case DuelMove::Kind::kRemove:
      return Removed(move);
    case DuelMove::Kind::kRemoveRanks:
      return RemovedRanks(move);
    case DuelMove::Kind::kWait:
      now_ = std::min<Time>(now_ + move.a % 25, setting_.options.end);
      did_ = "it is " + std::to_string(now_);
      return true;
  }
  return true;
}

bool DuelPlay::Differ(const std::string& how) {
  difference_ = how;
  return false;
}

bool DuelPlay::Equal(const Match& fast, const Match& plain) {
  if (fast.outcome == plain.outcome && fast.at == plain.at &&
      fast.duration == plain.duration &&
      std::equal(fast.taken.begin(), fast.taken.end(), plain.taken.begin(),
                 plain.taken.end(), SameTaken)) {
    return true;
  }
  return Differ("fast:  " + Show(graph_, fast) +
                "\nplain: " + Show(graph_, plain) + "\n");
}

// Every job has a name of its own, but for a few that repeat a name.
bool DuelPlay::Matched(const DuelMove& move) {
  const JobId job = move.a % 200 == 0 ? AnyJob(move.b) : move.job;
  const Jobspec* spec = &setting_.specs[move.spec];
  if (move.b % 3 == 0) {
    reused_ = *spec;
    spec = &reused_;
  }
  did_ = "job " + std::to_string(job) + ": " +
         kOpNames[static_cast<int>(move.op)] + " " + Show(*spec);
  const Match fast = fast_.Run(job, *spec, move.op, now_);
  if (!Equal(fast, plain_.Run(job, *spec, move.op, now_))) return false;
  found_ += fast.found() ? 1 : 0;
  if (fast.found() && fast.outcome != MatchOutcome::kMatched) {
    held_[job] = fast;
    seen_.push_back(fast);
  }
  return true;
}

JobId DuelPlay::AnyJob(unsigned which) const {
  if (held_.empty()) return 1'000;
  return std::next(held_.begin(), which % held_.size())->first;
}

VertexIndex DuelPlay::AnyVertex(unsigned which) const {
  // Every other vertex is not a leaf: vertices above many others matter most.
  auto v = static_cast<VertexIndex>(which / 2 % graph_.size());
  if (which % 2 == 0 && graph_.IsLeaf(v) && graph_.parent(v) != kNoVertex) {
    v = graph_.parent(v);
  }
  return v;
}

bool DuelPlay::Cancelled(const DuelMove& move) {
  const JobId job = AnyJob(move.a);
  did_ = "cancel " + std::to_string(job);
  held_.erase(job);
  return fast_.Cancel(job) == plain_.Cancel(job) ||
         Differ("one of them knew no such job");
}

bool DuelPlay::CancelledAll() {
  did_ = "cancel all";
  while (!held_.empty()) {
    const JobId job = held_.rbegin()->first;
    held_.erase(job);
    if (fast_.Cancel(job) != plain_.Cancel(job)) {
      return Differ("one of them knew no job " + std::to_string(job));
    }
  }
  return true;
}

bool DuelPlay::Equal(Released fast, Released plain, JobId job) {
  if (fast == Released::kAll) held_.erase(job);
  return fast == plain ||
         Differ("released: fast " + std::to_string(static_cast<int>(fast)) +
                ", plain " + std::to_string(static_cast<int>(plain)));
}

// Cancels some of what the job has, and at times something that it does not
// have.
bool DuelPlay::CancelledVertices(const DuelMove& move) {
  const JobId job = AnyJob(move.a);
  did_ = "cancel of job " + std::to_string(job);
  std::vector<VertexIndex> vertices;
  const auto held = held_.find(job);
  if (held != held_.end()) {
    unsigned place = move.b;
    for (const Taken& taken : held->second.taken) {
      if (!taken.exclusive || ++place % (1 + move.c % 4) != 0) continue;
      if (fast_.HoldOf(job, taken.vertex).exclusive) {
        vertices.push_back(taken.vertex);
      }
    }
  }
  if (move.c % 20 == 0) vertices.push_back(AnyVertex(move.b));
  for (const VertexIndex v : vertices) did_ += " " + std::to_string(v);
  return Equal(fast_.CancelVertices(job, vertices),
               plain_.CancelVertices(job, vertices), job);
}

bool DuelPlay::CancelledRanks(const DuelMove& move) {
  const JobId job = AnyJob(move.a);
  std::vector<std::int64_t> ranks;
  const auto held = held_.find(job);
  if (held != held_.end() && move.b % 8 != 0) {
    for (const Taken& taken : held->second.taken) {
      const std::int64_t rank = graph_.rank(taken.vertex);
      if (rank >= 0 && (ranks.empty() || ranks.back() != rank) &&
          (rank + move.c) % 2 == 0) {
        ranks.push_back(rank);
      }
    }
  } else {
    ranks.push_back(move.c % 15);
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  did_ = "cancel of job " + std::to_string(job) + " ranks";
  for (const std::int64_t rank : ranks) did_ += " " + std::to_string(rank);
  return Equal(fast_.CancelRanks(job, ranks), plain_.CancelRanks(job, ranks),
               job);
}

// Restores what some job had, or nearly that; it may be taken by now.
bool DuelPlay::Restored(const DuelMove& move) {
  if (seen_.empty()) return true;
  const Match& match = seen_[move.a % seen_.size()];
  HeldParts held = HeldOf(match);
  if (move.b % 8 == 0) held.parts.erase(held.parts.begin());
  if (move.b % 8 == 1) held.edges.erase(held.edges.begin());
  if (move.b % 16 == 2) held.parts.push_back(held.parts.front());
  const Time at = move.c % 3 == 0 ? now_ + move.c % 40 : match.at;
  const bool reserved =
      move.c % 4 == 0 || match.outcome == MatchOutcome::kReserved;
  if (move.b % 3 == 0) Cancelled(move);
  did_ += (did_.empty() ? "job " : ", job ") + std::to_string(move.job) +
          ": restore at " + std::to_string(at) +
          (reserved ? " reserved " : " ") + Show(graph_, match) + " (" +
          std::to_string(move.b % 16) + ")";
  const Match fast =
      fast_.Restore(move.job, held, reserved, at, match.duration);
  if (!Equal(fast,
             plain_.Restore(move.job, held, reserved, at, match.duration))) {
    return false;
  }
  if (fast.found()) held_[move.job] = fast;
  return true;
}

bool DuelPlay::HoldTheSame() {
  for (VertexIndex v = 0; v < graph_.size(); ++v) {
    if (fast_.allocations(v) != plain_.Holders(v, false) ||
        fast_.reservations(v) != plain_.Holders(v, true)) {
      return Differ("held by: fast " + std::to_string(fast_.allocations(v)) +
                    "+" + std::to_string(fast_.reservations(v)) +
                    " jobs, plain " + std::to_string(plain_.Holders(v, false)) +
                    "+" + std::to_string(plain_.Holders(v, true)) +
                    ": vertex " + std::to_string(v));
    }
    for (const auto& [job, match] : held_) {
      if (!SameHold(fast_.HoldOf(job, v), plain_.HoldOf(job, v))) {
        return Differ("what job " + std::to_string(job) +
                      " holds is not the same at vertex " + std::to_string(v));
      }
    }
  }
  return true;
}

}  // namespace fluxnetes::matcher
