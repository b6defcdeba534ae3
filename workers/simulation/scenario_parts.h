// Collects the parts that groups of a scenario share, each once: requests,
// shapes, users, labels of accounts, and the queues by name. It fills scenarios
// from traces, manifests or a database.
//
// Owned by one thread.
// Tests: tests/workers/simulation/simulation_test.cc,
// tests/services/simulate/simulate_manifests_test.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

class ScenarioParts {
 public:
  // Adds parts to `scenario`, which must outlive this object and must get parts
  // from no other source meanwhile.
  explicit ScenarioParts(Scenario& scenario);

  int Request(const cluster::PodRequest& request,
              const std::string& namespace_name = "default",
              const cluster::PodLabels& labels = {});
  // `requests`: the request of each pod, in any order.
  int Shape(const std::vector<int>& requests);
  int User(const std::string& name);
  // Returns -1 for an empty name.
  int Label(const std::string& name);
  // Returns nothing if there is no such queue.
  std::optional<int> Queue(const std::string& name) const;

 private:
  static int Place(const std::string& name, std::map<std::string, int>& known,
                   std::vector<std::string>& names);

  Scenario& scenario_;
  std::map<std::string, int> requests_;  // by all distinguishing fields
  std::map<std::vector<Scenario::Pods>, int> shapes_;
  std::map<std::string, int> users_;
  std::map<std::string, int> labels_;
};

}  // namespace fluxnetes::workers
