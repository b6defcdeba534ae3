// A game of the matcher against the plain one: a random graph, policy, filters
// and moves; after each move both must say the same, and at the end hold the
// same. A game that was lost is cut down to few moves.
//
// A seed names a game. Moves are data, and any part of them can be played.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "matcher/fluxion/matcher.h"
#include "tests/matcher/random/random_graph.h"

namespace fluxnetes::matcher {

struct DuelMove {
  enum class Kind {
    kMatch,
    kCancel,
    kCancelVertices,
    kCancelRanks,
    kRestore,
    kCancelAll,
    kStatus,
    kProperty,
    kGrow,
    kRemove,
    kRemoveRanks,
    kWait,
  };

  Kind kind = Kind::kMatch;
  JobId job = 0;  // that a match or restore makes
  MatchOp op = MatchOp::kAllocate;
  unsigned spec = 0;
  // What they say depends on the kind; they are taken modulo what there is.
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
};

struct DuelSetting {
  unsigned seed = 0;
  GraphPlan graph;
  std::string policy;
  MatcherOptions options;
  std::vector<Jobspec> specs;
};

class Duel {
 public:
  explicit Duel(unsigned seed);

  // Of the moves that were made so many found something for a job.
  int found() const { return found_; }
  int moves() const { return static_cast<int>(moves_.size()); }
  // What went wrong, with the few moves that show it; nothing if all went well.
  std::optional<std::string> Fight();

 private:
  void DrawSetting(Random& random);
  void DrawMoves(Random& random);
  std::vector<DuelMove> CutDown(std::vector<DuelMove> moves) const;

  GraphSize size_ = GraphSize::kSmall;
  DuelSetting setting_;
  std::vector<DuelMove> moves_;
  int found_ = 0;
};

}  // namespace fluxnetes::matcher
