// Maintenance that operators have announced (rows of `maintenance`): nodes on
// which nothing runs that starts from now on, from a time until another one or
// until it is undone. Which nodes these are is said by name or by labels.
//
// Kept by the match worker and applied to the nodes that it has
// (schedule_graph.h). The time is that of the schedule.
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
  std::vector<std::string> nodes;   // in order; empty: those with these labels
  cluster::LabelMap node_selector;  // empty: every node
  matcher::Time start = 0;
  std::optional<matcher::Time> end;  // nothing: until it is undone
  bool operator==(const MaintenanceWindow&) const = default;
};

bool Covers(const MaintenanceWindow& window, const cluster::Node& node);

// A window with the nodes that it is about now.
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
  // A node has come, gone or changed.
  void NoteNode() { stale_ = stale_ || !windows_.empty(); }

  // What is closed or will be, if that may differ from what the last call said.
  std::optional<std::vector<NodeClosure>> TakeChanges(
      matcher::Time now, const std::function<Nodes()>& nodes);
  // When it will differ though nothing happens.
  std::optional<matcher::Time> NextDue() const { return due_; }

 private:
  std::vector<MaintenanceWindow> windows_;
  bool stale_ = false;
  std::optional<matcher::Time> due_;
};

}  // namespace fluxnetes::workers
