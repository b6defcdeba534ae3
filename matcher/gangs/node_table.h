// The nodes of a NodeGraph, what jobs hold on them, and the columns of free
// amounts that searches read:
//
//   kEmpty  what a node would have if no job held anything
//   kNow    what is free now
//   kEver   the least that is free at any time from now on
//
// Changes only mark a node; its columns are computed when the next search asks
// for them, so a batch of changes costs a node once.
//
// Part of a NodeGraph; owned by its thread.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "matcher/gangs/domain_sums.h"
#include "matcher/nodes/fit_limits.h"
#include "matcher/nodes/node_bits.h"
#include "matcher/nodes/node_profile.h"
#include "matcher/nodes/node_set.h"
#include "matcher/nodes/span_store.h"
#include "matcher/nodes/start_bounds.h"
#include "matcher/rules/node_labels.h"
#include "matcher/rules/node_rules.h"
#include "matcher/rules/task_book.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class NodeTable {
 public:
  using Sum = NodeProfile::Sum;

  explicit NodeTable(int resources);
  // Its parts refer to each other.
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  void AddResource();
  NodeIndex Add(std::string name, std::int64_t id,
                std::span<const std::int64_t> totals);
  void Remove(NodeIndex node);
  void SetTotals(NodeIndex node, std::span<const std::int64_t> totals);
  void SetForeign(NodeIndex node, std::span<const std::int64_t> amounts);
  void SetLabels(NodeIndex node, const Labels& labels,
                 const std::vector<Taint>& taints);
  void SetOpen(NodeIndex node, bool open);

  // Comes to the time: starts what was ahead, or the reverse.
  void ComeTo(Time now);
  SpanId Hold(const Span& span, std::span<const std::int64_t> amounts);
  void Release(SpanId id, int tasks);
  std::uint64_t releases() const { return releases_; }

  int size() const { return static_cast<int>(nodes_.size()); }
  int resources() const { return resources_; }
  Time now() const { return now_; }
  bool Known(NodeIndex node) const;
  bool Present(NodeIndex node) const { return nodes_[node].present; }
  bool TakesTasks(NodeIndex node) const {
    return nodes_[node].present && nodes_[node].open;
  }
  bool Open(NodeIndex node) const { return nodes_[node].open; }
  std::int64_t Id(NodeIndex node) const { return orders_.Id(node); }
  const std::string& Name(NodeIndex node) const { return nodes_[node].name; }
  std::optional<NodeIndex> Find(std::string_view name) const;
  std::int64_t Total(NodeIndex node, int resource) const {
    return totals_[resource][node];
  }
  std::int64_t Foreign(NodeIndex node, int resource) const {
    return foreign_[resource][node];
  }
  std::int64_t FreeNow(NodeIndex node, int resource) const;
  SpanStore& spans() { return spans_; }
  const SpanStore& spans() const { return spans_; }
  NodeOrders& orders() { return orders_; }
  NodeLabels& labels() { return labels_; }
  const NodeLabels& labels() const { return labels_; }
  TaskBook& book() { return book_; }
  const TaskBook& book() const { return book_; }
  // Those that take tasks, and what these have in all.
  NodeBits& open() { return open_; }
  Sum OpenTotal(int resource) const { return open_totals_[resource]; }

  // Searches: call Refresh() after changes, before the others.
  void Refresh();
  const Columns& At(View view) const {
    return columns_[static_cast<int>(view)];
  }
  const NodeOrder& Order(bool by_id) { return orders_.At(by_id); }
  FitLimits& limits() { return limits_; }
  // Whether a span that is ahead starts there before `end`.
  bool StartsBefore(NodeIndex node, Time end) const {
    return nodes_[node].ahead > 0 && nodes_[node].first_start < end;
  }
  bool HasAhead(NodeIndex node) const { return nodes_[node].ahead > 0; }
  const NodeProfile& Profile(NodeIndex node);
  // From when on there may be room on each node for a task of these needs, the
  // amounts, which runs so long. Stays where it is until the next call.
  const std::vector<Time>& Starts(const std::vector<Need>& needs,
                                  std::span<const std::int64_t> amounts,
                                  Time duration);
  // What is free in the domains of a key, as the columns have it.
  DomainSums& Sums(KeyId key);

 private:
  struct Node {
    std::string name;
    bool present = false;
    bool open = true;
    bool stale = false;  // columns
    std::int32_t spans = 0;
    std::int32_t ahead = 0;  // of the spans
    Time first_start = kForever;
  };

  void Mark(NodeIndex node);
  void Compute(NodeIndex node);
  void Charge(SpanId id, int tasks);
  void Rewind(Time now);
  void Forget(NodeIndex node);
  void AddTotals(NodeIndex node, int sign);
  void Relabel(NodeIndex node, std::string_view name, const Labels& labels,
               const std::vector<Taint>& taints);
  Sum Capacity(NodeIndex node, int resource) const {
    return Sum{totals_[resource][node]} - foreign_[resource][node];
  }

  int resources_ = 0;
  std::uint64_t releases_ = 0;
  Time now_ = std::numeric_limits<Time>::min();
  std::vector<Node> nodes_;
  std::vector<NodeProfile> profiles_;
  Columns totals_;
  Columns foreign_;
  std::vector<std::vector<Sum>> held_;  // now, [resource][node]
  std::unordered_map<std::string, NodeIndex> by_name_;
  std::vector<NodeIndex> unused_;
  std::vector<NodeIndex> stale_;
  SpanStore spans_;
  NodeOrders orders_;
  NodeLabels labels_{orders_};
  NodeShapes shapes_{labels_, orders_};
  TaskBook book_{labels_, shapes_, orders_, spans_};
  NodeBits open_;
  std::vector<Sum> open_totals_;  // [resource]
  std::unordered_map<KeyId, DomainSums> sums_;

  std::array<Columns, 3> columns_;  // [view]
  FitLimits limits_{columns_, orders_};
  StartBounds starts_;
  std::vector<Sum> capacity_;
  std::vector<std::int64_t> least_;
};

}  // namespace fluxnetes::matcher
