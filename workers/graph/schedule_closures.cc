// Maintenance in the graph: see schedule_graph.h.
#include <algorithm>
#include <limits>
#include <set>

#include "workers/graph/schedule_graph.h"

namespace fluxnetes::workers {
namespace {

constexpr std::size_t kPods = 3;  // among the graph's resources

// Jobs of groups and of reservations have other numbers.
matcher::JobId ClosureJob(std::int64_t window) {
  return std::numeric_limits<matcher::JobId>::min() / 2 + window;
}

matcher::Time EndOfClosure(const NodeClosure& closure) {
  return closure.end.value_or(matcher::kForever);
}

}  // namespace

void ScheduleGraph::SetOpenAsKnown(KnownNode& node) {
  graph_.SetOpen(node.index,
                 cluster::WhyClosed(node.node).empty() && !node.shut);
}

bool ScheduleGraph::MayBeKept(matcher::NodeIndex index) const {
  if (IsPool(index)) return true;
  return Open(index) &&
         std::ranges::none_of(by_index_[index]->closures,
                              [](const auto& closure) {
                                return closure.second == matcher::kForever;
                              });
}

bool ScheduleGraph::HasMaintenance(matcher::NodeIndex index, matcher::Time now,
                                   matcher::Time end) const {
  return std::ranges::any_of(
      by_index_[index]->closures, [&](const auto& closure) {
        return closure.first < end && now < closure.second;
      });
}

void ScheduleGraph::Book(const BookedClosure& booked) {
  const NodeClosure& closure = booked.closure;
  std::vector<matcher::NodeIndex> nodes;
  std::vector<std::vector<std::int64_t>> amounts;
  for (std::size_t i = 0; i < closure.nodes.size(); ++i) {
    nodes.push_back(nodes_.at(closure.nodes[i]).index);
    amounts.emplace_back(kPods + 1).back() = booked.pods[i];
  }
  graph_.Restore(ClosureJob(closure.window), closure.start,
                 EndOfClosure(closure), nodes, amounts);
}

// Its nodes have changed: reservations there are planned anew, and groups are
// asked again.
void ScheduleGraph::NoteClosure(const NodeClosure& closure) {
  evictions_.NoteChange();
  for (const std::string& name : closure.nodes) {
    const auto node = nodes_.find(name);
    if (node == nodes_.end() || !node->second.known) continue;
    Grow(node->second.index);
    changes_.changed.push_back(node->second.index);
  }
}

void ScheduleGraph::SetClosures(const std::vector<NodeClosure>& closures,
                                matcher::Time now) {
  std::map<std::int64_t, BookedClosure> wanted;
  std::set<std::string> shut;
  for (auto& [name, node] : nodes_) node.closures.clear();
  for (const NodeClosure& closure : closures) {
    BookedClosure& booked = wanted[closure.window];
    booked.closure = closure;
    for (const std::string& name : closure.nodes) {
      KnownNode& node = nodes_.at(name);
      node.closures.emplace_back(closure.start, EndOfClosure(closure));
      booked.pods.push_back(node.totals.at(kPods));
      if (!closure.end && closure.start <= now) shut.insert(name);
    }
  }
  for (const auto& [window, booked] : closures_) {
    const auto same = wanted.find(window);
    if (same != wanted.end() && same->second == booked) continue;
    graph_.Cancel(ClosureJob(window));
    NoteClosure(booked.closure);
  }
  for (const auto& [window, booked] : wanted) {
    const auto same = closures_.find(window);
    if (same != closures_.end() && same->second == booked) continue;
    Book(booked);
    NoteClosure(booked.closure);
  }
  closures_ = std::move(wanted);
  for (auto& [name, node] : nodes_) {
    if (!node.known || node.shut == shut.contains(name)) continue;
    node.shut = !node.shut;
    SetOpenAsKnown(node);
    evictions_.NoteChange();
    Grow(node.index);
    changes_.changed.push_back(node.index);
    changes_.capacity = true;
  }
}

void ScheduleGraph::HideClosures() {
  for (const auto& [window, booked] : closures_)
    graph_.Cancel(ClosureJob(window));
  for (auto& [name, node] : nodes_) {
    if (node.shut)
      graph_.SetOpen(node.index, cluster::WhyClosed(node.node).empty());
  }
}

void ScheduleGraph::ShowClosures() {
  for (const auto& [window, booked] : closures_) Book(booked);
  for (auto& [name, node] : nodes_) {
    if (node.shut) graph_.SetOpen(node.index, false);
  }
}

}  // namespace fluxnetes::workers
