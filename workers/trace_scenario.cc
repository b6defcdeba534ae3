#include "workers/trace_scenario.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace fluxnetes::workers {
namespace {

// Shapes and users, each once.
class TraceNumbers {
 public:
  TraceNumbers(Scenario& scenario, std::int64_t cpus)
      : scenario_(scenario), cpus_(cpus) {}

  int Shape(std::int64_t processors) {
    const auto [known, added] = shapes_.try_emplace(
        processors, static_cast<int>(scenario_.shapes.size()));
    if (added) {
      std::vector<Scenario::Pods> pods;
      if (processors >= cpus_)
        pods.push_back({Request(cpus_), static_cast<int>(processors / cpus_)});
      if (processors % cpus_ > 0) pods.push_back({Request(processors % cpus_)});
      scenario_.shapes.push_back(std::move(pods));
    }
    return known->second;
  }

  int User(std::int32_t number) {
    const auto [known, added] =
        users_.try_emplace(number, static_cast<int>(scenario_.users.size()));
    if (added)
      scenario_.users.push_back(number < 0 ? "unknown"
                                           : std::to_string(number));
    return known->second;
  }

 private:
  int Request(std::int64_t cpus) {
    const auto [known, added] = requests_.try_emplace(
        cpus, static_cast<int>(scenario_.requests.size()));
    if (added) {
      cluster::PodRequest request;
      request.resources.cpu_milli = 1'000 * cpus;
      request.resources.pods = 1;
      scenario_.requests.push_back({request});
    }
    return known->second;
  }

  Scenario& scenario_;
  const std::int64_t cpus_;
  std::map<std::int64_t, int> shapes_;  // by processors
  std::map<std::int64_t, int> requests_;
  std::map<std::int32_t, int> users_;
};

}  // namespace

std::vector<cluster::Node> NodesOfCpus(std::int64_t count, std::int64_t cpus) {
  std::vector<cluster::Node> nodes;
  nodes.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    cluster::Node node;
    node.name = "node" + std::to_string(i);
    node.allocatable.cpu_milli = 1'000 * cpus;
    node.allocatable.pods = std::max(cpus, cluster::kDefaultPods);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Scenario ScenarioOf(const std::vector<cluster::SwfJob>& jobs,
                    std::vector<cluster::Node> nodes, std::int64_t cpus,
                    const QueueSettings& queue) {
  if (cpus < 1) throw std::invalid_argument("pods of no cpu");
  Scenario scenario;
  scenario.nodes = std::move(nodes);
  scenario.queues = {queue};
  TraceNumbers numbers(scenario, cpus);
  scenario.groups.reserve(jobs.size());
  for (const cluster::SwfJob& job : jobs) {
    Scenario::Group group;
    group.name = std::to_string(job.number);
    group.submit = job.submit;
    group.duration = job.requested;
    group.runs = job.runs;
    group.shape = numbers.Shape(job.processors);
    group.user = numbers.User(job.user);
    scenario.groups.push_back(std::move(group));
  }
  return scenario;
}

}  // namespace fluxnetes::workers
