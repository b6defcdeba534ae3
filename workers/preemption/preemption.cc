#include "workers/preemption/preemption.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "workers/pending/schedule_queues.h"
#include "workers/preemption/room_of_victims.h"
#include "workers/preemption/victim_candidates.h"

namespace fluxnetes::workers {
namespace {

using matcher::NodeIndex;

// The most groups that are tried each by itself.
constexpr int kTrials = 16;

// If more than two make room together, so many of those that leave most are
// tried in twos and threes.
constexpr std::size_t kLargest = 24;

// The most groups ahead that are looked at whether they would take the place.
constexpr int kMostLooks = 64;

class VictimSearch {
 public:
  VictimSearch(ScheduleGraph& graph, const Quotas& quotas,
               const WaitingGroup& group, Lack lack, Preemption preemption,
               matcher::Time now, const Ahead& ahead)
      : graph_(graph),
        quotas_(quotas),
        group_(group),
        lack_(lack),
        preemption_(preemption),
        policy_(group.line->queue->settings.match_policy),
        now_(now),
        narrowed_(NarrowedGang::Without(group.line->gang, ahead.drained)) {}

  std::optional<EvictionPlan> Run(const std::vector<StandsBefore>& before) {
    const Overstayers stay(graph_, now_);
    candidates_ = GatherCandidates(graph_, quotas_, group_, narrowed_.gang(),
                                   lack_, preemption_, now_);
    if (candidates_.empty()) return std::nullopt;
    if (lack_ == Lack::kQuota) {
      if (EndsSoon()) return std::nullopt;
    } else if (const auto anyway = Match(LatestOf(candidates_.size()) + 1)) {
      KeepThoseBefore(anyway->start);
    }
    if (!MayBeEnough(All()) || !(Alone() || (Together() && Fewer())) ||
        Helps(before)) {
      PutBack();
      return std::nullopt;
    }
    return Decided();
  }

 private:
  using Positions = RoomOfVictims::Positions;  // in candidates_

  matcher::NodeGraph& graph() { return graph_.graph(); }

  // Whether the group would have enough quota as soon without evictions.
  bool EndsSoon() const {
    const PendingLine& line = *group_.line;
    return quotas_.StaysWithinBy(*line.payer, line.amounts, now_,
                                 LatestOf(candidates_.size()));
  }

  bool QuotaAllows(const Positions& victims) const {
    std::vector<GroupId> groups;
    bool lent = lack_ == Lack::kQuota;
    for (const std::size_t victim : victims) {
      groups.push_back(candidates_[victim].group);
      lent = lent || candidates_[victim].lent;
    }
    return !lent || StaysWithinQuota(quotas_, group_, groups);
  }

  void KeepThoseBefore(matcher::Time start) {
    std::erase_if(candidates_, [&](const VictimCandidate& candidate) {
      const bool stays = candidate.evicted_end >= start;
      if (stays) graph_.evictions().NoteSpared(candidate.group);
      return stays;
    });
  }

