#include "workers/schedule/schedule.h"

#include <algorithm>
#include <utility>

#include "workers/schedule/schedule_cycle.h"
#include "workers/schedule/schedule_state.h"

namespace fluxnetes::workers {
namespace {

// Returns the graph's picture without the logical ids, which depend on the
// order in which nodes without a number appeared.
std::string WithoutIds(const std::string& picture) {
  std::string text;
  std::size_t begin = 0;
  while (begin < picture.size()) {
    const std::size_t end = std::min(picture.find('\n', begin), picture.size());
    const std::string_view line(picture.data() + begin, end - begin);
    const std::size_t name = std::min(line.find(' '), line.size());
    std::size_t rest = name;
    if (line.substr(name).starts_with(" #")) {
      rest = std::min(line.find(' ', name + 1), line.size());
    }
    begin = end + 1;
    // A pool that does not exist and is not held.
    if (rest == line.size() && line.starts_with(kPoolPrefix)) continue;
    text.append(line.substr(0, name)).append(line.substr(rest)).append("\n");
  }
  return text;
}

}  // namespace

Schedule::Schedule() : state_(std::make_unique<State>()) {}
Schedule::~Schedule() = default;

const cluster::PodRequest* Schedule::Intern(const std::string& request_json) {
  return state_->graph.requests().Intern(request_json);
}

RequestMaker Schedule::requests() {
  return [this](const std::string& json) { return Intern(json); };
}

const cluster::PodRequest* Schedule::OfPod(const cluster::PodRequest* request,
                                           const cluster::Pod& pod) {
  return state_->graph.requests().Of(request, pod.namespace_name, pod.labels);
}

const cluster::PodRequest* Schedule::OfPlaced(const cluster::PodRequest* held,
                                              const cluster::Pod& pod) {
  return state_->graph.requests().Lasting(pod, held);
}

void Schedule::SetNamespaces(
    std::map<std::string, cluster::LabelMap> namespaces) {
  state_->graph.requests().SetNamespaces(std::move(namespaces));
}

bool Schedule::LooksAtLabels() const {
  return state_->graph.requests().LooksAtLabels();
}

bool Schedule::TakeNewSelectors() {
  return state_->graph.requests().TakeNews();
}

void Schedule::RelabelAll(const PodOf& pod_of) {
  state_->RelabelWaiting(pod_of);
  state_->graph.RelabelAll(pod_of);
  state_->cycles.changed = true;
}

void Schedule::Relabel(const cluster::Pod& pod, const PodOf& pod_of) {
  if (const auto group = state_->graph.Mislabelled(pod)) {
    state_->graph.Relabel(*group, pod_of);
    state_->cycles.changed = true;
  }
}

void Schedule::LeaveReasonsOut() { state_->graph.LeaveReasonsOut(); }

void Schedule::LeavePodsOut() { state_->graph.LeavePodsOut(); }

void Schedule::SetQueue(const QueueSettings& settings) {
  state_->SetQueue(settings);
}

void Schedule::RemoveQueue(const std::string& name) {
  state_->RemoveQueue(name);
}

void Schedule::SetAccounts(const std::vector<Account>& accounts) {
  state_->SetAccounts(accounts);
}

void Schedule::SetUsed(const std::vector<AccountUse>& used, matcher::Time at) {
  state_->accounts.SetUsed(used, at);
}

void Schedule::SetElsewhere(const std::vector<AccountHolds>& elsewhere) {
  if (!state_->accounts.SetElsewhere(elsewhere)) return;
  state_->lines.AskAll();
  state_->graph.evictions().NoteChange();
  state_->cycles.changed = true;
}

void Schedule::SetPools(const std::vector<Pool>& pools) {
  state_->SetPools(pools);
}

void Schedule::SetPoolsElsewhere(const std::vector<PoolHold>& holds) {
  state_->graph.SetPoolsElsewhere(holds);
}

void Schedule::SetDevices(const DeviceNews& news) {
  state_->graph.SetDevices(news);
}

void Schedule::SetNode(const cluster::Node& node) {
  state_->graph.SetNode(node);
}

void Schedule::RemoveNode(const std::string& name) {
  state_->graph.RemoveNode(name);
}

void Schedule::SetUnmanaged(const std::string& node,
                            const cluster::Resources& used,
                            const std::vector<const cluster::PodRequest*>& pods,
                            int occupants) {
  state_->graph.SetUnmanaged(node, used, pods, occupants);
}

void Schedule::SetGrown(
    const std::string& node,
    const std::map<std::string, cluster::Resources>& grown) {
  state_->graph.SetGrown(node, grown);
}

void Schedule::SetAdmitted(const std::string& node,
                           std::vector<std::string> pods) {
  state_->graph.SetAdmitted(node, std::move(pods));
}

void Schedule::TrustPlans() { state_->graph.TrustPlans(); }

void Schedule::SetClosures(const std::vector<NodeClosure>& closures,
                           matcher::Time now) {
  state_->graph.SetClosures(closures, now);
}

void Schedule::Restore(const Held& held) {
  if (held.growth) state_->NoteGrowth();
  state_->graph.Hold(held);
  state_->NoteHeld(held.group);
}

void Schedule::Add(PendingGroup group) { state_->Add(std::move(group)); }

void Schedule::Promised(const Reservation& reservation) {
  const WaitingGroup* waiting = state_->lines.Find(reservation.group);
  if (waiting != nullptr) {
    state_->Remember(*waiting, reservation);
  } else {
    state_->reported.Expect(reservation);
  }
  state_->cycles.changed = true;
}

void Schedule::ForgetPromised() {
  if (state_->reported.ForgetExpected()) state_->cycles.changed = true;
}

std::optional<PendingGroup> Schedule::Take(GroupId group) {
  const WaitingGroup* waiting = state_->lines.Find(group);
  if (waiting == nullptr) return std::nullopt;
  PendingGroup taken = state_->CopyOf(*waiting);
  taken.members = waiting->members;
  state_->RememberAgain(group);
  state_->Remove(group);
  return taken;
}

bool Schedule::Remove(GroupId group) {
  // The caller may have dropped the record of its reservation, too.
  state_->reported.TakeBack(group);
  return state_->Remove(group);
}

bool Schedule::Release(GroupId group, const std::string& uid) {
  const Held* held = state_->graph.holdings().HeldBy(group);
  const GroupId family = held == nullptr ? group : HolderOf(group, *held);
  const bool released = state_->graph.Release(group, uid);
  if (released) state_->NoteHeldOf(family);
  return released;
}

std::optional<std::string> Schedule::NodeOf(const std::string& uid) const {
  return state_->graph.holdings().NodeOf(uid);
}

const cluster::Resources* Schedule::GrantOf(const std::string& uid) const {
  return state_->graph.holdings().GrantOf(uid);
}

bool Schedule::OthersLeaveFor(GroupId group) const {
  return state_->graph.EvictedUntil(group).has_value();
}

std::optional<matcher::Time> Schedule::StartOf(GroupId group) const {
  const Held* held = state_->graph.holdings().HeldBy(group);
  if (held == nullptr) return std::nullopt;
  return held->start;
}

std::vector<std::string> Schedule::NodesOf(GroupId group) const {
  return state_->graph.holdings().NodesOf(group);
}

Decision Schedule::Decide(matcher::Time now, int limit) {
  State& state = *state_;
  now = state.cycles.now = std::max(now, state.cycles.now);
  if (!state.cycles.changed && !state.cycles.more && !state.IsDue(now) &&
      !state.graph.HasChanges()) {
    return {};
  }
  Decision decision = Cycle(state, now, limit).Run();
  for (const Placed& placed : decision.placed) state.NoteHeld(placed.group);
  return decision;
}

bool Schedule::More() const { return state_->cycles.more; }

void Schedule::Undo(const Placed& placed) {
  for (const PlacedMember& member : placed.members)
    Release(placed.group, member.uid);
}

cluster::Resources Schedule::Free(const std::string& queue,
                                  matcher::Time now) const {
  const ScheduleQueue* known = state_->queues.Find(queue);
  if (known == nullptr) return {};
  return state_->graph.Free(known->settings.node_selector, now);
}

bool Schedule::Uses(const std::string& queue, const std::string& node) const {
  const ScheduleQueue* known = state_->queues.Find(queue);
  return known != nullptr &&
         state_->graph.Selected(known->settings.node_selector, node);
}

std::optional<matcher::Time> Schedule::NextDue() const {
  return state_->queues.NextDue();
}

std::size_t Schedule::pending() const { return state_->lines.size(); }

std::size_t Schedule::shapes() const { return state_->lines.lines().size(); }

std::string Schedule::Describe() const {
  State& state = *state_;
  const auto each_booked = [&](const auto& act) {
    for (auto& [name, queue] : state.queues) {
      for (auto& [group, blocked] : queue.blocked)
        if (blocked.IsBooked()) act(*group, *blocked.reserved());
    }
  };
  each_booked([&](const WaitingGroup& group, const ReservedNodes&) {
    state.graph.graph().Cancel(ReservationJob(group.id));
  });
  state.graph.HideClosures();
  state.graph.HidePoolsElsewhere();
  std::string picture = WithoutIds(state.graph.graph().Describe(false));
  state.graph.ShowClosures();
  state.graph.ShowPoolsElsewhere();
  each_booked([&](const WaitingGroup& group, const ReservedNodes& reserved) {
    BookNodes(state.graph, group, reserved);
  });
  return picture;
}

}  // namespace fluxnetes::workers
