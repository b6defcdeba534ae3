#include "workers/schedule/schedule_state.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "matcher/devices/devices_text.h"
#include "sql/faults.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

// Adds so many times the amounts. A sum beyond 64 bits is beyond any quota.
void AddTimes(Amounts& sum, const Amounts& amounts, std::int64_t times) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    const bool beyond = amounts[r] > (kMost - sum[r]) / times;
    sum[r] = beyond ? kMost : sum[r] + amounts[r] * times;
  }
}

// Whether by both settings the age of every group counts from the same time.
bool CountsAlike(const QueueSettings& a, const QueueSettings& b) {
  const bool shortest = a.queue_order == QueueOrder::kShortest ||
                        b.queue_order == QueueOrder::kShortest;
  return !shortest || (a.queue_order == b.queue_order && a.ageing == b.ageing &&
                       a.assumed_duration == b.assumed_duration);
}

}  // namespace

cluster::Time CountsFrom(const PendingGroup& group,
                         const QueueSettings& settings) {
  // The duration of a group for which none is known.
  constexpr std::int64_t kLong = 86'400;
  // More makes no difference, and must not overflow.
  constexpr double kMost = 1e11;
  if (settings.queue_order != QueueOrder::kShortest) return group.submitted_at;
  const std::int64_t takes =
      group.duration.value_or(settings.assumed_duration.value_or(kLong));
  const double later =
      std::min(kMost, settings.ageing * static_cast<double>(takes));
  return group.submitted_at +
         std::chrono::seconds(static_cast<std::int64_t>(later));
}

PendingGroup Schedule::State::CopyOf(const WaitingGroup& waiting) const {
  PendingGroup group;
  static_cast<WaitingTerms&>(group) = waiting;
  const Payer& payer = accounts.payer(waiting.payer);
  group.namespace_name = payer.namespace_name;
  group.account = payer.label;
  group.queue = waiting.line->queue_name;
  group.shape = waiting.line->shape;
  group.duration = waiting.line->duration;
  group.topology = TopologyOf(waiting.line->requests);
  return group;
}

void Schedule::State::Prepare(PendingLine& line) {
  const QueueSettings& settings = line.queue->settings;
  const auto duration =
      line.duration ? line.duration : settings.assumed_duration;
  line.gang.duration =
      duration ? std::max<matcher::Time>(*duration, 1) : matcher::kForever;
  line.gang.groups.clear();
  line.amounts.assign(graph.graph().resources().size(), 0);
  std::set<std::string> shared(line.counted_claims.begin(),
                               line.counted_claims.end());
  for (const auto& [request, count] : line.requests) {
    AddTimes(line.amounts, graph.requests().Counted(request), count);
    for (const auto& [claim, amounts] : graph.requests().Shared(request))
      if (shared.insert(claim).second) AddTimes(line.amounts, amounts, 1);
    line.gang.groups.push_back({graph.requests().Amounts(request),
                                graph.Eligible(settings.node_selector), count,
                                graph.requests().Rules(request),
                                graph.requests().Inside(request),
                                graph.requests().Devices(request),
                                request->rules->topology.uncounted});
  }
  cluster::GroupTopology topology = TopologyOf(line.requests);
  if (sql::BugPlanted("rack-forgotten")) topology = {};
  if (sql::BugPlanted("levels-forgotten")) {
    topology.required_parts.clear();
    topology.per_node = {};
  }
  const bool parts = HasParts(topology);
  line.gang.together = parts ? std::vector<std::string>() : KeysOf(topology);
  line.gang.together_required = !parts && !topology.required.empty();
  LevelsOfGroup levels = parts ? LevelsOf(topology) : LevelsOfGroup();
  line.gang.levels = std::move(levels.levels);
  line.gang.required = levels.required;
  line.gang.per_node = {topology.per_node.pods, topology.per_node.at_most};
  line.gang.beside = line.beside;
  line.gang.uncounted_beside.clear();
  if (!line.gang.levels.empty() || line.gang.per_node.tasks > 0)
    TakeUncounted(line);
  Sharing sharing = SharingOf(topology, settings);
  if (sql::BugPlanted("whole-nodes-forgotten")) sharing.whole_nodes = false;
  line.gang.aside = sharing.aside;
  line.gang.whole_nodes = sharing.whole_nodes;
  line.gang.holder = line.gang.whole_nodes ? line.holder : 0;
  line.gang.pools = graph.NeedsOf(PoolsOf(line));
  if (sql::BugPlanted("pool-forgotten")) line.gang.pools.clear();
  for (const matcher::PoolNeed& need : line.gang.pools) {
    const auto resource =
        static_cast<std::size_t>(graph.graph().ResourceOfPool(need.pool));
    if (line.amounts.size() <= resource) line.amounts.resize(resource + 1);
    line.amounts[resource] = need.amount;
  }
  for (const matcher::TaskGroup& task : line.gang.groups)
    looks_around = looks_around || graph.graph().LooksAtTasks(task.rules);
  line.ask = true;
  lines.Uncheck(line);
  line.spared.reset();
}

