// The number of tasks that fit into free amounts, ignoring rules. Resources not
// listed count as 0, negative amounts as none. Results do not exceed the task's
// own count.
//
// Pure.
#pragma once

#include <algorithm>
#include <cstdint>

#include "matcher/gangs/gang.h"
#include "workers/accounts/quotas.h"

namespace fluxnetes::workers {

inline void AddHeld(Amounts& sum, const Amounts& amounts) {
  if (sum.size() < amounts.size()) sum.resize(amounts.size());
  for (std::size_t r = 0; r < amounts.size(); ++r) sum[r] += amounts[r];
}

// The number of such tasks that fit into `room`.
inline std::int64_t TasksIn(const Amounts& room,
                            const matcher::TaskGroup& task) {
  std::int64_t tasks = task.count;
  for (std::size_t r = 0; r < task.amounts.size(); ++r) {
    if (task.amounts[r] == 0) continue;
    const std::int64_t there = r < room.size() ? room[r] : 0;
    tasks = std::min(tasks, std::max<std::int64_t>(there, 0) / task.amounts[r]);
  }
  return tasks;
}

// The same including fractions of a task.
inline double PartOf(const Amounts& room, const matcher::TaskGroup& task) {
  double part = task.count;
  for (std::size_t r = 0; r < task.amounts.size(); ++r) {
    if (task.amounts[r] == 0) continue;
    const std::int64_t there = r < room.size() ? room[r] : 0;
    part =
        std::min(part, static_cast<double>(std::max<std::int64_t>(there, 0)) /
                           static_cast<double>(task.amounts[r]));
  }
  return part;
}

}  // namespace fluxnetes::workers
