// A game of the matcher against the plain one: a random graph, policy, filters
// and moves. After each move both must return the same, and at intervals hold
// the same. A game with a difference is cut down to few moves.
//
// A seed identifies a game. Moves are data, and any part of them can be played.
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
  JobId job = 0;  // of the job that a match or restore makes
  MatchOp op = MatchOp::kAllocate;
  unsigned spec = 0;
  // Their meaning depends on the kind; they are taken modulo what there is.
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

  // The number of moves that were made and found something for a job.
  int found() const { return found_; }
  int moves() const { return static_cast<int>(moves_.size()); }
  // Returns the difference, with the few moves that show it; nothing if there
  // is none.
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
