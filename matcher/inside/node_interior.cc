#include "matcher/inside/node_interior.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "matcher/inside/node_interior_state.h"
#include "matcher/inside/parts_text.h"

namespace fluxnetes::matcher {

NodeInterior::NodeInterior(const InsideOptions& options)
    : state_(std::make_unique<State>()) {
  state_->options = options;
}
NodeInterior::~NodeInterior() = default;
NodeInterior::NodeInterior(NodeInterior&&) noexcept = default;
NodeInterior& NodeInterior::operator=(NodeInterior&&) noexcept = default;

NodeInterior::State::Node& NodeInterior::State::NodeAt(NodeIndex node) {
  if (node < 0) throw std::invalid_argument("there is no node below 0");
  if (static_cast<std::size_t>(node) >= nodes.size()) nodes.resize(node + 1);
  return nodes[node];
}

const NodeInterior::State::Shape& NodeInterior::State::ShapeOf(
    ShapeId shape) const {
  const auto found = shapes.find(shape);
  if (found == shapes.end()) {
    throw std::invalid_argument(fmt::format("there is no shape {}", shape));
  }
  return found->second;
}

namespace {

std::size_t HashOfRequest(const InsideRequest& request) {
  std::size_t hash = (request.required ? 1 : 0) + (request.by_kubelet ? 2 : 0) +
                     static_cast<std::size_t>(request.demand.cpus) * 4;
  const auto add = [&hash](std::size_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 31;
  };
  add(std::hash<std::string>()(request.within));
  for (const InsideChoice& choice : request.choices) {
    for (const JobResource& resource : choice.jobspec.resources) {
      add(std::hash<std::string>()(resource.type));
      add(resource.count.min);
    }
  }
  return hash;
}

}  // namespace

ShapeId NodeInterior::Take(const InsideRequest& request) {
  State& state = *state_;
  if (request.choices.empty()) {
    throw std::invalid_argument("the request has no choice");
  }
  const std::size_t hash = HashOfRequest(request);
  const auto [first, last] = state.shape_index.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    State::Shape& known = state.shapes.at(at->second);
    if (!(known.request == request)) continue;
    ++known.uses;
    return at->second;
  }
  ShapeId in_one_domain = kNoShape;
  if (request.by_kubelet && request.choices.size() > 1) {
    InsideRequest one = request;
    one.choices.resize(1);
    in_one_domain = Take(one);
  }
  const ShapeId shape = state.next_shape++;
  if (in_one_domain == kNoShape) in_one_domain = shape;
  state.shapes.emplace(shape, State::Shape{request, 1, in_one_domain});
  state.shape_index.emplace(hash, shape);
  return shape;
}

void NodeInterior::Give(ShapeId shape) {
  State& state = *state_;
  const std::size_t hash = HashOfRequest(state.ShapeOf(shape).request);
  if (--state.shapes.at(shape).uses > 0) return;
  const ShapeId in_one_domain = state.shapes.at(shape).in_one_domain;
  if (in_one_domain != shape) Give(in_one_domain);
  const auto [first, last] = state.shape_index.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (at->second != shape) continue;
    state.shape_index.erase(at);
    break;
  }
  state.shapes.erase(shape);
  for (const auto& structure : state.structures) {
    if (structure) structure->states.ForgetShape(shape);
  }
}

ShapeId NodeInterior::State::ShapeOn(const Node& node, ShapeId shape) const {
  const Shape& known = ShapeOf(shape);
  if (!known.request.by_kubelet) return shape;
  // A node without NUMA domains is one domain to its kubelet.
  if (node.structure == kNoStructure || !structures[node.structure]->has_numa())
    return kNoShape;
  switch (node.kubelet) {
    case TasksOfKubelet::kInFewestDomains:
      return shape;
    case TasksOfKubelet::kInOneDomain:
      return known.in_one_domain;
    case TasksOfKubelet::kAny:
      break;
  }
  return kNoShape;
}

bool NodeInterior::Counts(ShapeId shape) const {
  return state_->kubelets > 0 || !state_->ShapeOf(shape).request.by_kubelet;
}

bool NodeInterior::Knows(ShapeId shape) const {
  return state_->shapes.contains(shape);
}

const InsideRequest& NodeInterior::Of(ShapeId shape) const {
  return state_->ShapeOf(shape).request;
}

bool NodeInterior::State::IsWithout(const InsideWindow& window,
                                    const Hold& hold) {
  return std::ranges::find(window.without, hold.job) != window.without.end();
}

