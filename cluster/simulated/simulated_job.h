// A Job of a simulated cluster with the state that its controller keeps.
// Tests: tests/cluster/simulated/simulated_jobs_test.cc.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "cluster/objects/kubernetes_job.h"

namespace fluxnetes::cluster {

struct SimulatedJob {
  std::uint64_t number = 0;
  KubernetesJobStatus status;
  std::set<std::uint32_t> pods;  // slots of all existing pods
  std::set<int> open_indexes;    // neither active nor over, nor delayed
  std::set<int> succeeded_indexes;
  // With a backoff limit per index:
  std::set<int> failed_indexes;
  std::map<int, int> failures_of_index;
  std::multimap<Time, int> delayed_indexes;  // open at that time
  std::map<int, int> attempts;  // pods created so far by index (else by 0)
  int restarts = 0;             // of containers, within their pods
  int failures_in_a_row = 0;
  int terminating = 0;          // pods that are being deleted
  bool failed_by_rule = false;  // a rule says FailJob
  bool tells = false;           // the scheduler, by its annotations
  Time not_before{};            // no new pods until then

  bool Over() const {
    return status.state == KubernetesJobStatus::State::kComplete ||
           status.state == KubernetesJobStatus::State::kFailed;
  }
};

}  // namespace fluxnetes::cluster
