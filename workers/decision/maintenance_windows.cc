#include "workers/decision/maintenance_windows.h"

#include <algorithm>
#include <utility>

namespace fluxnetes::workers {

bool Covers(const MaintenanceWindow& window, const cluster::Node& node) {
  if (window.nodes.empty()) return cluster::Selects(window.node_selector, node);
  return std::ranges::binary_search(window.nodes, node.name);
}

void MaintenanceWindows::Set(std::vector<MaintenanceWindow> windows) {
  if (windows == windows_) return;
  windows_ = std::move(windows);
  stale_ = true;
}

std::optional<std::vector<NodeClosure>> MaintenanceWindows::TakeChanges(
    matcher::Time now, const std::function<Nodes()>& nodes) {
  if (!stale_ && !(due_ && *due_ <= now)) return std::nullopt;
  stale_ = false;
  due_.reset();
  std::vector<NodeClosure> closures;
  if (windows_.empty()) return closures;
  const Nodes known = nodes();
  for (const MaintenanceWindow& window : windows_) {
    if (window.end && *window.end <= now) continue;
    // A window without an end closes its nodes for good at its start.
    const auto turn = window.end ? *window.end : window.start;
    if (turn > now && (!due_ || turn < *due_)) due_ = turn;
    NodeClosure closure{window.id, window.start, window.end, {}};
    for (const cluster::Node* node : known)
      if (Covers(window, *node)) closure.nodes.push_back(node->name);
    std::sort(closure.nodes.begin(), closure.nodes.end());
    if (!closure.nodes.empty()) closures.push_back(std::move(closure));
  }
  return closures;
}

}  // namespace fluxnetes::workers