// Tasks beside the gang that do not count are no longer among the others.
void Schedule::State::TakeUncounted(PendingLine& line) {
  if (line.holder == 0) return;
  line.gang.uncounted_beside = graph.UncountedPlacesOf(line.holder);
  for (const matcher::NodeIndex node : line.gang.uncounted_beside) {
    const auto one = std::ranges::find(line.gang.beside, node);
    if (one != line.gang.beside.end()) line.gang.beside.erase(one);
  }
}

void Schedule::State::PrepareLines(ScheduleQueue& queue) {
  for (const auto& [key, line] : lines.lines()) {
    if (line->queue != &queue) continue;
    Prepare(*line);
    for (const WaitingGroup* group : line->groups) {
      lines.MarkUnreported(group->id);
    }
  }
}

void Schedule::State::SetPools(const std::vector<Pool>& pools) {
  if (!graph.SetPools(pools)) return;
  for (const auto& [key, line] : lines.lines()) {
    if (PoolsOf(*line).empty()) continue;
    BlockedGroups& all = line->queue->blocked;
    for (auto blocked = all.begin(); blocked != all.end();) {
      blocked = blocked->first->line == line.get()
                    ? queues.Forget(*line->queue, blocked)
                    : std::next(blocked);
    }
    Prepare(*line);
    for (const WaitingGroup* group : line->groups)
      lines.MarkUnreported(group->id);
  }
  lines.AskAll();
  cycles.changed = true;
}

const WaitingGroup* Schedule::State::FirstOf(const ScheduleQueue& queue) const {
  for (const WaitingGroup* front : lines.FrontsOf(queue.settings.name))
    if (CanRun(*front->line)) return front;
  return nullptr;
}

void Schedule::State::Drop(GroupId group) {
  const WaitingGroup* waiting = lines.Find(group);
  ScheduleQueue& queue = *waiting->line->queue;
  const auto blocked = queue.blocked.find(waiting);
  if (blocked != queue.blocked.end()) {
    if (blocked->second.reserved()) lines.AskAll();
    queues.Forget(queue, blocked);
  }
  lines.Remove(group);
  graph.evictions().NoteChange();
}

void Schedule::State::NoteGrowth() {
  if (!queues.NoteGrowth()) return;
  graph.evictions().NoteChange();
  lines.AskAll();
}

void Schedule::State::SetQueue(const QueueSettings& settings) {
  ScheduleQueue& queue = queues[settings.name];
  if (queue.known && queue.settings == settings) return;
  QueueSettings as_before = settings;
  as_before.queue_depth = queue.settings.queue_depth;
  as_before.reservation_depth = queue.settings.reservation_depth;
  as_before.half_life = queue.settings.half_life;
  as_before.topology = queue.settings.topology;  // intake resolves its words
  const bool same = queue.known && as_before == queue.settings;
  // Whether lines are told apart by the nodes that their groups have, too.
  const bool aged = CountsAlike(queue.settings, settings) &&
                    queue.settings.whole_nodes == settings.whole_nodes;
  if (!same) queues.ForgetAll(queue);
  queue.settings = settings;
  queue.known = true;
  graph.SetAssumedDuration(settings.name, settings.assumed_duration);
  if (!aged) AddAgain(&queue);
  if (!same) PrepareLines(queue);
  graph.evictions().NoteChange();
  lines.AskAll();
  NoteOrders();
  cycles.changed = true;
}

void Schedule::State::RemoveQueue(const std::string& name) {
  const ScheduleQueue* known = queues.Find(name);
  if (known == nullptr || !known->known) return;
  ScheduleQueue& queue = queues[name];
  queues.ForgetAll(queue);
  queue.known = false;
  graph.SetAssumedDuration(name, std::nullopt);
  lines.AskAll();
  NoteOrders();
  cycles.changed = true;
}

