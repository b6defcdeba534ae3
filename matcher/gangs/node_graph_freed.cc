// Whether there is room, and what a gang could do with freed room: see
// NodeGraph::HasRoom and NodeGraph::MayStartEarlier.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_set>

#include "matcher/gangs/node_graph.h"
#include "matcher/gangs/node_graph_state.h"
#include "matcher/nodes/room_log.h"
#include "matcher/nodes/shortfall.h"

namespace fluxnetes::matcher {
namespace {

using Parts = std::vector<Shortfall::Part>;
using Sum = NodeColumns::Sum;

// Returns the earliest start of a gang that uses something from `from` on.
Time FirstStart(Time from, Time duration) {
  return duration >= from ? 0 : from - duration + 1;
}

// The number of places that were freed in each part.
class FreedPlaces {
 public:
  FreedPlaces(NodeColumns& nodes, GangPlan& plan, const LeavingGang& own,
              Time start, const Gang& gang, const Parts& parts)
      : nodes_(nodes),
        plan_(plan),
        own_(own),
        start_(start),
        duration_(gang.duration),
        seating_(SeatingOf(gang)),
        parts_(parts) {}

  // Counts places for tasks of the group, made since that change. True as soon
  // as a part has enough.
  bool Count(const TaskGroup& group, const RoomLog& log, std::uint64_t since,
             Time now) {
    plan_.SetGroup(group, seating_);
    const auto& starts =
        nodes_.Starts(plan_.needs(0), plan_.amounts(0), duration_);
    seen_.clear();
    for (std::uint64_t number = since; number < log.end(); ++number) {
      const RoomChange& change = log.At(number);
      if (change.taken || FirstOf(change, now) >= LastOf(change)) continue;
      for (const NodeIndex node : change.nodes) {
        const bool none = starts[node] >= start_ && !own_.IsOn(node);
        if (none || !nodes_.TakesTasks(node) || !plan_.MayTake(node, 0))
          continue;
        if (!seen_.insert(node).second) continue;
        if (Count(group, node, log, since, now)) return true;
      }
    }
    return false;
  }

  int In(std::size_t part) const { return come_[part]; }

 private:
  // The first of the starts that use the room of the change.
  Time FirstOf(const RoomChange& change, Time now) const {
    return std::max(FirstStart(change.from, duration_), now);
  }
  Time LastOf(const RoomChange& change) const {
    return std::min(start_, change.end);
  }

  // Counts the places on one node.
  bool Count(const TaskGroup& group, NodeIndex node, const RoomLog& log,
             std::uint64_t since, Time now) {
    Time first = kForever;
    Time last = 0;
    bool known = true;
    there_.clear();
    for (const auto& [number, place] : log.On(node, since)) {
      const RoomChange& change = log.At(number);
      there_.push_back(
          {change.from, change.end, change.AmountsOf(place), change.taken});
      if (change.taken || FirstOf(change, now) >= LastOf(change)) continue;
      known = known && !change.amounts.empty();
      first = std::min(first, FirstOf(change, now));
      last = std::max(last, LastOf(change));
    }
    const NodeProfile& profile = nodes_.Profile(node);
    const auto fit = profile.FirstFit(plan_.amounts(0), duration_, first, last,
                                      nodes_.resources(), 1, own_.At(node));
    if (!fit) return false;
    const auto after =
        std::ranges::upper_bound(parts_, *fit, {}, &Shortfall::Part::from);
    std::size_t part = std::max(after, parts_.begin() + 1) - 1 - parts_.begin();
    for (Time from = *fit; from < last; ++part) {
      const Time until = part + 1 < parts_.size()
                             ? std::min(last, parts_[part + 1].from)
                             : last;
      if (Count(group, node, from, until, part, known)) return true;
      from = until;
    }
    return false;
  }

