// Validates the spec of a batch/v1 Job, without its pod template. (Kubernetes:
// "Jobs"; API reference, Job v1 batch.)
// Tests: tests/cluster/files/job_check_test.cc.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fluxnetes::cluster {

// Returns the first fault with its path; nothing: an API server takes the spec.
std::optional<std::string> WhatIsWrongWithJobSpec(const nlohmann::json& object);

}  // namespace fluxnetes::cluster
