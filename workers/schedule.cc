#include "workers/schedule.h"

#include <algorithm>
#include <utility>

#include "sql/faults.h"
#include "workers/schedule_cycle.h"
#include "workers/schedule_state.h"
#include "workers/topology_labels.h"

namespace fluxnetes::workers {
namespace {

// Of more nodes than this it is not asked what each could hold.
constexpr std::size_t kNodesLookedAt = 64;

constexpr std::string_view kPolicyNames[] = {"fcfs", "easy", "conservative",
                                             "hybrid"};

struct GrownNode {
  matcher::NodeIndex node = -1;
  std::vector<std::int64_t> free;
};

bool MayHoldOne(const ScheduleGraph& graph, const matcher::Gang& gang,
                const GrownNode& grown) {
  return std::any_of(
      gang.groups.begin(), gang.groups.end(), [&](const auto& task) {
        return graph.MayUse(task, grown.node) &&
               std::equal(task.amounts.begin(), task.amounts.end(),
                          grown.free.begin(), [](auto amount, auto free) {
                            return amount == 0 || amount <= free;
                          });
      });
}

bool MayUseAny(const ScheduleGraph& graph, const matcher::Gang& gang,
               const std::vector<matcher::NodeIndex>& nodes) {
  return std::any_of(nodes.begin(), nodes.end(), [&](auto node) {
    return std::any_of(
        gang.groups.begin(), gang.groups.end(),
        [&](const auto& task) { return graph.MayUse(task, node); });
  });
}

// What its pods ask for, which is the same for all.
cluster::GroupTopology TopologyOf(const RequestCounts& requests) {
  for (const auto& [request, count] : requests) {
    if (request->rules.Any()) return request->rules->topology;
  }
  return {};
}

// Whether pods that those of the line are to be together with are on any of
// the nodes.
bool IsBesideAny(const PendingLine& line,
                 const std::vector<matcher::NodeIndex>& nodes) {
  return std::any_of(line.beside.begin(), line.beside.end(), [&](auto node) {
    return std::binary_search(nodes.begin(), nodes.end(), node);
  });
}

matcher::Time EndOf(matcher::Time start, matcher::Time duration) {
  return duration < matcher::kForever - start ? start + duration
                                              : matcher::kForever;
}

void EachOnce(std::vector<matcher::NodeIndex>& nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
}

// The graph's picture without the logical ids, which depend on the order in
// which nodes without a number appeared.
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
    text.append(line.substr(0, name)).append(line.substr(rest)).append("\n");
    begin = end + 1;
  }
  return text;
}

PendingGroup Copy(const WaitingGroup& waiting) {
  PendingGroup group;
  group.id = waiting.id;
  group.queue = waiting.line->queue_name;
  group.priority = waiting.priority;
  group.first_in_line = waiting.first_in_line;
  group.submitted_at = waiting.submitted_at;
  group.revision = waiting.revision;
  group.shape = waiting.line->shape;
  group.duration = waiting.line->duration;
  group.job_id = waiting.job_id;
  group.job_attempt = waiting.job_attempt;
  group.unsatisfiable = waiting.unsatisfiable;
  group.topology = TopologyOf(waiting.line->requests);
  return group;
}

}  // namespace

std::string_view ToString(QueuePolicy policy) {
  return kPolicyNames[static_cast<std::size_t>(policy)];
}

std::optional<QueuePolicy> ParseQueuePolicy(std::string_view name) {
  const auto found =
      std::find(std::begin(kPolicyNames), std::end(kPolicyNames), name);
  if (found == std::end(kPolicyNames)) return std::nullopt;
  return static_cast<QueuePolicy>(found - std::begin(kPolicyNames));
}

void Schedule::State::Prepare(PendingLine& line) {
  const QueueSettings& settings = line.queue->settings;
  const auto duration =
      line.duration ? line.duration : settings.assumed_duration;
  line.gang.duration =
      duration ? std::max<matcher::Time>(*duration, 1) : matcher::kForever;
  line.gang.groups.clear();
  for (const auto& [request, count] : line.requests) {
    line.gang.groups.push_back({graph.requests().Amounts(request),
                                graph.Eligible(settings.node_selector), count,
                                graph.requests().Rules(request)});
  }
  cluster::GroupTopology topology = TopologyOf(line.requests);
  if (sql::BugPlanted("rack-forgotten")) topology = {};
  line.gang.together = KeysOf(topology);
  line.gang.together_required = !topology.required.empty();
  line.gang.beside = line.beside;
  line.ask = true;
  line.checked = false;
}