  // Counts the places for starts in [first, last), which lie in that part.
  bool Count(const TaskGroup& group, NodeIndex node, Time first, Time last,
             std::size_t part, bool known) {
    const NodeProfile& profile = nodes_.Profile(node);
    const int resources = nodes_.resources();
    const int needed = std::max(parts_[part].tasks, 1) - come_[part];
    // If each task has a place, but not all of them together, any room may
    // help.
    const int before =
        known && parts_[part].tasks > 0
            ? profile.LeastFitBefore(there_, plan_.amounts(0), first,
                                     EndOf(last - 1, duration_), resources,
                                     group.count, own_.At(node))
            : 0;
    const int most =
        profile.MostFit(plan_.amounts(0), duration_, first, last, resources,
                        std::min(group.count, before + needed), own_.At(node));
    come_[part] += std::max(most - before, 0);
    return most - before >= needed;
  }

  NodeColumns& nodes_;
  GangPlan& plan_;
  const LeavingGang& own_;
  const Time start_;
  const Time duration_;
  const Seating seating_;
  const Parts& parts_;
  std::array<int, Shortfall::kMostParts> come_{};
  std::unordered_set<NodeIndex> seen_;
  std::vector<NodeChange> there_;  // on one node
};

}  // namespace

bool NodeGraph::HasRoom(Time start, Time end, std::span<const NodeIndex> nodes,
                        std::span<const std::vector<std::int64_t>> amounts,
                        Time now, const Seating& seating,
                        std::span<const std::string> parts,
                        std::span<const PoolNeed> pools,
                        std::span<const std::string> devices) const {
  CheckTime(now);
  state_->nodes.ComeTo(now);
  if (!state_->HasPools(start, end, pools)) return false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (!parts[i].empty() &&
        !state_->interior.IsFree(nodes[i], parts[i], {start, end, now}))
      return false;
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (!devices[i].empty() &&
        !state_->devices.IsFree(nodes[i], devices[i], {start, end, now}))
      return false;
  }
  const int seats = state_->nodes.seats();
  std::map<NodeIndex, std::vector<Sum>> wanted;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& sums = wanted[nodes[i]];
    sums.resize(state_->resources.size());
    for (std::size_t r = 0; r < amounts[i].size(); ++r)
      sums[r] += amounts[i][r];
  }
  std::vector<std::int64_t> least(state_->nodes.resources());
  for (const auto& [node, sums] : wanted) {
    if (!state_->nodes.Known(node) || !state_->nodes.TakesTasks(node))
      return false;
    if (seating.whole_nodes &&
        !state_->nodes.IsLeftTo(seating.holder, node, start, end))
      return false;
    state_->nodes.Profile(node).Least(start, end, least);
    if (seats >= 0 && !seating.aside && !seating.whole_nodes &&
        least[seats] < 1)
      return false;
    for (std::size_t r = 0; r < sums.size(); ++r)
      if (sums[r] > 0 && sums[r] > least[r]) return false;
  }
  return true;
}

bool NodeGraph::MayStartEarlier(const Gang& gang, const Placement& own,
                                const RoomLog& log, std::uint64_t since,
                                Time now, Shortfall& shortfall) const {
  NodeColumns& nodes = state_->nodes;
  nodes.ComeTo(now);
  nodes.Refresh();
  const Parts unknown = {{0, 0}};
  const bool known = !shortfall.parts().empty();
  // What a node is to a gang with whole nodes is not in the amounts, nor is
  // what it has inside, nor its devices. Pools are few: any room is reason
  // enough to look.
  const bool inside =
      std::ranges::any_of(gang.groups, [this](const TaskGroup& group) {
        return group.devices != kNoDevices ||
               (group.inside != kNoShape &&
                state_->interior.Counts(group.inside));
      });
  const bool pools = !gang.pools.empty();
  if (gang.whole_nodes || inside || pools) return since < log.end_of_made();
  state_->leaving.Set(gang, own, nodes);
  FreedPlaces places(nodes, state_->plan, state_->leaving, own.start, gang,
                     known ? shortfall.parts() : unknown);
  for (const TaskGroup& group : gang.groups)
    if (places.Count(group, log, since, now)) return true;
  for (std::size_t i = 0; i < shortfall.parts().size(); ++i)
    shortfall.Take(i, places.In(i));
  return false;
}

}  // namespace fluxnetes::matcher
