// The store (match_store.h) of a match worker that runs ahead in virtual time:
// it holds the content of a snapshot, and keeps decisions in memory instead of
// writing them. Groups end at their planned ends; the worker learns of them as
// news.
//
// Lives for one forecast. Owned by one thread.
// Tests: tests/workers/forecast/forecast_test.cc.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "workers/store/component_snapshot.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {

class ForecastStore final : public MatchStore {
 public:
  struct Start {
    matcher::Time at = 0;
    std::string rests_on;
  };

  ForecastStore(const ComponentSnapshot& snapshot, matcher::Time now);

  // The time at which the next group ends, or is given up without a placement.
  std::optional<matcher::Time> NextEvent() const;
  // Sets the time; everything due until then happens.
  void AdvanceTo(matcher::Time now);

  // Called for each group that starts.
  std::function<void(GroupId)> on_start;

  const std::unordered_map<GroupId, Start>& starts() const { return starts_; }
  // The present reservations of waiting groups: a start, or nothing for a drain
  // set.
  const std::map<GroupId, std::optional<matcher::Time>>& promised() const {
    return promised_;
  }
  bool Unsatisfiable(GroupId group) const {
    return unsatisfiable_.contains(group);
  }
  // A group other than this with an allocation and no known end.
  std::optional<GroupId> Endless(GroupId besides) const;
  std::string NameOf(GroupId group) const;

  bool Acquire() override { return true; }
  std::optional<News> Read(const RequestMaker&) override {
    return std::nullopt;
  }
  News Load(const RequestMaker& requests) override;
  Names ReadNodes() override { return snapshot_.nodes; }
  Claimed Claim(const RequestMaker&, const Names&) override { return {}; }
  std::vector<Held> ReadHoldersOfOthers(const RequestMaker& requests,
                                        const Names&) override;
  void LetGo(const Names&) override {}
  News Take(const RequestMaker& requests,
            const std::set<GroupId>& of_others) override;
  std::set<GroupId> Commit(const Decision& decision,
                           cluster::Time now) override;
  void GiveUp() override {}
  void Resign() override {}

 private:
  // Time, group, and whether the group is given up then unless it has started.
  using Event = std::tuple<matcher::Time, GroupId, bool>;

  // Returns the schedule's request equal to this one of the snapshot.
  const cluster::PodRequest* RequestIn(const RequestMaker& requests,
                                       const cluster::PodRequest* request);
  Held HeldIn(const RequestMaker& requests, const Held& held);
  std::optional<matcher::Time> PlannedEnd(
      const std::string& queue, matcher::Time start,
      std::optional<matcher::Time> end) const;
  void Ends(GroupId group, std::optional<matcher::Time> end);
  void Free(GroupId group);
  std::string WhatFor(const Placed& placed) const;
  std::string HowItEnds(GroupId group) const;

  const ComponentSnapshot& snapshot_;
  const matcher::Time begin_;
  std::map<std::string, std::optional<std::int64_t>> assumed_;  // by queue
  std::unordered_map<const cluster::PodRequest*, const cluster::PodRequest*>
      requests_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::set<GroupId> endless_;
  // By evicted group: whether it has ended. Its other events are void.
  std::map<GroupId, bool> evicted_;
  std::unordered_map<GroupId, Start> starts_;
  std::map<GroupId, std::optional<matcher::Time>> promised_;
  std::set<GroupId> unsatisfiable_;
  std::set<GroupId> others_;  // that still hold something
  // Nodes and pools of groups that started in this run and still hold them.
  std::unordered_map<GroupId, std::vector<std::string>> placed_;
  std::vector<PoolHold> pools_elsewhere_;  // that have not ended
  matcher::Time now_;
  // Of this instant: groups that ended, and the group that freed each node or
  // pool ("pool/NAME").
  std::vector<GroupId> gone_;
  std::unordered_map<std::string, GroupId> freed_;
};

}  // namespace fluxnetes::workers
