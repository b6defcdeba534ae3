#include "tests/matcher/fluxion/duel.h"

#include "tests/matcher/fluxion/duel_play.h"
#include "tests/matcher/random/random_jobspec.h"

namespace fluxnetes::matcher {
namespace {

using MoveKind = DuelMove::Kind;

constexpr const char* kPolicies[] = {
    "first",
    "firstnodex",
    "low",
    "high",
    "lonode",
    "hinode",
    "lonodex",
    "hinodex",
    "locality",
    "variation",
    "policy=low",
    "policy=high node_centric=true",
    "policy=low node_centric=true node_exclusive=true",
    "policy=low stop_on_1_matches=true",
    "policy=high node_exclusive=true stop_on_1_matches=true"};

// Policies for graphs in which many candidates are equal.
constexpr const char* kLongPolicies[] = {"low",      "high",      "hinode",
                                         "locality", "variation", "lonode"};

constexpr const char* kFilters[] = {
    "ALL:core,ALL:node",
    "ALL:core",
    "ALL:node",
    "ALL:core,ALL:gpu,ALL:memory",
    "ALL:core,ALL:node,rack:gpu,node:memory",
    "rack:core,cluster:node,node:core",
    "rack:node,node:core",
    "cluster:core,cluster:core,ALL:core,ALL:rack,ALL:socket"};

struct Share {
  MoveKind kind;
  int of_thousand;
};
constexpr Share kShares[] = {
    {MoveKind::kMatch, 560},         {MoveKind::kCancel, 200},
    {MoveKind::kCancelVertices, 35}, {MoveKind::kCancelRanks, 35},
    {MoveKind::kRestore, 40},        {MoveKind::kCancelAll, 4},
    {MoveKind::kStatus, 60},         {MoveKind::kProperty, 15},
    {MoveKind::kGrow, 16},           {MoveKind::kRemove, 8},
    {MoveKind::kRemoveRanks, 7},     {MoveKind::kWait, 20}};

constexpr MatchOp kOps[] = {
    MatchOp::kAllocate,
    MatchOp::kAllocate,
    MatchOp::kAllocate,
    MatchOp::kAllocateOrElseReserve,
    MatchOp::kAllocateOrElseReserve,
    MatchOp::kAllocateOrElseReserve,
    MatchOp::kAllocateWithSatisfiability,
    MatchOp::kSatisfiability,
    MatchOp::kWithoutAllocating,
    MatchOp::kWithoutAllocatingFuture,
};

}  // namespace

Duel::Duel(unsigned seed) {
  Random random(seed);
  setting_.seed = seed;
  DrawSetting(random);
  DrawMoves(random);
}

void Duel::DrawSetting(Random& random) {
  const int draw = random.Below(100);
  size_ = draw < 48   ? GraphSize::kSmall
          : draw < 68 ? GraphSize::kDeep
          : draw < 96 ? GraphSize::kWide
                      : GraphSize::kLong;
  setting_.graph = RandomGraph(random, size_);
  setting_.policy = size_ == GraphSize::kLong
                        ? kLongPolicies[random.Below(std::size(kLongPolicies))]
                        : kPolicies[random.Below(std::size(kPolicies))];
  MatcherOptions& options = setting_.options;
  options.policy = *ParsePolicy(setting_.policy);
  options.flexible = random.OneIn(4);
  if (options.flexible && random.OneIn(2)) {
    // Alternatives differ in what they need of these.
    options.prune_filters = "ALL:core,ALL:gpu,ALL:memory";
  } else if (random.OneIn(2)) {
    options.prune_filters = kFilters[random.Below(std::size(kFilters))];
  }
  options.sort_equals = random.OneIn(4);
  if (random.OneIn(5)) options.end = random.Between(60, 400);
  const bool wide = size_ == GraphSize::kWide || size_ == GraphSize::kLong;
  const int specs = random.Between(2, 12);
  for (int i = 0; i < specs; ++i) {
    const int most = wide && random.OneIn(2) ? 60 : 6;
    if (options.flexible && random.OneIn(2)) {
      setting_.specs.push_back(
          AlternativesJobspec(random, setting_.graph.types));
      continue;
    }
    setting_.specs.push_back(random.OneIn(2)
                                 ? CommonJobspec(random, most)
                                 : RandomJobspec(random, setting_.graph.types,
                                                 options.flexible, most));
  }
}

void Duel::DrawMoves(Random& random) {
  const int most = size_ == GraphSize::kLong   ? 40
                   : size_ == GraphSize::kWide ? 160
                                               : 150;
  const int moves = random.Between(most / 2, most);
  // A few jobspecs come often, so that caches of the matcher are used.
  const int hot = random.Between(1, 3);
  const bool waits = random.OneIn(2);
  // In a quiet game the graph does not change; only jobs come and go.
  const bool quiet = random.OneIn(3);
  const auto specs = static_cast<int>(setting_.specs.size());
  for (int i = 0; i < moves; ++i) {
    DuelMove move;
    int draw = random.Below(1'000);
    for (const Share& share : kShares) {
      move.kind = share.kind;
      if ((draw -= share.of_thousand) < 0) break;
    }
    if (move.kind == MoveKind::kWait && !waits) move.kind = MoveKind::kMatch;
    if (quiet && move.kind > MoveKind::kCancelAll) move.kind = MoveKind::kMatch;
    move.job = i + 1;
    move.op = kOps[random.Below(std::size(kOps))];
    move.spec = random.OneIn(4) ? random.Below(specs)
                                : random.Below(std::min(hot, specs));
    move.a = random.Below(1 << 20);
    move.b = random.Below(1 << 20);
    move.c = random.Below(1 << 20);
    moves_.push_back(move);
  }
}

std::optional<std::string> Duel::Fight() {
  DuelPlay play(setting_);
  const bool lost = play.Play(moves_).has_value();
  found_ = play.found();
  if (!lost) return std::nullopt;
  const std::vector<DuelMove> few = CutDown(moves_);
  std::string log;
  const auto difference = DuelPlay(setting_).Play(few, &log);
  constexpr std::size_t kMostShown = 80;
  const bool shown = setting_.graph.entries.size() <= kMostShown;
  return "seed " + std::to_string(setting_.seed) + ", policy " +
         setting_.policy + ", filters " + setting_.options.prune_filters +
         (setting_.options.flexible ? ", flexible" : "") + ", until " +
         std::to_string(setting_.options.end) + ", " +
         std::to_string(setting_.graph.entries.size()) + " vertices\n" +
         (shown ? setting_.graph.Show() : "") + log +
         difference.value_or("(gone when it was played again)");
}

// Drops moves that are not needed, in ever smaller pieces.
std::vector<DuelMove> Duel::CutDown(std::vector<DuelMove> moves) const {
  int games = 600;
  for (std::size_t piece = moves.size() / 2; piece > 0; piece /= 2) {
    for (std::size_t at = 0; at < moves.size() && games > 0; --games) {
      std::vector<DuelMove> fewer(moves.begin(), moves.begin() + at);
      if (at + piece < moves.size()) {
        fewer.insert(fewer.end(), moves.begin() + at + piece, moves.end());
      }
      if (DuelPlay(setting_).Play(fewer)) {
        moves = fewer;
      } else {
        at += piece;
      }
    }
  }
  return moves;
}

}  // namespace fluxnetes::matcher
