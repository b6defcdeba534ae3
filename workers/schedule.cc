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

void Schedule::State::Withdraw(ScheduleQueue& queue) {
  if (!queue.stands) return;
  queue.stands = false;
  if (queue.promise && queue.promise->start) {
    graph.graph().Cancel(PromiseJob(queue.head->id));
  }
}

void Schedule::State::Forget(ScheduleQueue& queue) {
  Withdraw(queue);
  if (queue.promise) AskAll();
  queue.head = nullptr;
  queue.promise.reset();
  queue.stale = false;
}

void Schedule::State::Drop(GroupId group) {
  const WaitingGroup* waiting = lines.Find(group);
  ScheduleQueue& queue = *waiting->line->queue;
  if (queue.head == waiting) Forget(queue);
  lines.Remove(group);
}

void Schedule::State::SetQueue(const QueueSettings& settings) {
  ScheduleQueue& queue = queues[settings.name];
  if (queue.known && queue.settings == settings) return;
  Forget(queue);
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
  Forget(found->second);
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
  return std::any_of(queues.begin(), queues.end(), [now](const auto& queue) {
    return queue.second.Due(now);
  });
}

void Schedule::State::TakeChanges(matcher::Time now) {
  for (auto& [name, queue] : queues) {
    if (!queue.Due(now)) continue;
    queue.stale = queue.head->line->ask = true;
    Withdraw(queue);  // or it would count as held now
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
    if (queue.head == nullptr) continue;
    PendingLine& line = *queue.head->line;
    queue.stale = queue.stale || many ||
                  line.surroundings != Surroundings(line) ||
                  IsBesideAny(line, changes.grown) ||
                  MayUseAny(graph, line.gang, changes.grown);
    if (!queue.promise) continue;
    const auto& nodes = queue.promise->nodes;
    queue.stale =
        queue.stale ||
        std::any_of(
            changes.changed.begin(), changes.changed.end(), [&](auto node) {
              return std::binary_search(nodes.begin(), nodes.end(), node);
            });
  }
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
    if (ask) line->ask = moved = true;
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

void Schedule::Restore(const Held& held) {
  state_->graph.Hold(held);
  state_->NoteHeld(held.group);
}

void Schedule::Add(PendingGroup group) { state_->Add(std::move(group)); }

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
  std::optional<matcher::Time> next;
  for (const auto& [name, queue] : state_->queues) {
    if (!queue.stands || !queue.promise || !queue.promise->start) continue;
    if (!next || *queue.promise->start < *next) next = queue.promise->start;
  }
  return next;
}

std::size_t Schedule::pending() const { return state_->lines.size(); }

std::size_t Schedule::shapes() const { return state_->lines.lines().size(); }

std::string Schedule::Describe() const {
  State& state = *state_;
  std::vector<ScheduleQueue*> withdrawn;
  for (auto& [name, queue] : state.queues) {
    if (!queue.stands || !queue.promise || !queue.promise->start) continue;
    state.graph.graph().Cancel(PromiseJob(queue.head->id));
    withdrawn.push_back(&queue);
  }
  std::string picture = WithoutIds(state.graph.graph().Describe(false));
  for (const ScheduleQueue* queue : withdrawn) {
    BookPromise(state.graph, *queue->head, *queue->promise);
  }
  return picture;
}

}  // namespace fluxnetes::workers