void Schedule::State::NoteOrders() {
  std::optional<std::int64_t> half_life;
  for (const auto& [name, queue] : queues) {
    if (queue.known && queue.GoesByFairShares())
      half_life = std::max(half_life.value_or(0), queue.settings.half_life);
  }
  if (accounts.SetFair(half_life)) AddAgain(nullptr);
}

void Schedule::State::SetAccounts(const std::vector<Account>& settings) {
  const bool mattered = accounts.Matter();
  if (!accounts.Set(settings)) return;
  if (accounts.Matter() != mattered) {
    AddAgain(nullptr);
  } else {
    ReorderBlocked();
  }
  lines.AskAll();
  graph.evictions().NoteChange();
  cycles.changed = true;
}

void Schedule::State::AddAgain(const ScheduleQueue* queue) {
  std::vector<PendingGroup> again;
  for (const auto& [key, line] : lines.lines()) {
    if (queue != nullptr && line->queue != queue) continue;
    for (const WaitingGroup* group : line->groups) {
      again.push_back(CopyOf(*group));
      again.back().members = group->members;
    }
  }
  for (PendingGroup& group : again) Add(std::move(group));
}

void Schedule::State::Stand(const WaitingGroup& group) {
  if (!accounts.Matter()) {
    group.standing.clear();
  } else {
    group.standing =
        accounts.StandingOf(group, group.line->queue->GoesByFairShares());
  }
}

void Schedule::State::ReorderBlocked() {
  for (auto& [name, queue] : queues) {
    BlockedGroups before = std::exchange(queue.blocked, {});
    for (auto& [group, blocked] : before) {
      queues.Withdraw(*group, blocked);
      Stand(*group);
    }
    for (auto& [group, blocked] : before)
      queue.blocked.emplace(group, std::move(blocked));
  }
}

void Schedule::State::RememberAgain(GroupId group) {
  const WaitingGroup* waiting = lines.Find(group);
  if (waiting != nullptr && IsBlocked(*waiting)) reported.ExpectAgain(group);
}

void Schedule::State::Add(PendingGroup group) {
  RequestCounts requests = graph.Count(group.members);
  std::vector<matcher::NodeIndex> beside;
  ScheduleQueue& queue = queues[group.queue];
  const GroupId family = HolderOf(group.id, group);
  if (LooksAtItsOthers(requests, queue))
    beside = graph.PlacesOf(family);
  else if (AsksTheSame(group, requests))
    RememberAgain(group.id);
  Remove(group.id);
  if (group.members.empty()) return;
  if (group.growth) NoteGrowth();
  const PayerId payer =
      accounts.Intern({group.queue, group.namespace_name, group.account});
  const cluster::Time counts_from = CountsFrom(group, queue.settings);
  const GroupId holder = beside.empty() ? 0 : family;
  std::vector<std::string> counted = CountedClaims(group.id, requests);
  WaitingGroup& waiting =
      lines.Add(std::move(group),
                {std::move(requests), std::move(beside), holder,
                 std::move(counted), payer, accounts.Matter(), counts_from});
  PendingLine& line = *waiting.line;
  if (line.queue == nullptr) {
    line.queue = &queue;
    Prepare(line);
  }
  if (line.Front() == &waiting) line.ask = true;
  lines.MarkUnreported(waiting.id);
  cycles.changed = true;
  if (auto reservation = reported.TakeExpected(waiting.id))
    Remember(waiting, *reservation);
}

void Schedule::State::Remember(const WaitingGroup& group,
                               const Reservation& reservation) {
  ScheduleQueue& queue = *group.line->queue;
  ReservedNodes reserved{reservation.start, {}, {}, false};
  std::vector<matcher::NodeIndex> nodes;
  for (const std::string& name : reservation.nodes) {
    if (const auto node = graph.graph().Find(name)) nodes.push_back(*node);
  }
  const bool known = nodes.size() == reservation.nodes.size();
  for (const int place : reservation.places) {
    if (known && place >= 0 && place < static_cast<int>(nodes.size()))
      reserved.places.push_back(nodes[place]);
  }
  if (reserved.places.size() != group.members.size()) reserved.places.clear();
  if (reservation.parts.size() == reserved.places.size())
    reserved.parts = reservation.parts;
  if (reservation.devices.size() == reserved.places.size())
    reserved.devices = reservation.devices;
  reserved.nodes = std::move(nodes);
  reserved.nodes = WithPools(std::move(reserved.nodes), group.line->gang);
  reported.Note(reservation);
  if (!known || !queue.Runs() || queue.Depth() == 0) return;
  const auto before = queue.blocked.find(&group);
  if (before != queue.blocked.end()) queues.Forget(queue, before);
  Stand(group);
  queue.blocked[&group].Remember(std::move(reserved));
}

