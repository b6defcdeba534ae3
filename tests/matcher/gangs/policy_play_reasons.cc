// Why two answers may differ, and how units are numbered anew.
#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/matcher/gangs/policy_play.h"

namespace fluxnetes::matcher {

PolicyPlay::Room PolicyPlay::RoomOn(int number, Time from, Time end) const {
  const Node& node = nodes_[number];
  Room room;
  std::set<Time> moments = {from};
  std::set<VertexIndex> held;
  for (const auto& [id, job] : jobs_) {
    if (job.end <= from || job.start >= end) continue;
    if (job.start > from) moments.insert(job.start);
    held.insert(job.vertices.begin(), job.vertices.end());
    // A node that is used whole has no room, and no number of it counts.
    if (policy_.node_exclusive && std::ranges::count(job.nodes, number) > 0)
      return room;
  }
  for (int type = 0; type < kTypes; ++type) {
    const auto total = static_cast<std::int64_t>(node.units[type].size());
    std::int64_t most = 0;
    for (const Time at : moments) {
      std::int64_t here = 0;
      for (const auto& [id, job] : jobs_) {
        if (job.start > at || job.end <= at) continue;
        here += std::ranges::count(job.nodes, number) * job.amounts[type];
      }
      most = std::max(most, here);
    }
    room.free[type] = total - most;
    std::int64_t by_number = 0;
    for (std::int64_t i = 0; i < total; ++i) {
      const bool free = !held.contains(node.units[type][i]);
      by_number += free ? 1 : 0;
      const bool high = policy_.descending;
      const bool should =
          high ? i < room.free[type] : i >= total - room.free[type];
      room.packed = room.packed && free == should;
    }
    room.same_number = room.same_number && by_number == room.free[type];
  }
  return room;
}

std::string PolicyPlay::WhyDifferent(const Request& request,
                                     const Answer& fluxion,
                                     const Answer& ours) {
  if (ours.start && (!fluxion.start || *ours.start < *fluxion.start) &&
      std::ranges::any_of(jobs_, [&](const auto& each) {
        return each.second.parted && each.second.end == *ours.start;
      })) {
    return "end";
  }
  if (StopsElsewhere()) {
    const bool several = fluxion.start && request.tasks > 1;
    return several && fluxion.start == ours.start ? "visited" : "";
  }
  if (policy_.node_exclusive)
    return EqualOnWholeNodes(request, fluxion, ours) ? "equals" : "";
  std::set<Time> tried = {now_};
  Time last = now_;
  for (const Answer* answer : {&fluxion, &ours})
    if (request.reserve)
      last = std::max(last, answer->start.value_or(kForever));
  for (const auto& [id, job] : jobs_)
    if (job.end <= last) tried.insert(job.end);
  const bool same_start = fluxion.start == ours.start;
  if (same_start) tried = {*fluxion.start};
  for (const Time at : tried) {
    for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
      if (!nodes_[n].present || !nodes_[n].up) continue;
      const Room room = RoomOn(n, at, at + request.duration);
      if (!room.same_number) return "units";
      if (same_start && ByUnits() && !room.packed) return "numbers";
    }
  }
  const bool scores = ByUnits() || policy_.score == Policy::Score::kVariation;
  if (same_start && scores &&
      CostsOf(request, fluxion) == CostsOf(request, ours)) {
    return "equals";
  }
  return "";
}

// True if the nodes of both are such that the policy sees no difference between
// their tasks.
bool PolicyPlay::EqualOnWholeNodes(const Request& request,
                                   const Answer& fluxion,
                                   const Answer& ours) const {
  if (!ByUnits() || !ours.start || fluxion.start != ours.start) return false;
  const std::vector<int> tasks = TasksOnWholeNodes(request, *ours.start);
  std::vector<int> nodes = tasks;
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes == fluxion.nodes &&
         CostsOf(request, {ours.start, tasks, {}}) ==
             CostsOf(request, {ours.start, ours.tasks, {}});
}

