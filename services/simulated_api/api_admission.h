// What an API server decides about a new Pod or Job beside its fields: unknown
// fields, as the request asks, and the priority of its class. (Kubernetes: "API
// Concepts", field validation; "Pod Priority and Preemption".)
//
// The simulated cluster has the two priority classes that every cluster has. Of
// another class it takes the value that the object gives as spec.priority.
// Tests: tests/services/simulated_api/api_admission_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "services/http/http_server.h"

namespace fluxnetes::services {

struct Admission {
  int refused = 0;  // the status of the answer; 0: admitted
  std::string why;
  std::vector<std::string> warnings;  // the first 20 of each kind
};

// Sets the priority of the object's class in it. `object` has a kind and a
// name.
Admission Admit(nlohmann::json& object, const HttpQuestion& question);

}  // namespace fluxnetes::services
