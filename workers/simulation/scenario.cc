#include "workers/simulation/scenario.h"

#include <stdexcept>

namespace fluxnetes::workers {

void Check(const Scenario& scenario) {
  const auto inside = [](int index, const auto& list) {
    return index >= 0 && static_cast<std::size_t>(index) < list.size();
  };
  for (const auto& shape : scenario.shapes) {
    if (shape.empty()) throw std::invalid_argument("a shape without pods");
    for (const Scenario::Pods& pods : shape) {
      if (pods.count < 1 || !inside(pods.request, scenario.requests))
        throw std::invalid_argument("a shape of pods that are not there");
    }
  }
  for (const Scenario::Group& group : scenario.groups) {
    if (!inside(group.shape, scenario.shapes) ||
        !inside(group.queue, scenario.queues) ||
        !inside(group.user, scenario.users) ||
        (group.label >= 0 && !inside(group.label, scenario.labels)))
      throw std::invalid_argument(group.name +
                                  ": no such shape, queue, user or label");
    if (group.after >= 0 && !inside(group.after, scenario.groups))
      throw std::invalid_argument(group.name + ": comes after nobody");
    if (group.grows >= 0 && !inside(group.grows, scenario.groups))
      throw std::invalid_argument(group.name + ": grows nobody");
    if (group.runs.value_or(0) < 0 || group.duration.value_or(0) < 0 ||
        group.grace < 0)
      throw std::invalid_argument(group.name + ": a time below 0 s");
  }
  for (const Scenario::Running& running : scenario.running) {
    if (!inside(running.group, scenario.groups))
      throw std::invalid_argument("a running group that is not there");
    if (!running.parts.empty() && running.parts.size() != running.nodes.size())
      throw std::invalid_argument("a running group without parts of each pod");
  }
  for (const Scenario::Promised& promised : scenario.promised) {
    if (!inside(promised.group, scenario.groups))
      throw std::invalid_argument(
          "a reservation for a group that is not there");
  }
}

}  // namespace fluxnetes::workers
