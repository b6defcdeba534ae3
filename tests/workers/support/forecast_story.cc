#include "tests/workers/support/forecast_story.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "cluster/json/request_json.h"

namespace fluxnetes::workers {
namespace {

cluster::Time At(std::int64_t seconds) {
  return cluster::Time(std::chrono::seconds(seconds));
}

std::vector<const cluster::PodRequest*> RequestsOf(
    const Scenario& scenario, const Scenario::Group& group,
    ComponentSnapshot& snapshot) {
  std::vector<const cluster::PodRequest*> requests;
  for (const auto& pods : scenario.shapes[group.shape]) {
    const auto* request = snapshot.requests->Of(
        cluster::ToJson(scenario.requests[pods.request].request));
    requests.insert(requests.end(), pods.count, request);
  }
  return requests;
}

}  // namespace

void Show(const std::vector<cluster::Node>& nodes,
          const std::vector<cluster::Pod>& pods, cluster::ClusterCache& cache) {
  using Kind = cluster::WatchEvent::Kind;
  std::vector<cluster::WatchEvent> events{{Kind::kListBegin, {}}};
  int version = 0;
  for (cluster::Node node : nodes) {
    node.resource_version = std::to_string(++version);
    events.push_back({Kind::kChanged,
                      std::make_shared<const cluster::Node>(std::move(node))});
  }
  for (cluster::Pod pod : pods) {
    pod.resource_version = std::to_string(++version);
    events.push_back(
        {Kind::kChanged, std::make_shared<const cluster::Pod>(std::move(pod))});
  }
  events.push_back({Kind::kListEnd, {}});
  cache.Apply(events);
}

ComponentSnapshot SnapshotOf(const Scenario& scenario) {
  ComponentSnapshot snapshot;
  snapshot.queues = scenario.queues;
  snapshot.pools = scenario.pools;
  snapshot.pools_elsewhere = scenario.pools_elsewhere;
  for (const cluster::Node& node : scenario.nodes)
    snapshot.nodes.push_back(node.name);
  std::set<int> running;
  for (const Scenario::Running& run : scenario.running) {
    running.insert(run.group);
    const Scenario::Group& group = scenario.groups[run.group];
    auto& holder = snapshot.holders[run.group + 1];
    holder.name = "default/" + group.name;
    Held& held = holder.held;
    held.group = run.group + 1;
    held.start = run.start;
    if (group.duration) held.end = run.start + *group.duration;
    held.queue = scenario.queues[group.queue].name;
    int number = 0;
    for (const auto* request : RequestsOf(scenario, group, snapshot)) {
      held.members.push_back({group.name + "." + std::to_string(number),
                              run.nodes[number], request});
      if (request->rules.Any()) held.pools = request->rules->topology.pools;
      ++number;
    }
  }
  for (int i = 0; i < std::ssize(scenario.groups); ++i) {
    if (running.contains(i)) continue;
    const Scenario::Group& group = scenario.groups[i];
    PendingGroup& waiting = snapshot.waiting[i + 1];
    waiting.id = i + 1;
    waiting.namespace_name = "default";
    waiting.name = group.name;
    waiting.queue = scenario.queues[group.queue].name;
    waiting.priority = group.priority;
    waiting.first_in_line = group.first_in_line;
    waiting.submitted_at = At(group.submit);
    waiting.duration = group.duration;
    int number = 0;
    for (const auto* request : RequestsOf(scenario, group, snapshot))
      waiting.members.push_back(
          {group.name + "." + std::to_string(number++), request});
  }
  return snapshot;
}

Scenario OnTheseNodes(const std::vector<std::int64_t>& cpus,
                      QueuePolicy policy) {
  Scenario scenario = OnNodes(cpus, policy);
  scenario.begin = 1'000;
  return scenario;
}

GroupId AddWaiting(Scenario& scenario, int pods, std::int64_t cpu,
                   std::optional<std::int64_t> duration) {
  Scenario::Group& group = AddGroup(
      scenario, pods, cpu, {std::ssize(scenario.groups), duration, duration});
  group.name = "g" + group.name;
  return std::ssize(scenario.groups);
}

GroupId AddRunning(Scenario& scenario, const std::vector<std::string>& nodes,
                   std::int64_t cpu, std::optional<std::int64_t> duration) {
  const GroupId group =
      AddWaiting(scenario, static_cast<int>(nodes.size()), cpu, duration);
  scenario.running.push_back({static_cast<int>(group - 1), 900, nodes});
  return group;
}

Forecast ForecastOf(const Scenario& scenario, ComponentSnapshot snapshot,
                    const std::vector<cluster::Pod>& pods, int depth) {
  cluster::ClusterCache cache;
  Show(scenario.nodes, pods, cache);
  Lookahead ahead(std::make_shared<ComponentSnapshot>(std::move(snapshot)),
                  cache, scenario.begin, depth);
  EXPECT_TRUE(ahead.Go(std::chrono::minutes(10)));
  return ahead.Say();
}

Forecast ForecastOf(const Scenario& scenario, int depth,
                    const std::vector<cluster::Pod>& pods) {
  return ForecastOf(scenario, SnapshotOf(scenario), pods, depth);
}

Estimate EstimateOf(const Forecast& forecast, GroupId group) {
  for (const Estimate& estimate : forecast.estimates)
    if (estimate.group == group) return estimate;
  ADD_FAILURE() << "nothing is said of group " << group;
  return {};
}

Starts ExactStarts(const Forecast& forecast) {
  Starts starts;
  for (const Estimate& estimate : forecast.estimates) {
    if (estimate.start && !estimate.approximate)
      starts[estimate.group] = *estimate.start;
  }
  return starts;
}

Starts SimulatedStarts(const Scenario& scenario) {
  const Course course = Simulate(scenario);
  std::set<int> running;
  for (const auto& run : scenario.running) running.insert(run.group);
  Starts starts;
  for (int i = 0; i < std::ssize(course.groups); ++i) {
    if (course.groups[i].start >= 0 && !running.contains(i))
      starts[i + 1] = course.groups[i].start;
  }
  return starts;
}

}  // namespace fluxnetes::workers