  Positions All() const {
    Positions all(candidates_.size());
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  // Returns when the last of the first `count` candidates is gone.
  matcher::Time LatestOf(std::size_t count) const {
    matcher::Time latest = now_;
    for (std::size_t i = 0; i < count; ++i)
      latest = std::max(latest, candidates_[i].evicted_end);
    return latest;
  }

  bool MayBeEnough(const Positions& victims) {
    return !victims.empty() && QuotaAllows(victims) &&
           room_.MayBeEnough(victims);
  }

  void TakeOut(std::size_t victim) {
    VictimCandidate& candidate = candidates_[victim];
    if (!std::exchange(candidate.out, true))
      graph_.SetEnd(candidate.group, candidate.evicted_end);
  }
  void PutBack(std::size_t victim) {
    VictimCandidate& candidate = candidates_[victim];
    if (std::exchange(candidate.out, false))
      graph_.SetEnd(candidate.group, candidate.end);
  }
  void PutBack() {
    for (std::size_t i = 0; i < candidates_.size(); ++i) PutBack(i);
  }

  Positions Out() const {
    Positions out;
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      if (candidates_[i].out) out.push_back(i);
    return out;
  }

  // Returns where and when the group fits, before a time.
  std::optional<matcher::Placement> Match(matcher::Time before) {
    const matcher::JobId job = ReservationJob(group_.id);
    const auto match =
        graph().AllocateOrReserve(job, narrowed_.gang(), policy_, now_, before);
    const auto* placement = std::get_if<matcher::Placement>(&match);
    if (placement == nullptr) return std::nullopt;
    graph().Cancel(job);
    return *placement;
  }

  // Whether the group fits without these victims, and no others, by the time
  // when they are gone; if it lacks quota, not before.
  bool FitsWithout(const Positions& victims) {
    if (!QuotaAllows(victims)) return false;
    std::vector<bool> out(candidates_.size());
    matcher::Time latest = now_;
    for (const std::size_t victim : victims) {
      out[victim] = true;
      latest = std::max(latest, candidates_[victim].evicted_end);
    }
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      out[i] ? TakeOut(i) : PutBack(i);
    auto match = Match(latest + 1);
    if (!match) return false;
    if (lack_ == Lack::kQuota && match->start < latest) {
      match->start = latest;
      if (!HasRoom(*match)) return false;
    }
    placement_ = *std::move(match);
    victims_ = victims;
    return true;
  }

  bool Alone() {
    int trials = 0;
    for (std::size_t i = 0; i < candidates_.size() && trials < kTrials; ++i) {
      if (!MayBeEnough({i})) continue;
      ++trials;
      if (FitsWithout({i})) return true;
    }
    return false;
  }

  bool Together() {
    const Positions all = All();
    const auto first = [&](std::size_t count) {
      return Positions(all.begin(),
                       all.begin() + static_cast<std::ptrdiff_t>(count));
    };
    if (!FitsWithout(all)) return false;
    std::size_t too_few = 0;
    std::size_t enough = all.size();
    while (too_few + 1 < enough) {
      const std::size_t middle = (too_few + enough) / 2;
      (FitsWithout(first(middle)) ? enough : too_few) = middle;
    }
    return FitsWithout(first(enough)) && LeaveOut(first(enough));
  }

  // Leaves out victims that are not needed.
  bool LeaveOut(const Positions& enough) {
    const matcher::Placement placement = placement_;
    Positions there;
    for (const std::size_t victim : enough) {
      const auto& holds = candidates_[victim].holds;
      const auto holds_it = [&](NodeIndex node) {
        return holds.contains(node);
      };
      if (lack_ == Lack::kQuota ||
          std::ranges::any_of(placement.nodes, holds_it) ||
          std::ranges::any_of(narrowed_.gang().pools, holds_it,
                              &matcher::PoolNeed::pool)) {
        there.push_back(victim);
      } else {
        PutBack(victim);
      }
    }
    Positions needed;
    for (auto victim = there.rbegin(); victim != there.rend(); ++victim) {
      PutBack(*victim);
      if (QuotaAllows(Out()) && HasRoom(placement)) continue;
      TakeOut(*victim);
      needed.push_back(*victim);
    }
    std::reverse(needed.begin(), needed.end());
    // Rules about other pods may want more than room.
    return FitsWithout(needed) || FitsWithout(there) || FitsWithout(enough);
  }

  // Takes two or three victims instead of more, if that does. Always true.
  bool Fewer() {
    const Positions found = victims_;
    const Positions largest =
        found.size() > 2 ? room_.Largest(kLargest) : Positions();
    for (std::size_t size = 2; size <= 3 && size < found.size(); ++size) {
      int trials = 0;
      if (AnyOf(largest, {}, size, trials)) return true;
    }
    return Out() == found || FitsWithout(found);
  }

  // Whether `size` victims make room: those chosen, and others of `of` that
  // come after the last of them.
  bool AnyOf(const Positions& of, const Positions& chosen, std::size_t size,
             int& trials) {
    if (chosen.size() == size)
      return MayBeEnough(chosen) && ++trials <= kTrials && FitsWithout(chosen);
    return std::any_of(of.begin(), of.end(), [&](std::size_t next) {
      if (trials >= kTrials || (!chosen.empty() && next <= chosen.back()))
        return false;
      Positions more = chosen;
      more.push_back(next);
      return AnyOf(of, more, size, trials);
    });
  }

  bool HasRoom(const matcher::Placement& placement) {
    const matcher::Gang& gang = narrowed_.gang();
    std::vector<Amounts> amounts;
    for (const auto& task : gang.groups)
      amounts.insert(amounts.end(), task.count, task.amounts);
    return graph().HasRoom(
        placement.start, matcher::EndOf(placement.start, gang.duration),
        placement.nodes, amounts, now_, matcher::SeatingOf(gang),
        placement.parts, gang.pools, placement.devices);
  }

  // Whether a group ahead would start earlier, too, or it would take too long
  // to find out.
  bool Helps(const std::vector<StandsBefore>& before) {
    std::vector<NodeIndex> left;
    matcher::Time earliest = matcher::kForever;
    for (const std::size_t victim : victims_) {
      const VictimCandidate& candidate = candidates_[victim];
      const auto nodes = graph_.IndicesOf(candidate.group);
      left.insert(left.end(), nodes.begin(), nodes.end());
      earliest = std::min(earliest, candidate.evicted_end);
    }
    int looks = 0;
    return std::any_of(before.begin(), before.end(), [&](const auto& each) {
      return MayBeHelped(each, left, earliest) &&
             (++looks > kMostLooks || StartsEarlier(each));
    });
  }

  bool MayBeHelped(const StandsBefore& first,
                   const std::vector<NodeIndex>& left, matcher::Time from) {
    const std::optional<ReservedNodes>& reserved = first.reserved;
    if (reserved && reserved->overdue) return false;  // may start any moment
    if (reserved && reserved->start && *reserved->start <= from) return false;
    const matcher::Gang& gang = first.group->line->gang;
    return MayUseAny(graph_, gang, left) ||
           std::any_of(gang.groups.begin(), gang.groups.end(),
                       [&](const auto& task) {
                         return graph().LooksAtTasks(task.rules);
                       });
  }

  bool StartsEarlier(const StandsBefore& first) {
    const std::optional<ReservedNodes>& reserved = first.reserved;
    matcher::Time until = placement_.start + 1;
    if (reserved) until = reserved->start.value_or(matcher::kForever);
    const bool booked = reserved && reserved->start;
    const matcher::JobId job = ReservationJob(first.group->id);
    if (booked) graph().Cancel(job);
    const auto match = graph().AllocateOrReserve(
        job, first.group->line->gang,
        first.group->line->queue->settings.match_policy, now_, until);
    graph().Cancel(job);
    if (booked) BookNodes(graph_, *first.group, *reserved);
    return std::holds_alternative<matcher::Placement>(match);
  }

  EvictionPlan Decided() {
    EvictionPlan plan;
    plan.reserved = ReservedFrom(placement_, group_.line->gang);
    for (const std::size_t victim : victims_) {
      graph_.NoteEvicted(candidates_[victim].group, group_.id);
      plan.victims.push_back(candidates_[victim].group);
    }
    BookNodes(graph_, group_, plan.reserved);
    return plan;
  }

  ScheduleGraph& graph_;
  const Quotas& quotas_;
  const WaitingGroup& group_;
  const Lack lack_;
  const Preemption preemption_;
  const matcher::Policy policy_;
  const matcher::Time now_;
  const NarrowedGang narrowed_;
  std::vector<VictimCandidate> candidates_;  // the first to be evicted first
  RoomOfVictims room_{graph_, narrowed_.gang(), candidates_, now_};
  matcher::Placement placement_;  // without the victims
  Positions victims_;
};

}  // namespace

bool MayBeVictim(const Held& held, const WaitingGroup& preemptor,
                 Preemption preemption, bool lent) {
  if (!held.evictable || held.external) return false;
  if (held.growth) return !preemptor.growth;
  if (held.priority > preemptor.priority) return false;
  const bool lower = held.priority < preemptor.priority;
  return (EvictsLower(preemption) && lower) || (TakesBack(preemption) && lent);
}

Overstayers::Overstayers(ScheduleGraph& graph, matcher::Time now)
    : graph_(graph), groups_(graph.Overstaying(now)) {
  for (const GroupId group : groups_) graph_.SetEnd(group, matcher::kForever);
}

Overstayers::~Overstayers() {
  for (const GroupId group : groups_) {
    if (graph_.holdings().HeldBy(group)->evicted_for == 0)
      graph_.SetEnd(group, std::nullopt);
  }
}

std::optional<EvictionPlan> PlanEviction(
    ScheduleGraph& graph, const Quotas& quotas, const WaitingGroup& group,
    Lack lack, Preemption preemption, matcher::Time now, const Ahead& ahead,
    const std::vector<StandsBefore>& before) {
  return VictimSearch(graph, quotas, group, lack, preemption, now, ahead)
      .Run(before);
}

}  // namespace fluxnetes::workers
