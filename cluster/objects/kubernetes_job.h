// A Kubernetes Job (batch/v1) as a value: pods of one template, run until a
// number of them have succeeded. (Job alone is a row of the work queue.)
// Tests: tests/cluster/json/objects_test.cc,
// tests/cluster/json/object_writer_test.cc.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "cluster/objects/pod_template.h"

namespace fluxnetes::cluster {

struct KubernetesJob {
  std::string namespace_name;
  std::string name;
  std::map<std::string, std::string> labels;
  std::optional<Owner> controller;  // a CronJob, a JobSet
  int parallelism = 1;
  // Nothing: complete when one pod has succeeded and none is left.
  std::optional<int> completions = 1;
  bool indexed = false;  // completionMode: Indexed
  int backoff_limit = 6;
  std::optional<std::chrono::seconds> active_deadline;
  bool suspend = false;
  PodTemplate pod_template;  // its pod has no name
};

// The status of a Job.
struct KubernetesJobStatus {
  enum class State { kActive, kSuspended, kComplete, kFailed };
  KubernetesJob job;
  std::string uid;
  std::string resource_version;
  Time created_at{};
  std::optional<Time> started_at;
  std::optional<Time> ended_at;
  State state = State::kActive;
  std::string reason;  // of kFailed: BackoffLimitExceeded, DeadlineExceeded
  int active = 0;      // pods that have not ended and are not being deleted
  int succeeded = 0;
  int failed = 0;
};

}  // namespace fluxnetes::cluster
