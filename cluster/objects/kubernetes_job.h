// A Kubernetes Job (batch/v1) as a value: pods of one template, run until a
// number of them have succeeded. (Job alone is a row of the work queue.)
// Tests: tests/cluster/json/objects_test.cc,
// tests/cluster/json/object_writer_test.cc.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/objects/pod_template.h"
#include "cluster/text/index_ranges.h"

namespace fluxnetes::cluster {

// What is done about a failed pod that meets the rule's requirement.
struct PodFailureRule {
  enum class Action { kCount, kIgnore, kFailIndex, kFailJob };
  // On the exit code of a container that ended with another code than 0.
  struct ExitCodes {
    std::string container;  // empty: of any
    bool in = true;         // In; else NotIn
    std::vector<int> values;
    bool operator==(const ExitCodes&) const = default;
  };
  struct Condition {
    std::string type;
    std::string status;
    bool operator==(const Condition&) const = default;
  };
  Action action = Action::kCount;
  std::optional<ExitCodes> exit_codes;
  std::vector<Condition> conditions;  // one of them
  bool operator==(const PodFailureRule&) const = default;
};

// The Job has succeeded when so many of these indexes have.
struct SuccessRule {
  std::optional<IndexRanges> indexes;  // nothing: all
  std::optional<int> count;            // nothing: all of them
  bool operator==(const SuccessRule&) const = default;
};

struct KubernetesJob {
  std::string namespace_name;
  std::string name;
  std::map<std::string, std::string> labels;
  std::map<std::string, std::string> annotations;
  std::optional<Owner> controller;  // a CronJob, a JobSet
  int parallelism = 1;
  // Nothing: complete when one pod has succeeded and none is left.
  std::optional<int> completions = 1;
  bool indexed = false;  // completionMode: Indexed
  int backoff_limit = 6;
  std::optional<int> backoff_limit_per_index;
  std::optional<int> max_failed_indexes;
  std::vector<PodFailureRule> failure_rules;  // the first that applies counts
  std::vector<SuccessRule> success_rules;     // one of them is enough
  // podReplacementPolicy: Failed. A deleted pod is replaced when it is gone.
  bool replaces_when_gone = false;
  std::optional<std::chrono::seconds> ttl_after_finished;
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
  // Why it ended: BackoffLimitExceeded, DeadlineExceeded, PodFailurePolicy,
  // FailedIndexes, MaxFailedIndexesExceeded; SuccessPolicy of kComplete.
  std::string reason;
  int active = 0;  // pods that have not ended and are not being deleted
  int succeeded = 0;
  int failed = 0;
  // Of an Indexed Job, as "0,3-5".
  std::string completed_indexes;
  std::string failed_indexes;
};

}  // namespace fluxnetes::cluster
