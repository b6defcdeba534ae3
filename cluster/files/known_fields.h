// Finds fields that Kubernetes does not know, such as misspelled ones, in a
// v1 Pod or batch/v1 Job, and those that a simulated cluster does not act on.
// (Kubernetes: "Kubernetes API Concepts", field validation.)
// Tests: tests/cluster/files/known_fields_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fluxnetes::cluster {

// Returns the paths of unknown fields of the object, its metadata, its spec and
// the parts of the spec that we read: "spec.parallel". Other parts, such as
// environment variables, are not searched. An object of another kind has none.
std::vector<std::string> UnknownFields(const nlohmann::json& object);

// Returns the paths of fields that change in Kubernetes when a pod starts or
// ends, and change nothing on a simulated cluster.
std::vector<std::string> IgnoredFields(const nlohmann::json& object);

}  // namespace fluxnetes::cluster