void Schedule::State::PrepareLines(ScheduleQueue& queue) {
  for (const auto& [key, line] : lines.lines()) {
    if (line->queue != &queue) continue;
    Prepare(*line);
    for (const WaitingGroup* group : line->groups) {
      to_tell.push_back(group->id);
    }
  }
}

void Schedule::State::AskAll() {
  for (const auto& [key, line] : lines.lines()) line->ask = true;
}

std::size_t ScheduleQueue::Depth() const {
  constexpr std::size_t kHybridDepth = 64;
  constexpr std::size_t kConservativeDepth = 1'000;
  switch (settings.queue_policy) {
    case QueuePolicy::kFcfs:
      return 0;
    case QueuePolicy::kEasy:
      return 1;
    case QueuePolicy::kConservative:
      return settings.reservation_depth.value_or(kConservativeDepth);
    case QueuePolicy::kHybrid:
      return settings.reservation_depth.value_or(kHybridDepth);
  }
  return 0;
}

void Schedule::State::Withdraw(const WaitingGroup& group, Head& head) {
  if (head.Booked()) graph.graph().Cancel(PromiseJob(group.id));
  head.stands = false;
}

Heads::iterator Schedule::State::Forget(ScheduleQueue& queue,
                                        Heads::iterator head) {
  const WaitingGroup& group = *head->first;
  Withdraw(group, head->second);
  const std::optional<Promise> promise = std::move(head->second.promise);
  const auto next = queue.heads.erase(head);
  if (promise) Free(*promise);
  return next;
}

void Schedule::State::ForgetAll(ScheduleQueue& queue) {
  while (!queue.heads.empty()) Forget(queue, queue.heads.begin());
}

void Schedule::State::Free(const Promise& promise) {
  for (auto& [name, queue] : queues) {
    for (auto& [group, head] : queue.heads) {
      const matcher::Gang& gang = group->line->gang;
      const bool later =
          promise.start && head.promise && head.promise->start &&
          *promise.start >= EndOf(*head.promise->start, gang.duration);
      head.stale =
          head.stale || (!later && MayUseAny(graph, gang, promise.nodes));
    }
  }
}

void Schedule::State::Drop(GroupId group) {
  const WaitingGroup* waiting = lines.Find(group);
  ScheduleQueue& queue = *waiting->line->queue;
  const auto head = queue.heads.find(waiting);
  if (head != queue.heads.end()) {
    if (head->second.promise) AskAll();
    Forget(queue, head);
  }
  lines.Remove(group);
}

void Schedule::State::SetQueue(const QueueSettings& settings) {
  ScheduleQueue& queue = queues[settings.name];
  if (queue.known && queue.settings == settings) return;
  ForgetAll(queue);
  queue.settings = settings;
  queue.known = true;
  graph.SetAssumedDuration(settings.name, settings.assumed_duration);
  PrepareLines(queue);
  AskAll();
  changed = true;
}

void Schedule::State::RemoveQueue(const std::string& name) {
  const auto found = queues.find(name);
  if (found == queues.end() || !found->second.known) return;
  ForgetAll(found->second);
  found->second.known = false;
  graph.SetAssumedDuration(name, std::nullopt);
  AskAll();
  changed = true;
}

void Schedule::State::Add(PendingGroup group) {
  Remove(group.id);
  if (group.members.empty()) return;
  RequestCounts requests = graph.Count(group.members);
  std::vector<matcher::NodeIndex> beside;
  if (TopologyOf(requests) != cluster::GroupTopology{})
    beside = graph.IndicesOf(group.id);
  WaitingGroup& waiting =
      lines.Add(std::move(group), std::move(requests), std::move(beside));
  PendingLine& line = *waiting.line;
  if (line.queue == nullptr) {
    line.queue = &queues[line.queue_name];
    line.queue->settings.name = line.queue_name;
    Prepare(line);
  }
  if (line.Front() == &waiting) line.ask = true;
  to_tell.push_back(waiting.id);
  changed = true;
  auto promised = remembered.extract(waiting.id);
  if (promised) TakePromise(waiting, std::move(promised.mapped()));
}

void Schedule::State::TakePromise(const WaitingGroup& group,
                                  Reservation reservation) {
  ScheduleQueue& queue = *group.line->queue;
  Promise promise{reservation.start, {}, {}, false};
  std::vector<matcher::NodeIndex> nodes;
  for (const std::string& name : reservation.nodes) {
    if (const auto node = graph.graph().Find(name)) nodes.push_back(*node);
  }
  const bool known = nodes.size() == reservation.nodes.size();
  for (const int place : reservation.places) {
    if (known && place >= 0 && place < static_cast<int>(nodes.size()))
      promise.places.push_back(nodes[place]);
  }
  promise.nodes = std::move(nodes);
  EachOnce(promise.nodes);
  said[group.id] = std::move(reservation);
  if (!known || queue.Depth() == 0) return;
  Head& head = queue.heads[&group];
  head.promise = std::move(promise);
  head.stale = true;
}

