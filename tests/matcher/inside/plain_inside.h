// A second NodeInterior, written without regard to speed, and for wishes alone:
// each vertex knows who holds it when, and a task looks at every domain. And
// what must hold for any interior, as checks that return what is wrong.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "matcher/inside/inside_request.h"
#include "matcher/inside/node_interior.h"

namespace fluxnetes::matcher {

class PlainInside {
 public:
  using TaskKey = std::pair<JobId, int>;
  struct Hold {
    std::set<VertexIndex> vertices;
    Time start = 0;
    Time end = 0;
  };

  // The graph has the node as its root and all below it in pre-order.
  explicit PlainInside(ResourceGraph graph) : graph_(std::move(graph)) {}

  // What a task of this wish would take; nothing if it does not fit.
  std::optional<std::set<VertexIndex>> Find(const InsideWish& wish,
                                            const InsideWindow& window) const;
  int Fit(const InsideWish& wish, int limit, const InsideWindow& window);
  void Hang(TaskKey task, Hold hold) { holds_[task] = std::move(hold); }
  void Drop(TaskKey task) { holds_.erase(task); }
  const std::map<TaskKey, Hold>& holds() const { return holds_; }
  const ResourceGraph& graph() const { return graph_; }

  // These return a complaint; empty if all is well.
  std::string HeldTwice() const;
  std::string Unsatisfied(const InsideWish& wish,
                          const std::set<VertexIndex>& vertices) const;

 private:
  std::set<VertexIndex> Below(VertexIndex v) const;
  std::vector<VertexIndex> OfType(VertexIndex top,
                                  const std::string& type) const;
  bool IsFree(VertexIndex v, const InsideWindow& window) const;
  bool IsUp(VertexIndex v) const;
  std::optional<std::set<VertexIndex>> FindBelow(
      VertexIndex top, const InsideWish& wish, int share,
      const InsideWindow& window) const;
  std::optional<std::set<VertexIndex>> FindSockets(
      const InsideWish& wish, int sockets, const InsideWindow& window) const;

  ResourceGraph graph_;
  std::map<TaskKey, Hold> holds_;
};

}  // namespace fluxnetes::matcher
