// Tasks that are to have all in one domain of their node, what they take inside
// of it and the devices of their claims: one NUMA domain, or one socket. Such a
// task has a *way* for each domain of the node: what it takes there, as
// requests of NodeInterior and of NodeDevices that can be met in this domain
// alone. The first domain counts in which both can be had.
//
//   numa0   4 cores free   GPUs taken     -
//   numa1   4 cores free   2 GPUs free    the way of a task of 4 cores, 1 GPU
//
// Which NUMA domain a device belongs to its driver says (WithinNuma() in
// node_devices.h); a device that does not say it is in none.
//
// Owned by one thread.
// Tests: tests/matcher/node_devices/aligned_tasks_test.cc,
// tests/matcher/gangs/gang_aligned_test.cc.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "matcher/inside/node_interior.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {

class AlignedTasks {
 public:
  struct Task {
    ShapeId inside = kNoShape;
    DevicesId devices = kNoDevices;
    auto operator<=>(const Task&) const = default;
  };
  // Tasks that are planned and not booked yet.
  struct Beside {
    std::vector<TasksBeside> inside;
    std::vector<DevicesBeside> devices;
  };

  AlignedTasks(NodeInterior& interior, NodeDevices& devices)
      : interior_(interior), devices_(devices) {}

  // True if all of the task is to be in one domain.
  bool Binds(const Task& task) const;
  // The way of one more task on the node, beside these; nothing: it does not
  // fit. `window`: null if nothing were held.
  std::optional<Task> Next(NodeIndex node, const Task& task,
                           const InsideWindow* window, const Beside& beside);

  // Why a task has no way on the node, though it would fit there if it were not
  // to be in one domain.
  DeviceObstacle Explain(NodeIndex node, const Task& task,
                         const InsideWindow& window);
  // Why it has none on any node: no device of a request says where it is.
  std::optional<DeviceObstacle> ExplainNever(const Task& task);

  // Gives back the ways of tasks that nobody asks for any more, if there are
  // many. No plan may use them.
  void Sweep();

 private:
  using Key = std::tuple<Task, std::string, std::vector<std::int64_t>>;

  Task WayIn(const Task& task, const InsideDomain& domain);
  bool Fits(NodeIndex node, const Task& way, const InsideWindow* window,
            const Beside& beside);
  bool HasDevices(NodeIndex node, const Task& way, const InsideWindow* window,
                  const Beside& beside);
  DevicesId InAnyDomain(const Task& task);

  NodeInterior& interior_;
  NodeDevices& devices_;
  std::map<Key, Task> ways_;
  std::size_t sweep_at_ = 1'024;
};

}  // namespace fluxnetes::matcher
