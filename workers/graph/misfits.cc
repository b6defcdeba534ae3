#include "workers/graph/misfits.h"

#include <algorithm>

namespace fluxnetes::workers {
namespace {

// More are seldom worth a look at each.
constexpr std::size_t kMostMisfits = 64;

}  // namespace

void Misfits::ForgetIfGivenBack() {
  if (releases_ == graph_.Releases()) return;
  releases_ = graph_.Releases();
  misfits_.clear();
}

bool Misfits::Covers(const Misfit& misfit, const matcher::TaskGroup& task,
                     matcher::Time duration) {
  const auto& less = misfit.task.amounts;
  if (task.count < misfit.task.count || duration < misfit.duration ||
      task.eligible != misfit.task.eligible || task.rules != misfit.task.rules)
    return false;
  // What lacked amounts alone lacks them with any inside.
  if (misfit.task.inside != matcher::kNoShape &&
      misfit.task.inside != task.inside)
    return false;
  for (std::size_t r = 0; r < less.size(); ++r) {
    if (less[r] > (r < task.amounts.size() ? task.amounts[r] : 0)) return false;
  }
  return true;
}

void Misfits::Note(const matcher::Gang& gang) {
  if (gang.groups.size() != 1 || !gang.together.empty()) return;
  // Its own nodes may be open to the gang alone, and others closed to it alone.
  if (gang.whole_nodes || gang.aside) return;
  if (!gang.levels.empty() || gang.per_node.tasks > 0) return;
  if (!gang.pools.empty()) return;  // its task may fit
  const matcher::TaskGroup& task = gang.groups.front();
  if (graph_.LooksAtTasks(task.rules)) return;
  ForgetIfGivenBack();
  std::erase_if(misfits_, [&](const Misfit& misfit) {
    return Covers({task, gang.duration}, misfit.task, misfit.duration);
  });
  if (misfits_.size() < kMostMisfits) misfits_.push_back({task, gang.duration});
}

bool Misfits::Cover(const matcher::Gang& gang) {
  ForgetIfGivenBack();
  if (misfits_.empty() || gang.whole_nodes || gang.aside) return false;
  return std::ranges::any_of(gang.groups, [&](const matcher::TaskGroup& task) {
    return std::ranges::any_of(misfits_, [&](const Misfit& misfit) {
      return Covers(misfit, task, gang.duration);
    });
  });
}

}  // namespace fluxnetes::workers
