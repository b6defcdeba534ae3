#include "matcher/gangs/node_columns.h"

#include <algorithm>
#include <stdexcept>

namespace fluxnetes::matcher {
namespace {

void SetColumns(Columns& columns, NodeIndex node, int most,
                std::span<const std::int64_t> amounts) {
  if (std::ssize(amounts) > most) {
    throw std::invalid_argument("more amounts than the graph has resources");
  }
  for (const std::int64_t amount : amounts) {
    if (amount < 0) throw std::invalid_argument("an amount is negative");
  }
  for (std::size_t r = 0; r < columns.size(); ++r) {
    columns[r][node] = r < amounts.size() ? amounts[r] : 0;
  }
}

std::int64_t SeatsOf(const Span& span) {
  if (span.aside) return 0;
  return span.holder == 0 ? 1 : NodeColumns::kSeats;
}

}  // namespace

NodeColumns::NodeColumns(int resources) {
  for (int i = 0; i < resources; ++i) AddResource();
}

void NodeColumns::AddResource() {
  ++resources_;
  units_.push_back(1);
  totals_.emplace_back(size());
  open_totals_.push_back(0);
  unmanaged_.emplace_back(size());
  held_.emplace_back(size());
  for (Columns& columns : columns_) columns.emplace_back(size(), kClosed);
  capacity_.resize(resources_);
  least_.resize(resources_);
  spans_.SetResources(resources_);
  if (seats_ >= 0) MoveSeatsLast();
  for (NodeIndex node = 0; node < size(); ++node) Mark(node);
  sums_.clear();
  limits_.Clear();
  starts_.Clear();
}

NodeIndex NodeColumns::Add(std::string name, std::int64_t id,
                           std::span<const std::int64_t> totals) {
  if (Find(name)) throw std::invalid_argument("node " + name + " is known");
  NodeIndex node = size();
  if (const auto known = by_name_.find(name); known != by_name_.end()) {
    node = known->second;
  } else if (!unused_.empty()) {
    node = unused_.back();
  }
  if (node == size()) {
    nodes_.emplace_back();
    profiles_.emplace_back();
    classes_.push_back(kWorstClass);
    spans_.AddNode();
    for (Columns* columns : {&totals_, &unmanaged_}) {
      for (auto& column : *columns) column.push_back(0);
    }
    for (auto& column : held_) column.push_back(0);
    for (Columns& columns : columns_) {
      for (auto& column : columns) column.push_back(kClosed);
    }
    unused_.push_back(node);
  }
  SetColumns(totals_, node, Amounts(), totals);
  SetColumns(unmanaged_, node, Amounts(), {});
  SetSeats(node);
  if (!unused_.empty() && unused_.back() == node) unused_.pop_back();
  by_name_[name] = node;
  nodes_[node].name = std::move(name);
  nodes_[node].present = true;
  nodes_[node].open = true;
  nodes_[node].pool = -1;
  classes_[node] = kWorstClass;
  orders_.Add(node, id);
  AddTotals(node, 1);
  Mark(node);
  Relabel(node, nodes_[node].name, {}, {});
  return node;
}

void NodeColumns::Remove(NodeIndex node) {
  AddTotals(node, -1);
  nodes_[node].present = false;
  nodes_[node].occupants = 0;
  SetColumns(unmanaged_, node, Amounts(), {});
  SetSeats(node);
  Mark(node);
  book_.SetUnmanaged(node, {});
  book_.Leave(node);
  Compute(node);  // while it still is in its domains
  labels_.Clear(node);
  shapes_.Remove(node);
  if (nodes_[node].spans == 0) Forget(node);
}

void NodeColumns::SetLabels(NodeIndex node, const Labels& labels,
                            const std::vector<Taint>& taints) {
  Relabel(node, nodes_[node].name, labels, taints);
}

void NodeColumns::Relabel(NodeIndex node, std::string_view name,
                          const Labels& labels,
                          const std::vector<Taint>& taints) {
  labels_.Reserve(node);
  book_.Leave(node);
  for (auto& [key, sums] : sums_) {
    sums.Move(columns_, node, labels_.Domain(key, node), -1);
  }
  labels_.Set(node, name, labels, taints);
  shapes_.Update(node);
  for (auto& [key, sums] : sums_) {
    sums.Move(columns_, node, labels_.Domain(key, node), 1);
  }
  book_.Enter(node);
}

void NodeColumns::Forget(NodeIndex node) {
  by_name_.erase(nodes_[node].name);
  nodes_[node].name.clear();
  unused_.push_back(node);
}

void NodeColumns::SetTotals(NodeIndex node,
                            std::span<const std::int64_t> totals) {
  AddTotals(node, -1);
  SetColumns(totals_, node, Amounts(), totals);
  SetSeats(node);
  AddTotals(node, 1);
  Mark(node);
}

void NodeColumns::AddTotals(NodeIndex node, int sign) {
  if (!TakesTasks(node)) return;
  for (int r = 0; r < resources_; ++r) {
    open_totals_[r] += Sum{sign} * totals_[r][node];
  }
}

void NodeColumns::SetUnmanaged(NodeIndex node,
                               std::span<const std::int64_t> amounts) {
  SetColumns(unmanaged_, node, Amounts(), amounts);
  SetSeats(node);
  Mark(node);
}

void NodeColumns::SetOpen(NodeIndex node, bool open) {
  if (nodes_[node].open == open) return;
  AddTotals(node, -1);
  nodes_[node].open = open;
  AddTotals(node, 1);
  Mark(node);
}

bool NodeColumns::Known(NodeIndex node) const {
  return node >= 0 && node < size() &&
         (nodes_[node].present || nodes_[node].spans > 0);
}

std::optional<NodeIndex> NodeColumns::Find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  if (found == by_name_.end() || !nodes_[found->second].present) return {};
  return found->second;
}

