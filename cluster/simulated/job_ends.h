// How a Kubernetes Job takes a failed pod, and when it has succeeded early, as
// pure functions of its rules. (Kubernetes: "Jobs", pod failure policy, success
// policy.)
// Tests: tests/cluster/simulated/job_ends_test.cc.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/objects/kubernetes_job.h"

namespace fluxnetes::cluster {

struct PodFailure {
  std::optional<int> exit_code;  // nothing: no container ran
  std::string container;         // whose exit code it is
  bool disrupted = false;        // has the condition DisruptionTarget
};

// Returns the action of the first rule that applies, else kCount.
PodFailureRule::Action ActionOn(const std::vector<PodFailureRule>& rules,
                                const PodFailure& failure);

// True if one of the rules is met. `succeeded` are the indexes that have.
bool IsEnough(const std::vector<SuccessRule>& rules,
              const std::set<int>& succeeded);

}  // namespace fluxnetes::cluster