// Returns the state of the node in the window: what its tasks hold then.
StateId NodeInterior::State::StateIn(Node& node, Structure& structure,
                                     const InsideWindow& window) {
  LookAtGiven(node, window.now);
  const std::size_t most = options.state_bytes / std::max(structures_in_use, 1);
  if (structure.states.bytes() > most) {
    structure.states.Clear();
    structure.epoch = ++next_epoch;
  }
  Seen& seen = node.seen;
  const bool now = window.from <= window.now;
  if (!window.without.empty()) seen.state = -1;
  if (seen.state >= 0 && seen.epoch == structure.epoch && seen.now == now &&
      seen.first_from <= window.from && window.from <= seen.last_from &&
      seen.first_end <= window.end && window.end <= seen.last_end) {
    return seen.state;
  }
  seen = Seen{-1, structure.epoch, now, 0, kForever, 0, kForever};
  taken.Clear(structure.structure.size());
  for (const Hold& hold : node.holds) {
    if (IsWithout(window, hold)) continue;
    if (hold.start >= window.end) {
      seen.last_end = std::min(seen.last_end, hold.start);
      continue;
    }
    if (!now && hold.end <= window.from) {
      seen.first_from = std::max(seen.first_from, hold.end);
      continue;
    }
    seen.first_end = std::max(seen.first_end, hold.start + 1);
    if (!now) seen.last_from = std::min(seen.last_from, hold.end - 1);
    taken.InsertAll(parts[hold.parts].mask);
    if (hold.seen >= 0) taken.InsertAll(parts[hold.seen].mask);
  }
  const StateId state = structure.states.Find(taken);
  if (window.without.empty()) seen.state = state;
  return state;
}

StateId NodeInterior::State::After(const Node& node, Structure& structure,
                                   StateId state,
                                   std::span<const TasksBeside> beside) const {
  for (const TasksBeside& tasks : beside) {
    const ShapeId shape = ShapeOn(node, tasks.shape);
    if (shape == kNoShape) continue;
    const InsideRequest& request = ShapeOf(shape).request;
    for (int i = 0; i < tasks.tasks && state >= 0; ++i) {
      state = structure.states.StepFrom(state, shape, request).next;
    }
  }
  return state;
}

int NodeInterior::State::Count(Structure& structure, StateId state,
                               ShapeId shape, int limit) const {
  const InsideRequest& request = ShapeOf(shape).request;
  for (int tasks = 0; tasks < limit; ++tasks) {
    state = structure.states.StepFrom(state, shape, request).next;
    if (state < 0) return tasks;
  }
  return std::max(limit, 0);
}

int NodeInterior::State::FitIn(Node& node, ShapeId shape, int limit,
                               const InsideWindow* window,
                               std::span<const TasksBeside> beside) {
  shape = ShapeOn(node, shape);
  if (shape == kNoShape) return std::max(limit, 0);
  Structure* structure = Of(node);
  if (structure == nullptr) {
    return ShapeOf(shape).request.required ? 0 : std::max(limit, 0);
  }
  StateId state = 0;
  if (window != nullptr) {
    state = StateIn(node, *structure, *window);
  } else {
    taken.Clear(structure->structure.size());
    state = structure->states.Find(taken);
  }
  state = After(node, *structure, state, beside);
  if (state < 0) return 0;
  const int fit = Count(*structure, state, shape, limit);
  return AdmittedOf(node, *structure, shape, fit, window, beside);
}

int NodeInterior::Fit(NodeIndex node, ShapeId shape, int limit,
                      const InsideWindow& window,
                      std::span<const TasksBeside> beside) {
  return state_->FitIn(state_->NodeAt(node), shape, limit, &window, beside);
}

int NodeInterior::FitEmpty(NodeIndex node, ShapeId shape, int limit,
                           std::span<const TasksBeside> beside) {
  return state_->FitIn(state_->NodeAt(node), shape, limit, nullptr, beside);
}

void NodeInterior::State::Hang(NodeIndex node, const Hold& hold) {
  Node& at = nodes[node];
  at.holds.push_back(hold);
  at.seen.state = -1;
  std::vector<Place>& places = jobs[hold.job];
  const auto behind = std::upper_bound(
      places.begin(), places.end(), hold.task,
      [](int task, const Place& place) { return task < place.task; });
  places.insert(behind, Place{hold.task, node});
}

void NodeInterior::State::Drop(NodeIndex node, JobId job, int task) {
  Node& at = nodes[node];
  const auto hold = std::ranges::find_if(at.holds, [&](const Hold& each) {
    return each.job == job && each.task == task;
  });
  Leave(at, *hold);
  *hold = at.holds.back();
  at.holds.pop_back();
  if (at.holds.empty()) at.holds = {};
  at.seen.state = -1;
}