std::int64_t NodeColumns::FreeNow(NodeIndex node, int resource) const {
  return Clamp(Capacity(node, resource) - held_[resource][node]);
}

void NodeColumns::Charge(SpanId id, int tasks) {
  const auto amounts = spans_.Amounts(id);
  const NodeIndex node = spans_[id].node;
  for (int r = 0; r < resources_; ++r) {
    held_[r][node] += Sum{tasks} * amounts[r];
  }
}

SpanId NodeColumns::Hold(const Span& span,
                         std::span<const std::int64_t> amounts) {
  Span held = span;
  held.ahead = span.start > now_;
  const SpanId id = spans_.Add(held, amounts);
  if (seats_ >= 0) spans_.SetAmount(id, seats_, SeatsOf(span));
  if (span.holder != 0) NoteWhole(span, span.tasks);
  Node& node = nodes_[span.node];
  ++node.spans;
  if (held.ahead) {
    ++node.ahead;
    node.first_start = std::min(node.first_start, span.start);
  } else {
    Charge(id, span.tasks);
  }
  if (span.rules != kNoRules) {
    book_.Keep(span.rules);
    book_.Count(spans_[id], span.tasks, !held.ahead, true);
  }
  Mark(span.node);
  return id;
}

void NodeColumns::Release(SpanId id, int tasks) {
  ++releases_;
  const Span span = spans_[id];
  Node& node = nodes_[span.node];
  if (!span.ahead) Charge(id, -tasks);
  if (span.holder != 0) NoteWhole(span, -tasks);
  book_.Count(span, -tasks, !span.ahead, true);
  spans_.Take(id, tasks);
  Mark(span.node);
  if (spans_[id].tasks > 0) return;
  if (span.rules != kNoRules) book_.Give(span.rules);
  --node.spans;
  if (span.ahead && --node.ahead == 0) node.first_start = kForever;
  if (node.spans == 0 && !node.present) Forget(span.node);
}

