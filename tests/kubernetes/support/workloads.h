// Manifests of what people run, in YAML, for an API server. Pods run until a
// test ends them, unless they say for how long.
#pragma once

#include <fmt/format.h>

#include <string>

namespace fluxnetes::testing {

struct Shape {
  int cpu = 1;
  std::string seconds = {};  // of run time; empty: until a test ends it
  int limit = 0;             // activeDeadlineSeconds of the pod; 0: none
  std::string group = {};    // else the name
  std::string more = {};     // of the pod's spec: "nodeSelector: {a: b}"
  int absent = 0;            // so many of the gang are not made; < 0: too many
  std::string job = {};      // of the Job's spec: "suspend: true"
  std::string queue = {};    // of the gang; empty: none named
};

inline std::string GangLabels(const std::string& group, int size,
                              const std::string& queue) {
  return fmt::format(
      R"({{fluxnetes.group-name: {}, fluxnetes.group-size: "{}"{}}})", group,
      size, queue.empty() ? "" : ", fluxnetes.queue: " + queue);
}

inline std::string Annotations(const Shape& shape) {
  return shape.seconds.empty()
             ? "{}"
             : fmt::format(R"({{fluxnetes.test/runs-for: "{}s"}})",
                           shape.seconds);
}

inline std::string PodSpec(const Shape& shape, const std::string& restart) {
  return fmt::format(
      R"({{schedulerName: fluxnetes, restartPolicy: {}{}{},
          containers: [{{name: work, image: busybox, command: [work],
            resources: {{requests: {{cpu: "{}", memory: 64Mi}}}}}}]}})",
      restart,
      shape.limit == 0
          ? ""
          : fmt::format(", activeDeadlineSeconds: {}", shape.limit),
      shape.more.empty() ? "" : ", " + shape.more, shape.cpu);
}

// A template of pods that are one gang, or of none (size 0).
inline std::string TemplateOf(const std::string& name, int size,
                              const Shape& shape, const std::string& restart) {
  return fmt::format(
      R"({{metadata: {{labels: {}, annotations: {}}}, spec: {}}})",
      size == 0 ? fmt::format("{{app: {}}}", name)
                : GangLabels(shape.group.empty() ? name : shape.group, size,
                             shape.queue),
      Annotations(shape), PodSpec(shape, restart));
}

// An Indexed Job of `size` pods that are one gang.
inline std::string Gang(const std::string& name, int size,
                        const Shape& shape = {}) {
  return fmt::format(R"(
apiVersion: batch/v1
kind: Job
metadata: {{name: {0}}}
spec: {{parallelism: {1}, completions: {1}, completionMode: Indexed{2},
  template: {3}}}
)",
                     name, size - shape.absent,
                     shape.job.empty() ? "" : ", " + shape.job,
                     TemplateOf(name, size, shape, "Never"));
}

// A bare pod of a gang, or of none (size 0).
inline std::string BarePod(const std::string& name, const std::string& group,
                           int size, const Shape& shape = {}) {
  return fmt::format(
      R"(
apiVersion: v1
kind: Pod
metadata: {{name: {}, labels: {}, annotations: {}}}
spec: {}
)",
      name, size == 0 ? "{}" : GangLabels(group, size, shape.queue),
      Annotations(shape), PodSpec(shape, "Never"));
}

// Deployment, ReplicaSet or StatefulSet (apps/v1) of single pods.
inline std::string Replicas(const std::string& kind, const std::string& name,
                            int count, const Shape& shape = {}) {
  return fmt::format(
      R"(
apiVersion: apps/v1
kind: {0}
metadata: {{name: {1}}}
spec: {{replicas: {2}, selector: {{matchLabels: {{app: {1}}}}}{3}, template: {4}}}
)",
      kind, name, count,
      kind == "StatefulSet" ? ", podManagementPolicy: Parallel" : "",
      TemplateOf(name, 0, shape, "Always"));
}

}  // namespace fluxnetes::testing