bool Schedule::State::Remove(GroupId group) {
  if (lines.Find(group) == nullptr) return false;
  Drop(group);
  changed = true;
  return true;
}

void Schedule::State::NoteHeld(GroupId group) {
  const WaitingGroup* waiting = lines.Find(group);
  if (waiting == nullptr ||
      TopologyOf(waiting->line->requests) == cluster::GroupTopology{} ||
      graph.IndicesOf(group) == waiting->line->beside)
    return;
  PendingGroup again = Copy(*waiting);
  again.members = waiting->members;
  Add(std::move(again));
}

bool Schedule::State::Due(matcher::Time now) const {
  const auto next = NextDue();
  return next && *next <= now;
}

std::optional<matcher::Time> Schedule::State::NextDue() const {
  std::optional<matcher::Time> next;
  for (const auto& [name, queue] : queues) {
    for (const auto& [group, head] : queue.heads) {
      if (!head.Booked()) continue;
      if (!next || *head.promise->start < *next) next = head.promise->start;
    }
  }
  return next;
}

void Schedule::State::TakeChanges(matcher::Time now) {
  for (auto& [name, queue] : queues) {
    for (auto& [group, head] : queue.heads) {
      if (!head.Due(now)) continue;
      head.stale = group->line->ask = true;
      // Or it would count as held now.
      if (!queue.Keeps()) Withdraw(*group, head);
    }
  }
  GraphChanges changes = graph.TakeChanges();
  EachOnce(changes.grown);
  EachOnce(changes.changed);
  const bool many = changes.grown.size() > kNodesLookedAt;
  std::vector<GrownNode> grown;
  for (const auto node : changes.grown) {
    if (!many && graph.Open(node)) {
      grown.push_back({node, graph.graph().Free(node, now)});
    }
  }
  for (const auto& [key, line] : lines.lines()) {
    if (changes.capacity) line->checked = false;
    if (line->ask) continue;
    line->ask = many || IsBesideAny(*line, changes.grown) ||
                line->surroundings != Surroundings(*line) ||
                std::any_of(grown.begin(), grown.end(),
                            [&, &line = line](const GrownNode& node) {
                              return MayHoldOne(graph, line->gang, node);
                            });
  }
  for (auto& [name, queue] : queues) {
    for (auto& [group, head] : queue.heads) {
      head.doubtful = head.doubtful || IsDoubtful(changes, head);
      head.stale =
          head.stale || many || head.doubtful || MayImprove(changes, *group);
    }
  }
}

bool Schedule::State::MayImprove(const GraphChanges& changes,
                                 const WaitingGroup& group) const {
  const PendingLine& line = *group.line;
  return line.surroundings != Surroundings(line) ||
         IsBesideAny(line, changes.grown) ||
         MayUseAny(graph, line.gang, changes.grown);
}

bool Schedule::State::IsDoubtful(const GraphChanges& changes,
                                 const Head& head) {
  if (!head.promise) return false;
  const auto& nodes = head.promise->nodes;
  return std::any_of(
      changes.changed.begin(), changes.changed.end(), [&](auto node) {
        return std::binary_search(nodes.begin(), nodes.end(), node);
      });
}

std::uint64_t Schedule::State::Surroundings(const PendingLine& line) const {
  std::uint64_t sum = 0;
  for (const matcher::TaskGroup& task : line.gang.groups) {
    sum += graph.graph().Surroundings(task.rules);
  }
  return sum;
}

bool Schedule::State::NoteSurroundings(bool ask) {
  bool moved = false;
  for (const auto& [key, line] : lines.lines()) {
    const std::uint64_t now = Surroundings(*line);
    if (now == line->surroundings) continue;
    line->surroundings = now;
    if (!ask) continue;
    line->ask = moved = true;
    for (auto& [group, head] : line->queue->heads)
      head.stale = head.stale || group->line == line.get();
  }
  return moved;
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
      again.push_back(Copy(*group));
      again.back().members = std::move(members);
    }
  }
  for (PendingGroup& group : again) Add(std::move(group));
}

Schedule::Schedule() : state_(std::make_unique<State>()) {}
Schedule::~Schedule() = default;

const cluster::PodRequest* Schedule::Intern(const std::string& request_json) {
  return state_->graph.requests().Intern(request_json);
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
  state_->changed = true;
}