const NodeInterior::State::Hold* NodeInterior::State::Find(
    JobId job, int task, NodeIndex* node) const {
  const auto found = jobs.find(job);
  if (found == jobs.end()) return nullptr;
  const auto place = std::lower_bound(
      found->second.begin(), found->second.end(), task,
      [](const Place& each, int wanted) { return each.task < wanted; });
  if (place == found->second.end() || place->task != task) return nullptr;
  if (node != nullptr) *node = place->node;
  const Node& at = nodes[place->node];
  return &*std::ranges::find_if(at.holds, [&](const Hold& each) {
    return each.job == job && each.task == task;
  });
}

std::optional<std::vector<VertexIndex>> NodeInterior::Book(
    JobId job, int task, NodeIndex node, ShapeId shape,
    const InsideWindow& window) {
  State& state = *state_;
  if (state.Find(job, task) != nullptr) {
    throw std::invalid_argument(
        fmt::format("task {} of job {} holds something already", task, job));
  }
  State::Node& at = state.NodeAt(node);
  shape = state.ShapeOn(at, shape);
  if (shape == kNoShape) return std::vector<VertexIndex>();
  const InsideRequest& request = state.ShapeOf(shape).request;
  State::Structure* structure = state.Of(at);
  if (structure == nullptr) {
    if (request.required) return std::nullopt;
    return std::vector<VertexIndex>();
  }
  const StateId from = state.StateIn(at, *structure, window);
  const InsideStates::Step step =
      structure->states.StepFrom(from, shape, request);
  if (step.next < 0) return std::nullopt;
  const auto& vertices = structure->states.vertices(step);
  const PartsId parts =
      state.parts.Take(at.structure, &structure->structure, vertices);
  state.Hang(node, {job, task, parts, window.from, window.end, request.demand});
  return vertices;
}

bool NodeInterior::Restore(JobId job, int task, NodeIndex node,
                           std::string_view text, Time start, Time end,
                           const KubeletDemand& demand) {
  State& state = *state_;
  if (state.Find(job, task) != nullptr) {
    throw std::invalid_argument(
        fmt::format("task {} of job {} holds something already", task, job));
  }
  State::Node& at = state.NodeAt(node);
  end = std::max(end, start + 1);
  bool free = true;
  const PartsId parts = state.parts.Read(
      at.structure, state.StructureOf(at.structure), text, &free);
  for (const State::Hold& other : at.holds) {
    if (!State::IsOfTask(other)) continue;
    free = free && (other.start >= end || other.end <= start ||
                    !state.Meets(other, state.parts[parts].mask));
  }
  const bool back = state.ComeBack(at, job, parts);
  state.Hang(node, {job, task, parts, start, end, demand, back});
  at.given_anew = at.given != nullptr;
  return free;
}

bool NodeInterior::IsFree(NodeIndex node, std::string_view text,
                          const InsideWindow& window) const {
  State& state = *state_;
  if (node < 0 || static_cast<std::size_t>(node) >= state.nodes.size()) {
    return false;
  }
  State::Node& at = state.nodes[node];
  state.LookAtGiven(at, window.now);
  const NodeStructure* structure = state.StructureOf(at.structure);
  const InsideParts wanted = ReadParts(text, structure);
  if (!wanted.all_known) return false;
  VertexMask mask;
  mask.Clear(structure->size());
  structure->InsertBelow(wanted.vertices, mask);
  const bool now = window.from <= window.now;
  return std::ranges::none_of(at.holds, [&](const State::Hold& hold) {
    return !State::IsWithout(window, hold) && hold.start < window.end &&
           (now || hold.end > window.from) && state.Meets(hold, mask);
  });
}

bool NodeInterior::Release(JobId job, int task) {
  State& state = *state_;
  NodeIndex node = -1;
  if (state.Find(job, task, &node) == nullptr) return false;
  state.Drop(node, job, task);
  std::vector<State::Place>& places = state.jobs.at(job);
  std::erase_if(places,
                [&](const State::Place& place) { return place.task == task; });
  if (places.empty()) state.jobs.erase(job);
  return true;
}

bool NodeInterior::Cancel(JobId job) {
  State& state = *state_;
  const auto found = state.jobs.find(job);
  if (found == state.jobs.end()) return false;
  for (const State::Place& place : found->second) {
    state.Drop(place.node, job, place.task);
  }
  state.jobs.erase(found);
  return true;
}

}  // namespace fluxnetes::matcher
