#include <algorithm>
#include <cassert>

#include "matcher/gangs/node_graph_state.h"

namespace fluxnetes::matcher {

void NodeGraph::SetInside(NodeIndex node, const ResourceGraph& inside) {
  state_->CheckNode(node);
  state_->interior.Set(node, inside);
}

void NodeGraph::UnsetInside(NodeIndex node) {
  state_->CheckNode(node);
  state_->interior.Unset(node);
}

void NodeGraph::SetGivenInside(NodeIndex node, std::vector<GivenInside> given) {
  state_->CheckNode(node);
  state_->interior.SetGiven(node, std::move(given));
}

void NodeGraph::SetAdmitted(NodeIndex node, std::span<const InsideTask> tasks) {
  state_->CheckNode(node);
  state_->interior.SetAdmitted(node, tasks);
}

void NodeGraph::ForgetGivenInside(NodeIndex node) {
  state_->CheckNode(node);
  state_->interior.ForgetGiven(node);
}

void NodeGraph::SetKubelet(NodeIndex node, TasksOfKubelet places) {
  state_->CheckNode(node);
  state_->interior.SetKubelet(node, places);
}

void NodeGraph::TrustPlansInside() { state_->interior.TrustPlans(); }

int NodeGraph::FitInside(NodeIndex node, ShapeId shape, int limit, Time now,
                         std::span<const JobId> without) {
  state_->CheckNode(node);
  return state_->interior.Fit(node, shape, limit, {now, now + 1, now, without});
}

ShapeId NodeGraph::TakeInside(const InsideRequest& request) {
  return state_->interior.Take(request);
}

void NodeGraph::GiveInside(ShapeId shape) { state_->interior.Give(shape); }

const NodeInterior& NodeGraph::interior() const { return state_->interior; }

NodeDevices& NodeGraph::devices() const { return state_->devices; }

std::optional<DeviceObstacle> NodeGraph::ExplainDevices(
    NodeIndex node, const TaskGroup& group, const InsideWindow& window) const {
  state_->CheckNode(node);
  NodeDevices& devices = state_->devices;
  if (devices.Fit(node, group.devices, 1, window) == 0)
    return devices.Explain(node, group.devices, window);
  AlignedTasks& aligned = state_->plan.aligned();
  const AlignedTasks::Task task{group.inside, group.devices};
  if (!aligned.Binds(task) ||
      state_->interior.Fit(node, group.inside, 1, window) == 0 ||
      aligned.Next(node, task, &window, {}))
    return std::nullopt;
  return aligned.Explain(node, task, window);
}

std::optional<DeviceObstacle> NodeGraph::ExplainNoDevices(
    const TaskGroup& group) const {
  AlignedTasks& aligned = state_->plan.aligned();
  const AlignedTasks::Task task{group.inside, group.devices};
  auto never = state_->devices.ExplainNever(group.devices);
  if (never || !aligned.Binds(task)) return never;
  return aligned.ExplainNever(task);
}

// In the order in which the plan placed the tasks: what a task takes depends on
// those before it.
void NodeGraph::State::BookInside(JobId id, int first, Placement& placement,
                                  Time end) {
  struct Place {
    const Run* run;
    int task;
  };
  std::vector<Place> places;
  int tasks = 0;
  for (const Run& run : plan.runs()) {
    if (plan.pool(run.group) >= 0) break;
    if (run.takes != AlignedTasks::Task{}) places.push_back({&run, tasks});
    tasks += run.tasks;
  }
  std::ranges::sort(places, {},
                    [](const Place& place) { return place.run->order; });
  if (plan.LooksInside()) placement.parts.resize(tasks);
  if (plan.LooksAtDevices()) placement.devices.resize(tasks);
  const InsideWindow window{placement.start, end, nodes.now()};
  for (const Place& place : places) {
    for (int t = place.task; t < place.task + place.run->tasks; ++t)
      BookInside(id, first, *place.run, t, placement, window);
  }
}

void NodeGraph::State::BookInside(JobId id, int first, const Run& run, int task,
                                  Placement& placement,
                                  const InsideWindow& window) {
  [[maybe_unused]] bool booked = true;
  if (const ShapeId shape = run.takes.inside; shape != kNoShape) {
    booked =
        interior.Book(id, first + task, run.node, shape, window).has_value();
    placement.parts[task] = interior.PartsOf(id, first + task);
  }
  assert(booked);
  if (const DevicesId asked = run.takes.devices; asked != kNoDevices) {
    booked = devices.Book(id, first + task, run.node, asked, window);
    placement.devices[task] = devices.DevicesOf(id, first + task);
  }
  assert(booked);
}

}  // namespace fluxnetes::matcher
