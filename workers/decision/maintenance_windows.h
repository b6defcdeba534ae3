// Maintenance that operators have announced (rows of `maintenance`): from the
// start of a window until its end, or until it is undone, no group that starts
// from now on may run on its nodes. The nodes are given by name or by labels.
//
// The match worker keeps the windows and applies them to its nodes
// (schedule_graph.h). Times are those of the schedule.
//
// Owned by one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "matcher/units.h"

namespace fluxnetes::workers {

struct MaintenanceWindow {
  std::int64_t id = 0;
  std::vector<std::string> nodes;   // in order; empty: see node_selector
  cluster::LabelMap node_selector;  // empty: every node
  matcher::Time start = 0;
  std::optional<matcher::Time> end;  // nothing: until it is undone
  bool operator==(const MaintenanceWindow&) const = default;
};

bool Covers(const MaintenanceWindow& window, const cluster::Node& node);

// A window with the nodes that it covers now.
struct NodeClosure {
  std::int64_t window = 0;
  matcher::Time start = 0;
  std::optional<matcher::Time> end;
  std::vector<std::string> nodes;  // in order
  bool operator==(const NodeClosure&) const = default;
};

class MaintenanceWindows {
 public:
  using Nodes = std::vector<const cluster::Node*>;

  void Set(std::vector<MaintenanceWindow> windows);
  void Clear() { Set({}); }
  // Notes that a node has come, gone or changed.
  void NoteNode() { stale_ = stale_ || !windows_.empty(); }

  // Returns the present and future closures if they may differ from the last
  // call.
  std::optional<std::vector<NodeClosure>> TakeChanges(
      matcher::Time now, const std::function<Nodes()>& nodes);
  // The time at which the closures change without an event.
  std::optional<matcher::Time> NextDue() const { return due_; }

 private:
  std::vector<MaintenanceWindow> windows_;
  bool stale_ = false;
  std::optional<matcher::Time> due_;
};

}  // namespace fluxnetes::workers
