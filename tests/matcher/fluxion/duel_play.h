// Plays one game: see duel.h.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/matcher/fluxion/duel.h"
#include "tests/matcher/plain/plain_matcher.h"

namespace fluxnetes::matcher {

class DuelPlay {
 public:
  explicit DuelPlay(const DuelSetting& setting);

  // Plays until the two differ, and returns the difference. `log` gets what was
  // done.
  std::optional<std::string> Play(const std::vector<DuelMove>& moves,
                                  std::string* log = nullptr);
  int found() const { return found_; }

 private:
  bool Make(const DuelMove& move);
  bool Matched(const DuelMove& move);
  bool Cancelled(const DuelMove& move);
  bool CancelledVertices(const DuelMove& move);
  bool CancelledRanks(const DuelMove& move);
  bool Restored(const DuelMove& move);
  bool CancelledAll();
  bool ChangedStatus(const DuelMove& move);
  bool ChangedProperty(const DuelMove& move);
  bool Grew(const DuelMove& move);
  bool Removed(const DuelMove& move);
  bool RemovedRanks(const DuelMove& move);

  JobId AnyJob(unsigned which) const;
  VertexIndex AnyVertex(unsigned which) const;
  void Add(ResourceGraph& graph, const DuelMove& move) const;
  bool Equal(const Match& fast, const Match& plain);
  bool Equal(Released fast, Released plain, JobId job);
  bool HoldTheSame();
  bool Differ(const std::string& how);

  const DuelSetting& setting_;
  Matcher fast_;
  const ResourceGraph& graph_;
  PlainMatcher plain_;
  Time now_ = 0;
  std::map<JobId, Match> held_;
  std::vector<Match> seen_;  // booked matches
  Jobspec reused_;           // one address for many jobspecs
  int found_ = 0;
  std::string did_;
  std::string difference_;
};

}  // namespace fluxnetes::matcher
