#include "workers/graph/unschedulable_shapes.h"

#include <algorithm>

namespace fluxnetes::workers {
namespace {

// More are seldom worth a look at each.
constexpr std::size_t kMostShapes = 64;

}  // namespace

void UnschedulableShapes::ForgetIfGivenBack() {
  if (releases_ == graph_.Releases()) return;
  releases_ = graph_.Releases();
  unschedulable_.clear();
}

bool UnschedulableShapes::Covers(const UnschedulableShape& shape,
                                 const matcher::TaskGroup& task,
                                 matcher::Time duration) {
  const auto& less = shape.task.amounts;
  if (task.count < shape.task.count || duration < shape.duration ||
      task.eligible != shape.task.eligible || task.rules != shape.task.rules)
    return false;
  // What lacked amounts alone lacks them with any inside.
  if (shape.task.inside != matcher::kNoShape &&
      shape.task.inside != task.inside)
    return false;
  for (std::size_t r = 0; r < less.size(); ++r) {
    if (less[r] > (r < task.amounts.size() ? task.amounts[r] : 0)) return false;
  }
  return true;
}

void UnschedulableShapes::Note(const matcher::Gang& gang) {
  if (gang.groups.size() != 1 || !gang.together.empty()) return;
  // Its own nodes may be open to the gang alone, and others closed to it alone.
  if (gang.whole_nodes || gang.aside) return;
  if (!gang.levels.empty() || gang.per_node.tasks > 0) return;
  if (!gang.pools.empty()) return;  // its task may fit
  const matcher::TaskGroup& task = gang.groups.front();
  if (graph_.LooksAtTasks(task.rules)) return;
  ForgetIfGivenBack();
  std::erase_if(unschedulable_, [&](const UnschedulableShape& shape) {
    return Covers({task, gang.duration}, shape.task, shape.duration);
  });
  if (unschedulable_.size() < kMostShapes)
    unschedulable_.push_back({task, gang.duration});
}

bool UnschedulableShapes::Cover(const matcher::Gang& gang) {
  ForgetIfGivenBack();
  if (unschedulable_.empty() || gang.whole_nodes || gang.aside) return false;
  return std::ranges::any_of(gang.groups, [&](const matcher::TaskGroup& task) {
    return std::ranges::any_of(unschedulable_,
                               [&](const UnschedulableShape& shape) {
                                 return Covers(shape, task, gang.duration);
                               });
  });
}

}  // namespace fluxnetes::workers
