#include "workers/simulation/trace_scenario.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "workers/simulation/scenario_parts.h"

namespace fluxnetes::workers {
namespace {

// The shape for a number of processors, computed once for each number.
class TraceShapes {
 public:
  TraceShapes(ScenarioParts& parts, std::int64_t cpus)
      : parts_(parts), cpus_(cpus) {}

  int Of(std::int64_t processors) {
    const auto known = shapes_.find(processors);
    if (known != shapes_.end()) return known->second;
    std::vector<int> pods;
    if (processors >= cpus_)
      pods.assign(static_cast<std::size_t>(processors / cpus_), Pod(cpus_));
    if (processors % cpus_ > 0) pods.push_back(Pod(processors % cpus_));
    return shapes_[processors] = parts_.Shape(pods);
  }

 private:
  int Pod(std::int64_t cpus) {
    cluster::PodRequest request;
    request.resources.cpu_milli = 1'000 * cpus;
    request.resources.pods = 1;
    return parts_.Request(request);
  }

  ScenarioParts& parts_;
  const std::int64_t cpus_;
  std::unordered_map<std::int64_t, int> shapes_;
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
  ScenarioParts parts(scenario);
  TraceShapes shapes(parts, cpus);
  scenario.groups.reserve(jobs.size());
  for (const cluster::SwfJob& job : jobs) {
    Scenario::Group group;
    group.name = std::to_string(job.number);
    group.submit = job.submit;
    group.duration = job.requested;
    group.runs = job.runs;
    group.shape = shapes.Of(job.processors);
    group.user =
        parts.User(job.user < 0 ? "unknown" : std::to_string(job.user));
    scenario.groups.push_back(std::move(group));
  }
  return scenario;
}

}  // namespace fluxnetes::workers
