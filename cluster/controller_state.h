// What a controller says about the pods that it makes, as a value: the parts of
// a Job, ReplicaSet, StatefulSet, DaemonSet or ReplicationController that show
// how many pods it keeps and how many more it will make. Nothing can be said
// about a controller of another kind.
// Tests: tests/cluster/json/controller_json_test.cc,
// tests/workers/pods/group_makers_test.cc.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

struct ControllerState {
  enum class Life {
    kUnknown,   // its kind is unknown, or it may not be read
    kGone,      // it does not exist, or is being deleted
    kFailed,    // a Job that makes no more pods
    kComplete,  // the same
    kLives
  };
  Life life = Life::kUnknown;
  std::string reason;       // of kFailed: BackoffLimitExceeded
  bool controlled = false;  // another object controls it (JobSet, Deployment)
  int at_once = 0;          // pods at the same time: parallelism, replicas

  // The rest is of a Job (Kubernetes API reference: JobSpec, JobStatus).
  bool job = false;
  std::optional<int> completions;
  int succeeded = 0;
  int failed = 0;
  int active = 0;
  int failed_indexes = 0;  // of an Indexed Job: those it does not try again
  int backoff_limit = std::numeric_limits<int>::max();
  bool suspended = false;

  bool operator==(const ControllerState&) const = default;
};

// The kinds of controllers that make pods and that can be read.
inline constexpr std::array<std::string_view, 5> kPodMakingKinds = {
    "Job", "ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController"};

inline bool MakesPods(std::string_view kind) {
  return std::ranges::find(kPodMakingKinds, kind) != kPodMakingKinds.end();
}

}  // namespace fluxnetes::cluster
