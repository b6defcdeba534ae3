// What a cycle reports of reservations and of why groups wait: see
// schedule_cycle.h.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "workers/schedule/schedule_cycle.h"

namespace fluxnetes::workers {
namespace {

// Adds the nodes in order of their names, and which of them each pod gets. The
// pools are those that the group needs.
void NameNodes(const ScheduleGraph& all, const ReservedNodes& reserved,
               Reservation& reservation) {
  const matcher::NodeGraph& graph = all.graph();
  std::vector<matcher::NodeIndex> nodes = reserved.nodes;
  std::erase_if(nodes, [&](auto node) { return all.IsPool(node); });
  std::vector<std::size_t> by_name(nodes.size());
  std::iota(by_name.begin(), by_name.end(), std::size_t{0});
  std::sort(by_name.begin(), by_name.end(), [&](std::size_t a, std::size_t b) {
    return graph.Name(nodes[a]) < graph.Name(nodes[b]);
  });
  std::vector<int> places(nodes.size());
  reservation.nodes.reserve(nodes.size());
  for (const std::size_t node : by_name) {
    places[node] = static_cast<int>(reservation.nodes.size());
    reservation.nodes.push_back(graph.Name(nodes[node]));
  }
  reservation.parts = reserved.parts;
  reservation.devices = reserved.devices;
  reservation.places.reserve(reserved.places.size());
  for (const matcher::NodeIndex node : reserved.places) {
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), node);
    reservation.places.push_back(places[at - nodes.begin()]);
  }
}

}  // namespace

void Cycle::Report(bool late) {
  state_.cycles.reported_in = state_.cycles.cycle;
  ReportReservations();
  if (!state_.graph.wants_reasons()) return;
  const auto say = [this, late](const PendingLine& line) {
    WaitReasons::Whom whom{line.queue_name, line.shape, {}, {}};
    if (line.payer) {
      const Payer& payer = state_.accounts.payer(*line.payer);
      whom.namespace_name = payer.namespace_name;
      whom.account = payer.label;
    }
    const bool asked = line.refused_in == state_.cycles.cycle ||
                       line.failed_in == state_.cycles.cycle;
    if (late && !asked) return state_.reasons.Keep(whom);
    const Why why = WhyWaits(line);
    state_.reasons.Say(std::move(whom), why.first, why.second);
  };
  // Lines of one shape share a reason, which the first of them gives: whole
  // groups rather than those bound by where their other pods are.
  std::vector<const PendingLine*> beside;
  for (const auto& [key, line] : state_.lines.lines()) {
    const bool told = line->queue->known && !line->unsatisfiable.empty();
    if (told) continue;  // by a verdict
    if (line->beside.empty()) {
      say(*line);
    } else {
      beside.push_back(line.get());
    }
  }
  for (const PendingLine* line : beside) say(*line);
  decision_.reasons = state_.reasons.TakeChanges();
}

void Cycle::ReportReservations() {
  for (auto& [name, queue] : state_.queues) {
    for (auto& [group, blocked] : queue.blocked) {
      if (!blocked.reserved() || blocked.reported()) continue;
      blocked.MarkReported();
      Reservation reservation{
          group->id, name, blocked.reserved()->start, {}, {}};
      NameNodes(state_.graph, *blocked.reserved(), reservation);
      if (state_.reported.Note(reservation))
        decision_.reserved.push_back(std::move(reservation));
    }
  }
  state_.reported.DropOthers(
      [this](GroupId group) { return IsReserved(group); },
      decision_.unreserved);
}

bool Cycle::IsReserved(GroupId group) const {
  const WaitingGroup* waiting = std::as_const(state_.lines).Find(group);
  if (waiting == nullptr) return false;
  const BlockedGroup* blocked = FindBlocked(*waiting);
  return blocked != nullptr && blocked->reserved();
}

Cycle::Why Cycle::WhyWaits(const PendingLine& line) const {
  if (CanRun(line)) {
    if (line.refused_in == state_.cycles.cycle)
      return {WaitReason::Kind::kQuota, line.why_refused};
    if (line.failed_in == state_.cycles.cycle)
      return {WaitReason::Kind::kRoom, line.why_short};
  }
  return WhyNotAsked(line);
}

Cycle::Why Cycle::WhyNotAsked(const PendingLine& line) const {
  using Kind = WaitReason::Kind;
  const QueueSettings& settings = line.queue->settings;
  if (!line.queue->known) {
    return {Kind::kNoQueue,
            fmt::format("there is no queue {}", line.queue_name)};
  }
  if (settings.paused) {
    return {Kind::kPaused, fmt::format("queue {} is paused", settings.name)};
  }
  if (settings.queue_policy == QueuePolicy::kFcfs) {
    return {Kind::kOrder,
            fmt::format("queue {} starts groups strictly in order (fcfs)",
                        settings.name)};
  }
  return {Kind::kDepth, fmt::format("beyond the depth of queue {} ({})",
                                    settings.name, settings.queue_depth)};
}

}  // namespace fluxnetes::workers
