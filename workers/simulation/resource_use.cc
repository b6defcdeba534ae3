#include "workers/simulation/resource_use.h"

#include <algorithm>
#include <set>

namespace fluxnetes::workers {
namespace {

void AddNames(const cluster::Resources& resources,
              std::set<std::string>& names) {
  for (const char* const name : {"cpu", "memory", "ephemeral-storage", "pods"})
    if (AmountOf(resources, name) > 0) names.insert(name);
  for (const auto& [name, amount] : resources.extended)
    if (amount > 0) names.insert(name);
}

}  // namespace

std::int64_t AmountOf(const cluster::Resources& resources,
                      const std::string& name) {
  if (name == "cpu") return resources.cpu_milli;
  if (name == "memory") return resources.memory_bytes;
  if (name == "ephemeral-storage") return resources.ephemeral_bytes;
  if (name == "pods") return resources.pods;
  return resources.Extended(name);
}

std::vector<std::string> ResourcesAsked(const Scenario& scenario) {
  std::set<std::string> asked;
  for (const Scenario::Request& each : scenario.requests)
    AddNames(each.request.resources, asked);
  std::set<std::string> there;
  for (const cluster::Node& node : scenario.nodes)
    AddNames(node.allocatable, there);
  std::vector<std::string> names;
  std::ranges::set_intersection(asked, there, std::back_inserter(names));
  // Not of std::ranges: clang 14 does not compile that one's result.
  std::stable_partition(names.begin(), names.end(),
                        [](const std::string& name) { return name == "cpu"; });
  return names;
}

double AmountOfNodes(const std::vector<cluster::Node>& nodes,
                     const std::string& resource) {
  double sum = 0;
  for (const cluster::Node& node : nodes)
    sum += static_cast<double>(AmountOf(node.allocatable, resource));
  return sum;
}

std::vector<double> AmountOfShapes(const Scenario& scenario,
                                   const std::string& resource) {
  std::vector<double> sums;
  sums.reserve(scenario.shapes.size());
  for (const auto& shape : scenario.shapes) {
    double sum = 0;
    for (const Scenario::Pods& pods : shape) {
      const Scenario::Request& request =
          scenario.requests[static_cast<std::size_t>(pods.request)];
      sum += pods.count *
             static_cast<double>(AmountOf(request.request.resources, resource));
    }
    sums.push_back(sum);
  }
  return sums;
}

std::int64_t CpuOf(const std::vector<cluster::Node>& nodes) {
  std::int64_t sum = 0;
  for (const cluster::Node& node : nodes) sum += node.allocatable.cpu_milli;
  return sum;
}

}  // namespace fluxnetes::workers
