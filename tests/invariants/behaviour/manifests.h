// Manifests for tests of the whole system: gangs as Indexed Jobs.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

namespace fluxnetes::testing {

struct GangShape {
  std::string cpu = "1";
  std::string memory = "64Mi";
  int gpus = 0;
  int seconds = 60;               // how long each pod runs
  std::optional<int> limit = {};  // activeDeadlineSeconds of the pods
  int fail_first = 0;             // attempts of each index that fail
  int backoff_limit = 6;
  std::string name_space = "default";
  std::string group = {};     // empty: the Job's name
  std::string queue = {};     // of the label; empty: no label
  std::string selector = {};  // "{disk: ssd}"
  int priority = 0;
  bool gated = false;
  bool suspend = false;
  std::string topology = {};  // label fluxnetes.topology-required
  std::string levels = {};    // annotation fluxnetes.topology-required
  bool exclusive = false;     // label fluxnetes.exclusive
  int per_node = 0;           // label fluxnetes.pods-per-node; 0: none
  std::string rules = {};     // more fields of the spec: "affinity: {...}"
  std::string align = {};     // label fluxnetes.align
  bool guaranteed = false;    // limits that equal the requests
  int most = 0;               // fluxnetes.group-max-size; 0: not elastic
  int absent = 0;             // number of pods not created; below 0: extra pods
  std::string more_labels = {};  // "fluxnetes.pool/a: '2'"
};

inline std::string LabelsOf(const std::string& group, int size,
                            const GangShape& shape) {
  return fmt::format(
      R"({{fluxnetes.group-name: {}, fluxnetes.group-size: "{}"{}}})", group,
      size,
      (shape.queue.empty() ? "" : ", fluxnetes.queue: " + shape.queue) +
          (shape.topology.empty()
               ? ""
               : ", fluxnetes.topology-required: " + shape.topology) +
          (shape.align.empty() ? "" : ", fluxnetes.align: " + shape.align) +
          (shape.exclusive ? ", fluxnetes.exclusive: \"true\"" : "") +
          (shape.per_node == 0
               ? ""
               : fmt::format(", fluxnetes.pods-per-node: \"{}\"",
                             shape.per_node)) +
          (shape.most == 0 ? ""
                           : fmt::format(", fluxnetes.group-max-size: \"{}\"",
                                         shape.most)) +
          (shape.more_labels.empty() ? "" : ", " + shape.more_labels));
}

inline std::string PodSpecOf(const GangShape& shape) {
  return fmt::format(
      R"({{schedulerName: fluxnetes, restartPolicy: Never, priority: {}{}{}{}{},
          containers: [{{name: work, image: busybox, command: [work],
            resources: {{requests: {{cpu: "{}", memory: {}}}{}}}}}]}})",
      shape.priority,
      shape.limit ? fmt::format(", activeDeadlineSeconds: {}", *shape.limit)
                  : "",
      shape.selector.empty() ? "" : ", nodeSelector: " + shape.selector,
      shape.gated ? ", schedulingGates: [{name: example.com/quota}]" : "",
      shape.rules.empty() ? "" : ", " + shape.rules, shape.cpu, shape.memory,
      shape.gpus == 0 && !shape.guaranteed
          ? ""
          : fmt::format(", limits: {{{}{}}}",
                        shape.guaranteed
                            ? fmt::format("cpu: \"{}\", memory: {}, ",
                                          shape.cpu, shape.memory)
                            : "",
                        shape.gpus == 0
                            ? ""
                            : fmt::format("nvidia.com/gpu: {}", shape.gpus)));
}

// A Job whose `size` pods are one gang, both of this name.
inline std::string GangOf(const std::string& name, int size,
                          const GangShape& shape = {}) {
  return fmt::format(
      R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}, namespace: {1}}}
spec:
  parallelism: {2}
  completions: {2}
  completionMode: Indexed
  backoffLimit: {3}
  suspend: {4}
  template:
    metadata:
      labels: {5}
      annotations: {{fluxnetes.io/run-seconds: "{6}", fluxnetes.io/fail-first: "{7}"{9}}}
    spec: {8}
)",
      name, shape.name_space, size - shape.absent, shape.backoff_limit,
      shape.suspend,
      LabelsOf(shape.group.empty() ? name : shape.group, size, shape),
      shape.seconds, shape.fail_first, PodSpecOf(shape),
      shape.levels.empty()
          ? ""
          : ", fluxnetes.topology-required: \"" + shape.levels + "\"");
}

// A bare pod of a gang; group "": without a gang.
inline std::string PodOf(const std::string& name, const std::string& group,
                         int size, const GangShape& shape = {}) {
  return fmt::format(
      R"(
apiVersion: v1
kind: Pod
metadata:
  name: {0}
  namespace: {1}
  labels: {2}
  annotations: {{fluxnetes.io/run-seconds: "{3}"}}
spec: {4}
)",
      name, shape.name_space,
      group.empty() ? "{}" : LabelsOf(group, size, shape), shape.seconds,
      PodSpecOf(shape));
}

}  // namespace fluxnetes::testing
