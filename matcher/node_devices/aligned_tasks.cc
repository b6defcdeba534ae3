#include "matcher/node_devices/aligned_tasks.h"

#include <algorithm>

namespace fluxnetes::matcher {

bool AlignedTasks::Binds(const Task& task) const {
  if (task.inside == kNoShape || task.devices == kNoDevices) return false;
  const Align align = interior_.Of(task.inside).align;
  return align == Align::kNuma || align == Align::kSocket;
}

AlignedTasks::Task AlignedTasks::WayIn(const Task& task,
                                       const InsideDomain& domain) {
  const auto [at, added] = ways_.try_emplace({task, domain.path, domain.numa});
  if (!added) return at->second;
  // Its first choice is the one in one domain.
  InsideRequest inside = interior_.Of(task.inside);
  inside.choices.resize(1);
  inside.required = true;
  inside.within = domain.path;
  at->second = {interior_.Take(inside),
                devices_.TakeWithin(devices_.Of(task.devices), domain.numa)};
  return at->second;
}

bool AlignedTasks::HasDevices(NodeIndex node, const Task& way,
                              const InsideWindow* window,
                              const Beside& beside) {
  return (window == nullptr
              ? devices_.FitEmpty(node, way.devices, 1, beside.devices)
              : devices_.Fit(node, way.devices, 1, *window, beside.devices)) >
         0;
}

bool AlignedTasks::Fits(NodeIndex node, const Task& way,
                        const InsideWindow* window, const Beside& beside) {
  const int inside =
      window == nullptr
          ? interior_.FitEmpty(node, way.inside, 1, beside.inside)
          : interior_.Fit(node, way.inside, 1, *window, beside.inside);
  return inside > 0 && HasDevices(node, way, window, beside);
}

std::optional<AlignedTasks::Task> AlignedTasks::Next(NodeIndex node,
                                                     const Task& task,
                                                     const InsideWindow* window,
                                                     const Beside& beside) {
  const InsideRequest& request = interior_.Of(task.inside);
  for (const InsideDomain& domain : interior_.DomainsOf(node, request.align)) {
    const Task way = WayIn(task, domain);
    if (Fits(node, way, window, beside)) return way;
  }
  if (request.required || !Fits(node, task, window, beside))
    return std::nullopt;
  return task;
}

DevicesId AlignedTasks::InAnyDomain(const Task& task) {
  const auto [at, added] = ways_.try_emplace({task, "", {}});
  if (added) {
    at->second.devices = devices_.TakeWithin(devices_.Of(task.devices), {});
  }
  return at->second.devices;
}

DeviceObstacle AlignedTasks::Explain(NodeIndex node, const Task& task,
                                     const InsideWindow& window) {
  const DevicesId somewhere = InAnyDomain(task);
  if (devices_.Fit(node, somewhere, 1, window) == 0)
    return devices_.Explain(node, somewhere, window);
  const Align align = interior_.Of(task.inside).align;
  const auto& domains = interior_.DomainsOf(node, align);
  if (domains.empty())
    return {"", "", "it is not known which NUMA domains are in its sockets"};
  const bool has =
      std::ranges::any_of(domains, [&](const InsideDomain& domain) {
        return HasDevices(node, WayIn(task, domain), &window, {});
      });
  if (has)
    return {"", "", "where its devices are free, its cpus and memory are not"};
  return devices_.Explain(node, WayIn(task, domains.front()).devices, window);
}

std::optional<DeviceObstacle> AlignedTasks::ExplainNever(const Task& task) {
  return devices_.ExplainNever(InAnyDomain(task));
}

void AlignedTasks::Sweep() {
  if (ways_.size() < sweep_at_) return;
  std::erase_if(ways_, [&](const auto& item) {
    const Task& task = std::get<Task>(item.first);
    if (interior_.Knows(task.inside) && devices_.Knows(task.devices))
      return false;
    if (item.second.inside != kNoShape) interior_.Give(item.second.inside);
    devices_.Give(item.second.devices);
    return true;
  });
  sweep_at_ = std::max<std::size_t>(1'024, 2 * ways_.size());
}

}  // namespace fluxnetes::matcher
