// Scenarios written by hand.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::workers {

// Nodes with these numbers of cpus, and no group yet.
inline Scenario OnNodes(const std::vector<std::int64_t>& cpus,
                        QueuePolicy policy = QueuePolicy::kEasy) {
  Scenario scenario;
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    scenario.nodes.push_back(NodesOfCpus(1, cpus[i]).front());
    scenario.nodes.back().name = "node" + std::to_string(i);
  }
  scenario.queues = {{.queue_policy = policy}};
  scenario.users = {"somebody"};
  return scenario;
}

struct Times {
  std::int64_t submit = 0;
  std::optional<std::int64_t> duration = {};
  std::optional<std::int64_t> runs = {};
};

inline Scenario::Group& AddGroup(Scenario& scenario, int pods, std::int64_t cpu,
                                 const Times& times) {
  cluster::PodRequest request;
  request.resources.cpu_milli = 1'000 * cpu;
  request.resources.pods = 1;
  scenario.requests.push_back({request});
  scenario.shapes.push_back(
      {{static_cast<int>(scenario.requests.size()) - 1, pods}});
  Scenario::Group group;
  group.name = std::to_string(scenario.groups.size() + 1);
  group.submit = times.submit;
  group.duration = times.duration;
  group.runs = times.runs;
  group.shape = static_cast<int>(scenario.shapes.size()) - 1;
  scenario.groups.push_back(group);
  return scenario.groups.back();
}

}  // namespace fluxnetes::workers
