// The nodes of a NodeGraph, what jobs hold on them, and the columns of free
// amounts that searches read:
//
//   kEmpty  what would be free if no job held anything
//   kNow    what is free now
//   kEver   the least that is free at any time from now on
//
// Each node also has seats, as one more column that callers do not see. A task
// takes one, a task of a gang with whole nodes takes them all. So what fits
// beside what, at which time, is asked like any amount. Seats are counted from
// the first gang with whole nodes on; before, they cost nothing.
//
// A change only marks its node. The node's columns are computed when the next
// search asks for them, so a batch of changes costs a node once.
//
// Part of a NodeGraph; owned by its thread.
// Tests: tests/matcher/gangs/gang_test.cc,
// tests/matcher/gangs/whole_nodes_test.cc,
// tests/matcher/rules/task_rules_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "matcher/nodes/fit_limits.h"
#include "matcher/nodes/node_bits.h"
#include "matcher/nodes/node_profile.h"
#include "matcher/nodes/node_set.h"
#include "matcher/nodes/span_store.h"
#include "matcher/nodes/start_bounds.h"
#include "matcher/policy.h"
#include "matcher/rules/domain_sums.h"
#include "matcher/rules/node_labels.h"
#include "matcher/rules/node_rules.h"
#include "matcher/rules/task_book.h"
#include "matcher/units.h"

namespace fluxnetes::matcher {

class NodeColumns {
 public:
  using Sum = NodeProfile::Sum;

  explicit NodeColumns(int resources);
  // Not copied, since its parts refer to each other.
  NodeColumns(const NodeColumns&) = delete;
  NodeColumns& operator=(const NodeColumns&) = delete;

  void AddResource();
  NodeIndex Add(std::string name, std::int64_t id,
                std::span<const std::int64_t> totals);
  void Remove(NodeIndex node);
  void SetTotals(NodeIndex node, std::span<const std::int64_t> totals);
  void SetUnmanaged(NodeIndex node, std::span<const std::int64_t> amounts);
  void SetLabels(NodeIndex node, const Labels& labels,
                 const std::vector<Taint>& taints);
  void SetOpen(NodeIndex node, bool open);
  void SetClass(NodeIndex node, std::int64_t performance_class) {
    classes_[node] = performance_class;
  }
  void SetUnit(int resource, std::int64_t unit) { units_[resource] = unit; }
  // The tasks of other schedulers that take a seat.
  void SetOccupants(NodeIndex node, int tasks);

  static constexpr std::int64_t kSeats = std::int64_t{1} << 30;
  void CountSeats();
  // The column of the seats; -1: they are not counted.
  int seats() const { return seats_; }
  // The nodes where the holder has tasks with whole nodes, each with their
  // number; null: none.
  using HeldNodes = std::map<NodeIndex, int>;
  const HeldNodes* HeldWhole(JobId holder) const;
  // True if no other task takes a seat there at any time in [from, end); 0: no
  // task at all.
  bool IsLeftTo(JobId holder, NodeIndex node, Time from, Time end) const;

  // Moves to the time: starts spans that were ahead, or the reverse if it goes
  // back.
  void ComeTo(Time now);
  SpanId Hold(const Span& span, std::span<const std::int64_t> amounts);
  void Release(SpanId id, int tasks);
  std::uint64_t releases() const { return releases_; }