void Schedule::Relabel(const cluster::Pod& pod, const PodOf& pod_of) {
  if (const auto group = state_->graph.Mislabelled(pod)) {
    state_->graph.Relabel(*group, pod_of);
    state_->changed = true;
  }
}

void Schedule::LeaveReasonsOut() { state_->graph.LeaveReasonsOut(); }

void Schedule::SetQueue(const QueueSettings& settings) {
  state_->SetQueue(settings);
}

void Schedule::RemoveQueue(const std::string& name) {
  state_->RemoveQueue(name);
}

void Schedule::SetNode(const cluster::Node& node) {
  state_->graph.SetNode(node);
}

void Schedule::RemoveNode(const std::string& name) {
  state_->graph.RemoveNode(name);
}

void Schedule::SetForeign(const std::string& node,
                          const cluster::Resources& used,
                          const std::vector<const cluster::PodRequest*>& pods) {
  state_->graph.SetForeign(node, used, pods);
}

void Schedule::SetClosures(const std::vector<NodeClosure>& closures,
                           matcher::Time now) {
  state_->graph.SetClosures(closures, now);
}

void Schedule::Restore(const Held& held) {
  state_->graph.Hold(held);
  state_->NoteHeld(held.group);
}

void Schedule::Add(PendingGroup group) { state_->Add(std::move(group)); }

void Schedule::Promised(const Reservation& reservation) {
  const WaitingGroup* waiting = state_->lines.Find(reservation.group);
  if (waiting != nullptr) {
    state_->TakePromise(*waiting, reservation);
  } else {
    state_->remembered[reservation.group] = reservation;
  }
  state_->changed = true;
}

void Schedule::ForgetPromised() {
  if (state_->remembered.empty()) return;
  state_->said.merge(state_->remembered);  // and is to be taken back
  state_->remembered.clear();
  state_->changed = true;
}

std::optional<PendingGroup> Schedule::Take(GroupId group) {
  const WaitingGroup* waiting = state_->lines.Find(group);
  if (waiting == nullptr) return std::nullopt;
  PendingGroup taken = Copy(*waiting);
  taken.members = waiting->members;
  state_->Remove(group);
  return taken;
}

bool Schedule::Remove(GroupId group) { return state_->Remove(group); }

bool Schedule::Release(GroupId group, const std::string& uid) {
  const bool released = state_->graph.Release(group, uid);
  if (released) state_->NoteHeld(group);
  return released;
}

std::optional<std::string> Schedule::NodeOf(const std::string& uid) const {
  return state_->graph.NodeOf(uid);
}

const cluster::Resources* Schedule::GrantOf(const std::string& uid) const {
  return state_->graph.GrantOf(uid);
}

std::vector<std::string> Schedule::NodesOf(GroupId group) const {
  return state_->graph.NodesOf(group);
}

Decision Schedule::Decide(matcher::Time now, int limit) {
  State& state = *state_;
  if (!state.changed && !state.more && !state.Due(now) &&
      !state.graph.HasChanges()) {
    return {};
  }
  return Cycle(state, now, limit).Run();
}

bool Schedule::More() const { return state_->more; }

void Schedule::Undo(const Placed& placed) {
  for (const PlacedMember& member : placed.members) {
    state_->graph.Release(placed.group, member.uid);
  }
}

cluster::Resources Schedule::Free(const std::string& queue,
                                  matcher::Time now) const {
  const auto known = state_->queues.find(queue);
  if (known == state_->queues.end()) return {};
  return state_->graph.Free(known->second.settings.node_selector, now);
}

bool Schedule::Uses(const std::string& queue, const std::string& node) const {
  const auto known = state_->queues.find(queue);
  return known != state_->queues.end() &&
         state_->graph.Selected(known->second.settings.node_selector, node);
}

std::optional<matcher::Time> Schedule::NextDue() const {
  return state_->NextDue();
}

std::size_t Schedule::pending() const { return state_->lines.size(); }

std::size_t Schedule::shapes() const { return state_->lines.lines().size(); }

std::string Schedule::Describe() const {
  State& state = *state_;
  const auto each_booked = [&](const auto& act) {
    for (auto& [name, queue] : state.queues) {
      for (auto& [group, head] : queue.heads)
        if (head.Booked()) act(*group, *head.promise);
    }
  };
  each_booked([&](const WaitingGroup& group, const Promise&) {
    state.graph.graph().Cancel(PromiseJob(group.id));
  });
  state.graph.HideClosures();
  std::string picture = WithoutIds(state.graph.graph().Describe(false));
  state.graph.ShowClosures();
  each_booked([&](const WaitingGroup& group, const Promise& promise) {
    BookPromise(state.graph, group, promise);
  });
  return picture;
}

}  // namespace fluxnetes::workers
