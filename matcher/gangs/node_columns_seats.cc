// The seats of nodes: see node_columns.h.
#include <algorithm>

#include "matcher/gangs/node_columns.h"

namespace fluxnetes::matcher {

void NodeColumns::SetSeats(NodeIndex node) {
  if (seats_ < 0) return;
  totals_[seats_][node] = kSeats;
  unmanaged_[seats_][node] = nodes_[node].occupants;
}

void NodeColumns::SetOccupants(NodeIndex node, int tasks) {
  if (nodes_[node].occupants == tasks) return;
  nodes_[node].occupants = tasks;
  SetSeats(node);
  if (seats_ >= 0) Mark(node);
}

void NodeColumns::CountSeats() {
  if (seats_ >= 0) return;
  AddResource();
  seats_ = resources_ - 1;
  for (NodeIndex node = 0; node < size(); ++node) {
    SetSeats(node);
    if (TakesTasks(node)) open_totals_[seats_] += kSeats;
  }
  for (SpanId id = 0; id < spans_.size(); ++id) {
    const Span& span = spans_[id];
    if (span.tasks == 0 || span.aside) continue;
    spans_.SetAmount(id, seats_, 1);
    if (!span.ahead) held_[seats_][span.node] += span.tasks;
  }
}

// A new resource was added behind the seats: they change places.
void NodeColumns::MoveSeatsLast() {
  const int last = resources_ - 1;
  for (Columns* columns : {&totals_, &unmanaged_})
    std::swap((*columns)[seats_], (*columns)[last]);
  std::swap(open_totals_[seats_], open_totals_[last]);
  std::swap(held_[seats_], held_[last]);
  for (SpanId id = 0; id < spans_.size(); ++id) {
    if (spans_[id].tasks == 0) continue;
    spans_.SetAmount(id, last, spans_.Amounts(id)[seats_]);
    spans_.SetAmount(id, seats_, 0);
  }
  seats_ = last;
}

void NodeColumns::NoteWhole(const Span& span, int tasks) {
  HeldNodes& nodes = whole_[span.holder];
  if ((nodes[span.node] += tasks) == 0) nodes.erase(span.node);
  if (nodes.empty()) whole_.erase(span.holder);
}

const NodeColumns::HeldNodes* NodeColumns::HeldWhole(JobId holder) const {
  const auto found = whole_.find(holder);
  return found == whole_.end() ? nullptr : &found->second;
}

bool NodeColumns::IsLeftTo(JobId holder, NodeIndex node, Time from,
                           Time end) const {
  if (nodes_[node].occupants > 0) return false;
  for (SpanId id = spans_.First(node); id >= 0; id = spans_[id].next) {
    const Span& span = spans_[id];
    if (span.aside || (holder != 0 && span.holder == holder)) continue;
    const Time until = span.ahead ? span.end : std::max(span.end, now_ + 1);
    if (span.start < end && until > from) return false;
  }
  return true;
}

}  // namespace fluxnetes::matcher
