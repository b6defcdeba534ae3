#include "workers/simulation/scenario_parts.h"

#include <algorithm>
#include <utility>

#include "cluster/json/request_json.h"

namespace fluxnetes::workers {
namespace {

std::string NameOf(const Scenario::Request& request) {
  std::string all =
      cluster::ToJson(request.request) + "\n" + request.namespace_name;
  for (const auto& [key, value] : request.labels)
    all.append("\n").append(key).append("=").append(value);
  return all;
}

}  // namespace

ScenarioParts::ScenarioParts(Scenario& scenario) : scenario_(scenario) {
  for (std::size_t i = 0; i < scenario.requests.size(); ++i)
    requests_.emplace(NameOf(scenario.requests[i]), static_cast<int>(i));
  for (std::size_t i = 0; i < scenario.shapes.size(); ++i)
    shapes_.emplace(scenario.shapes[i], static_cast<int>(i));
  for (std::size_t i = 0; i < scenario.users.size(); ++i)
    users_.emplace(scenario.users[i], static_cast<int>(i));
  for (std::size_t i = 0; i < scenario.labels.size(); ++i)
    labels_.emplace(scenario.labels[i], static_cast<int>(i));
}

int ScenarioParts::Request(const cluster::PodRequest& request,
                           const std::string& namespace_name,
                           const cluster::PodLabels& labels) {
  Scenario::Request made{request, namespace_name, labels};
  const auto [known, added] = requests_.try_emplace(
      NameOf(made), static_cast<int>(scenario_.requests.size()));
  if (added) scenario_.requests.push_back(std::move(made));
  return known->second;
}

int ScenarioParts::Shape(const std::vector<int>& requests) {
  std::map<int, int> counts;
  for (const int request : requests) ++counts[request];
  std::vector<Scenario::Pods> pods;
  for (const auto& [request, count] : counts) pods.push_back({request, count});
  const auto [known, added] =
      shapes_.try_emplace(pods, static_cast<int>(scenario_.shapes.size()));
  if (added) scenario_.shapes.push_back(std::move(pods));
  return known->second;
}

int ScenarioParts::User(const std::string& name) {
  return Place(name, users_, scenario_.users);
}

int ScenarioParts::Label(const std::string& name) {
  return name.empty() ? -1 : Place(name, labels_, scenario_.labels);
}

std::optional<int> ScenarioParts::Queue(const std::string& name) const {
  const auto found =
      std::ranges::find(scenario_.queues, name, &QueueSettings::name);
  if (found == scenario_.queues.end()) return std::nullopt;
  return static_cast<int>(found - scenario_.queues.begin());
}

int ScenarioParts::Place(const std::string& name,
                         std::map<std::string, int>& known,
                         std::vector<std::string>& names) {
  const auto [place, added] =
      known.try_emplace(name, static_cast<int>(names.size()));
  if (added) names.push_back(name);
  return place->second;
}

}  // namespace fluxnetes::workers