void NodeColumns::ComeTo(Time now) {
  if (now < now_) Rewind(now);
  now_ = now;
  if (spans_.next_start() > now) return;
  for (const auto& moment : spans_.Starts()) {
    if (moment.time > now) break;
    const Span& span = spans_[moment.span];
    if (!span.ahead) continue;
    spans_.SetAhead(moment.span, false);
    Charge(moment.span, span.tasks);
    book_.Count(span, span.tasks, true, false);
    Node& node = nodes_[span.node];
    if (--node.ahead == 0) node.first_start = kForever;
    Mark(span.node);
  }
  spans_.FindNextStart();
}

void NodeColumns::Rewind(Time now) {
  starts_.Clear();
  for (SpanId id = 0; id < spans_.size(); ++id) {
    const Span& span = spans_[id];
    if (span.tasks == 0 || span.ahead || span.start <= now) continue;
    Charge(id, -span.tasks);
    book_.Count(span, -span.tasks, true, false);
    spans_.SetAhead(id, true);
    Node& node = nodes_[span.node];
    ++node.ahead;
    node.first_start = std::min(node.first_start, span.start);
    Mark(span.node);
  }
}

void NodeColumns::Mark(NodeIndex node) {
  starts_.Changed(node);
  profiles_[node].Drop();
  if (nodes_[node].stale) return;
  nodes_[node].stale = true;
  stale_.push_back(node);
}

void NodeColumns::Refresh() {
  for (const NodeIndex node : stale_) Compute(node);
  stale_.clear();
}

void NodeColumns::Compute(NodeIndex node) {
  nodes_[node].stale = false;
  const bool takes = TakesTasks(node);
  const bool ahead = takes && HasAhead(node);
  if (ahead) Profile(node).Least(now_, kForever, least_);
  for (auto& [key, sums] : sums_) {
    sums.Move(columns_, node, labels_.Domain(key, node), -1);
  }
  bool changed[3] = {};
  const auto set = [&](View view, int r, std::int64_t amount) {
    const int v = static_cast<int>(view);
    changed[v] = changed[v] || columns_[v][r][node] != amount;
    columns_[v][r][node] = amount;
  };
  for (int r = 0; r < resources_; ++r) {
    const std::int64_t now = FreeNow(node, r);
    set(View::kEmpty, r, takes ? Clamp(Capacity(node, r)) : kClosed);
    set(View::kNow, r, takes ? now : kClosed);
    set(View::kEver, r, !takes ? kClosed : ahead ? least_[r] : now);
  }
  for (auto& [key, sums] : sums_) {
    sums.Move(columns_, node, labels_.Domain(key, node), 1);
  }
  if (open_.Contains(node) != takes) open_.Set(node, takes, orders_);
  for (const View view : {View::kEmpty, View::kNow, View::kEver}) {
    if (changed[static_cast<int>(view)]) limits_.Changed(view, node);
  }
}

const NodeProfile& NodeColumns::Profile(NodeIndex node) {
  NodeProfile& profile = profiles_[node];
  if (!profile.Holds(now_)) {
    for (int r = 0; r < resources_; ++r) capacity_[r] = Capacity(node, r);
    profile.Build(spans_, node, capacity_, now_);
  }
  return profile;
}

const std::vector<Time>& NodeColumns::Starts(
    const std::vector<Need>& needs, std::span<const std::int64_t> amounts,
    Time duration) {
  return starts_.Of(needs, duration, size(), [&](NodeIndex node, Time shorter) {
    if (!TakesTasks(node)) return kForever;
    return Profile(node)
        .FirstFit(amounts, shorter, now_, kForever, resources_)
        .value_or(kForever);
  });
}

DomainSums& NodeColumns::Sums(KeyId key) {
  const auto [place, added] = sums_.try_emplace(key, resources_);
  if (added) {
    for (NodeIndex node = 0; node < size(); ++node) {
      place->second.Move(columns_, node, labels_.Domain(key, node), 1);
    }
  }
  return place->second;
}

}  // namespace fluxnetes::matcher
