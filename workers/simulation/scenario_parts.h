// What groups of a scenario are made of, each once: requests, shapes, users,
// labels of accounts, and the queues by name. For those who fill a scenario
// from traces, manifests or a database, one after the other.
//
// Owned by one thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

class ScenarioParts {
 public:
  // Parts are added to `scenario`, which must outlive this and which nobody
  // else adds parts to meanwhile.
  explicit ScenarioParts(Scenario& scenario);

  int Request(const cluster::PodRequest& request,
              const std::string& namespace_name = "default",
              const cluster::PodLabels& labels = {});
  // `requests`: of each pod. They are counted in order of their numbers.
  int Shape(const std::vector<int>& requests);
  int User(const std::string& name);
  // Of an empty one: -1.
  int Label(const std::string& name);
  // Nothing: there is no such queue.
  std::optional<int> Queue(const std::string& name) const;

 private:
  static int Place(const std::string& name, std::map<std::string, int>& known,
                   std::vector<std::string>& names);

  Scenario& scenario_;
  std::map<std::string, int> requests_;  // by all that tells them apart
  std::map<std::vector<Scenario::Pods>, int> shapes_;
  std::map<std::string, int> users_;
  std::map<std::string, int> labels_;
};

}  // namespace fluxnetes::workers
