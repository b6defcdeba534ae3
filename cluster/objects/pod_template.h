// A pod to be created, as described by a v1 Pod manifest or by the template of
// a Kubernetes Job.
// Tests: tests/cluster/json/run_test.cc, tests/cluster/files/manifest_test.cc.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

enum class RestartPolicy { kAlways, kOnFailure, kNever };

// How a pod behaves on a simulated node. Read from the annotations below, else
// from its command: `sleep N` (also within a `sh -c` script; the sum of
// several, the longest of several containers). If neither states a length, a
// pod that is always restarted runs until it is deleted, and any other pod for
// a second.
struct PodRun {
  std::optional<std::chrono::milliseconds> length =
      std::chrono::seconds(1);  // nothing: until it is deleted
  int exit_code = 0;
  // The first `fail_first` attempts fail with exit code 1: attempts of the pod
  // itself if its containers are restarted, else of its Job (of an Indexed Job:
  // per index).
  int fail_first = 0;
  std::string container = {};  // whose exit code it is: the first of the pod
  bool operator==(const PodRun&) const = default;
};

inline constexpr const char* kRunSecondsAnnotation =
    "fluxnetes.io/run-seconds";  // "12", "0.5", "forever"
inline constexpr const char* kExitCodeAnnotation = "fluxnetes.io/exit-code";
inline constexpr const char* kFailFirstAnnotation = "fluxnetes.io/fail-first";

struct PodTemplate {
  Pod pod;  // without the cluster's fields: UID, version, phase, time
  RestartPolicy restart = RestartPolicy::kNever;
  PodRun run;
  std::string priority_class = {};  // priorityClassName
};

}  // namespace fluxnetes::cluster