// Returns what the policy looks at for each task of the answer, sorted.
std::vector<std::int64_t> PolicyPlay::CostsOf(const Request& request,
                                              const Answer& answer) const {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> taken;
  const bool low = policy_.score == Policy::Score::kId && !policy_.descending;
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    if (!nodes_[n].present || !nodes_[n].up) continue;
    Room room = RoomOn(n, *answer.start, *answer.start + request.duration);
    auto left = std::ranges::count(answer.nodes, n);
    for (;;) {
      std::int64_t sum = 0;
      bool fits = true;
      for (int type = 0; type < kTypes; ++type) {
        fits = fits && request.amounts[type] <= room.free[type];
        const auto total =
            static_cast<std::int64_t>(nodes_[n].units[type].size());
        for (std::int64_t i = 0; i < request.amounts[type]; ++i)
          sum += low ? total - room.free[type] + i : room.free[type] - 1 - i;
        room.free[type] -= request.amounts[type];
      }
      if (!fits) break;
      if (policy_.score == Policy::Score::kVariation)
        sum = nodes_[n].performance_class;
      all.push_back(sum);
      if (left-- > 0) taken.push_back(sum);
    }
  }
  if (policy_.score == Policy::Score::kLocality) {
    std::sort(all.begin(), all.end());
    for (std::int64_t& sum : taken)
      while (std::ranges::binary_search(all, sum + 1)) ++sum;
  }
  std::sort(taken.begin(), taken.end());
  return taken;
}

bool PolicyPlay::Packed() const {
  for (int n = 0; n < static_cast<int>(nodes_.size()); ++n) {
    const Room room = RoomOn(n, now_, now_ + 1);
    if (nodes_[n].present && !room.packed) return false;
  }
  return true;
}

void PolicyPlay::Repack() {
  if (!ByUnits() || OnceOnly() || Packed()) return;
  Renumber();
  for (const auto& [id, job] : jobs_) matcher_->Cancel(id);
  for (const auto& [id, job] : jobs_) RestoreInMatcher(id, job);
  log_ += "units are numbered anew\n";
}

// Jobs that start earlier choose first, so there is a number left for each.
void PolicyPlay::Renumber() {
  std::vector<JobId> order;
  for (const auto& [id, job] : jobs_) order.push_back(id);
  std::ranges::stable_sort(order, {},
                           [&](JobId id) { return jobs_[id].start; });
  std::vector<Job*> done;
  for (const JobId id : order) {
    Job& job = jobs_.at(id);
    job.vertices.clear();
    for (const int n : job.nodes) {
      if (!nodes_[n].present) continue;
      for (int type = 0; type < kTypes; ++type) {
        std::vector<VertexIndex> units = nodes_[n].units[type];
        if (policy_.descending) std::ranges::reverse(units);
        std::int64_t left = job.amounts[type];
        for (const VertexIndex v : units) {
          const bool held = std::ranges::any_of(done, [&](const Job* other) {
            return other->end > job.start &&
                   std::ranges::count(other->vertices, v) > 0;
          });
          if (left == 0) break;
          if (held || std::ranges::count(job.vertices, v) > 0) continue;
          job.vertices.push_back(v);
          --left;
        }
      }
    }
    done.push_back(&job);
  }
}

void PolicyPlay::RestoreInMatcher(JobId id, const Job& job) {
  const ResourceGraph& graph = matcher_->graph();
  HeldParts held;
  std::set<EdgeIndex> edges = {kNoEdge};
  for (const VertexIndex v : job.vertices) {
    if (!nodes_[node_of_.at(v)].present) continue;
    held.parts.push_back({v, 1, true});
    EdgeIndex e = graph.FirstIn(v);
    held.edges.push_back({e, 1, true});
    for (e = graph.FirstIn(graph.source(e)); e != kNoEdge;
         e = graph.FirstIn(graph.source(e)))
      edges.insert(e);
  }
  if (policy_.node_exclusive) {
    for (const int n : job.nodes) {
      if (!nodes_[n].present) continue;
      held.parts.push_back({nodes_[n].vertex, 1, true});
      held.edges.push_back({graph.FirstIn(nodes_[n].vertex), 1, true});
      edges.erase(graph.FirstIn(nodes_[n].vertex));
    }
  }
  if (held.parts.empty()) return;
  for (const EdgeIndex e : edges) held.edges.push_back({e, 1, false});
  const Match match =
      matcher_->Restore(id, held, job.reserved, job.start, job.end - job.start);
  if (!match.found())
    throw std::logic_error("the Matcher does not take a job back: " +
                           match.error);
}

std::string PolicyPlay::Show(const Request& request) const {
  std::string text = std::to_string(request.tasks) + " x";
  for (int type = 0; type < kTypes; ++type)
    text += " " + std::to_string(request.amounts[type]);
  return text + " for " + std::to_string(request.duration) +
         (request.reserve ? " or later" : "");
}

std::string PolicyPlay::Show(const Answer& answer) const {
  if (!answer.start) return "nothing";
  std::string text = "at " + std::to_string(*answer.start) + " on";
  for (const int node : answer.nodes) text += " " + std::to_string(node);
  return text;
}

}  // namespace fluxnetes::matcher