  int size() const { return static_cast<int>(nodes_.size()); }
  int resources() const { return resources_; }  // with the column of seats
  int Amounts() const { return resources_ - (seats_ < 0 ? 0 : 1); }
  Time now() const { return now_; }
  bool Known(NodeIndex node) const;
  bool Present(NodeIndex node) const { return nodes_[node].present; }
  bool TakesTasks(NodeIndex node) const {
    return nodes_[node].present && nodes_[node].open;
  }
  bool Open(NodeIndex node) const { return nodes_[node].open; }
  int Occupants(NodeIndex node) const { return nodes_[node].occupants; }
  std::int64_t Id(NodeIndex node) const { return orders_.Id(node); }
  const std::string& Name(NodeIndex node) const { return nodes_[node].name; }
  // A pool is a node that takes no tasks. Its resource; -1: it is a node.
  void MakePool(NodeIndex node, int resource) { nodes_[node].pool = resource; }
  int PoolResource(NodeIndex node) const { return nodes_[node].pool; }
  bool IsPool(NodeIndex node) const { return nodes_[node].pool >= 0; }
  std::optional<NodeIndex> Find(std::string_view name) const;
  std::int64_t Total(NodeIndex node, int resource) const {
    return totals_[resource][node];
  }
  std::int64_t Class(NodeIndex node) const { return classes_[node]; }
  std::int64_t Unit(int resource) const { return units_[resource]; }
  std::int64_t Unmanaged(NodeIndex node, int resource) const {
    return unmanaged_[resource][node];
  }
  std::int64_t FreeNow(NodeIndex node, int resource) const;
  SpanStore& spans() { return spans_; }
  const SpanStore& spans() const { return spans_; }
  NodeOrders& orders() { return orders_; }
  NodeLabels& labels() { return labels_; }
  const NodeLabels& labels() const { return labels_; }
  TaskBook& book() { return book_; }
  const TaskBook& book() const { return book_; }
  // The nodes that take tasks, and their totals.
  NodeBits& open() { return open_; }
  Sum OpenTotal(int resource) const { return open_totals_[resource]; }

  // For searches. Refresh() must be called after changes, before the functions
  // below.
  void Refresh();
  const Columns& At(View view) const {
    return columns_[static_cast<int>(view)];
  }
  const NodeOrder& Order(bool by_id) { return orders_.At(by_id); }
  FitLimits& limits() { return limits_; }
  // True if a span that is ahead starts on the node before `end`.
  bool StartsBefore(NodeIndex node, Time end) const {
    return nodes_[node].ahead > 0 && nodes_[node].first_start < end;
  }
  bool HasAhead(NodeIndex node) const { return nodes_[node].ahead > 0; }
  const NodeProfile& Profile(NodeIndex node);
  // Returns for each node a time before which it has no room for a task of
  // these needs (`amounts`, with zeros) and this duration. The reference is
  // valid until the next call.
  const std::vector<Time>& Starts(const std::vector<Need>& needs,
                                  std::span<const std::int64_t> amounts,
                                  Time duration);
  // Returns the free amounts in the domains of a key, by the columns.
  DomainSums& Sums(KeyId key);

 private:
  struct Node {
    std::string name;
    bool present = false;
    bool open = true;
    bool stale = false;  // its columns are outdated
    std::int32_t occupants = 0;
    std::int32_t spans = 0;
    std::int32_t ahead = 0;  // spans that have not started
    std::int32_t pool = -1;  // the resource of a pool
    Time first_start = kForever;
  };

  void SetSeats(NodeIndex node);
  void MoveSeatsLast();
  void NoteWhole(const Span& span, int tasks);
  void Mark(NodeIndex node);
  void Compute(NodeIndex node);
  void Charge(SpanId id, int tasks);
  void Rewind(Time now);
  void Forget(NodeIndex node);
  void AddTotals(NodeIndex node, int sign);
  void Relabel(NodeIndex node, std::string_view name, const Labels& labels,
               const std::vector<Taint>& taints);
  Sum Capacity(NodeIndex node, int resource) const {
    return Sum{totals_[resource][node]} - unmanaged_[resource][node];
  }

  int resources_ = 0;
  int seats_ = -1;
  std::unordered_map<JobId, HeldNodes> whole_;  // by holder
  std::uint64_t releases_ = 0;
  Time now_ = std::numeric_limits<Time>::min();
  std::vector<Node> nodes_;
  std::vector<NodeProfile> profiles_;
  std::vector<std::int64_t> classes_;  // [node]: performance class
  std::vector<std::int64_t> units_;    // [resource]
  Columns totals_;
  Columns unmanaged_;
  std::vector<std::vector<Sum>> held_;  // [resource][node]: at now_
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