bool Schedule::State::AsksTheSame(const PendingGroup& group,
                                  const RequestCounts& requests) const {
  const WaitingGroup* waiting = lines.Find(group.id);
  if (waiting == nullptr) return false;
  const PendingLine& line = *waiting->line;
  return line.queue_name == group.queue && line.duration == group.duration &&
         std::equal(line.requests.begin(), line.requests.end(),
                    requests.begin(), requests.end(),
                    [this](const auto& a, const auto& b) {
                      return a.second == b.second &&
                             graph.requests().Amounts(a.first) ==
                                 graph.requests().Amounts(b.first) &&
                             a.first->rules->inside == b.first->rules->inside &&
                             a.first->rules->resource_claims ==
                                 b.first->rules->resource_claims;
                    });
}

bool Schedule::State::Remove(GroupId group) {
  if (lines.Find(group) == nullptr) return false;
  Drop(group);
  cycles.changed = true;
  return true;
}

bool Schedule::State::LooksAtItsOthers(const RequestCounts& requests,
                                       const ScheduleQueue& queue) {
  return queue.settings.whole_nodes ||
         TopologyOf(requests) != cluster::GroupTopology{};
}

bool Schedule::State::IsOutdated(const WaitingGroup& waiting) const {
  const PendingLine& line = *waiting.line;
  return (LooksAtItsOthers(line.requests, *line.queue) &&
          graph.PlacesOf(HolderOf(waiting.id, waiting)) != line.beside) ||
         CountedClaims(waiting.id, line.requests) != line.counted_claims;
}

std::vector<std::string> Schedule::State::CountedClaims(
    GroupId group, const RequestCounts& requests) const {
  std::set<std::string> asked;
  for (const auto& [request, count] : requests)
    for (const auto& [claim, amounts] : graph.requests().Shared(request))
      asked.insert(claim);
  const Held* held = graph.holdings().HeldBy(group);
  if (asked.empty() || held == nullptr) return {};
  std::set<std::string> counted;
  for (const PlacedMember& member : held->members) {
    if (member.uid.empty() || member.devices.empty()) continue;
    for (const matcher::AllocatedDevice& each :
         matcher::ReadDevices(member.devices))
      if (asked.contains(each.shared)) counted.insert(each.shared);
  }
  return {counted.begin(), counted.end()};
}

void Schedule::State::NoteHeld(GroupId group) {
  const Held* held = graph.holdings().HeldBy(group);
  const WaitingGroup* own = lines.Find(group);
  const GroupId family = held != nullptr  ? HolderOf(group, *held)
                         : own != nullptr ? HolderOf(group, *own)
                                          : group;
  NoteHeldOf(family);
}

void Schedule::State::NoteHeldOf(GroupId family) {
  std::vector<PendingGroup> again;
  const auto look = [&](GroupId group) {
    const WaitingGroup* waiting = lines.Find(group);
    if (waiting == nullptr || !IsOutdated(*waiting)) return;
    again.push_back(CopyOf(*waiting));
    again.back().members = waiting->members;
  };
  look(family);
  for (const GroupId extending : lines.Extending(family)) look(extending);
  for (PendingGroup& each : again) Add(std::move(each));
}

bool Schedule::State::IsDue(matcher::Time now) const {
  const auto next = queues.NextDue();
  return next && *next <= now;
}

void Schedule::State::Sweep() {
  if (!graph.requests().WantsSweep()) return;
  std::vector<const cluster::PodRequest*> used;
  for (const auto& [key, line] : lines.lines()) {
    for (const auto& [request, count] : line->requests) used.push_back(request);
  }
  graph.Sweep(std::move(used));
}

void Schedule::State::RelabelWaiting(const PodOf& pod_of) {
  std::vector<PendingGroup> again;
  for (const auto& [key, line] : lines.lines()) {
    for (const WaitingGroup* group : line->groups) {
      std::vector<Member> members = group->members;
      bool differs = false;
      for (Member& member : members) {
        const cluster::PodPointer pod = pod_of(member.uid);
        if (pod == nullptr) continue;
        const auto* request = graph.requests().Of(
            member.request, pod->namespace_name, pod->labels);
        differs |= request != member.request;
        member.request = request;
      }
      if (!differs) continue;
      again.push_back(CopyOf(*group));
      again.back().members = std::move(members);
    }
  }
  for (PendingGroup& group : again) Add(std::move(group));
}

}  // namespace fluxnetes::workers
