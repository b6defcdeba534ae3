// A simulated cluster in virtual time, with short helpers for tests.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"

namespace fluxnetes::cluster {

class SimulatedClusterTest : public ::testing::Test {
 protected:
  using milliseconds = std::chrono::milliseconds;
  using seconds = std::chrono::seconds;
  using JobState = KubernetesJobStatus::State;

  static SimulatedClusterOptions Options() {
    SimulatedClusterOptions options;
    options.start_delay = milliseconds(0);
    options.job_backoff = milliseconds(100);
    return options;
  }

  SimulatedClusterTest() : cluster_(Options()) {
    Node node;
    node.name = "node0";
    node.allocatable = {
        .cpu_milli = 4'000, .memory_bytes = 1LL << 30, .pods = 10};
    cluster_.AddNode(node);
  }

  static PodTemplate Template(std::optional<milliseconds> length,
                              std::int64_t cpu_milli = 1'000) {
    PodTemplate wish;
    wish.pod.namespace_name = "default";
    wish.pod.scheduler_name = "fluxnetes";
    wish.pod.request.resources = {.cpu_milli = cpu_milli, .pods = 1};
    wish.run.length = length;
    return wish;
  }
  static KubernetesJob Job(int parallelism, std::optional<int> completions) {
    KubernetesJob job;
    job.namespace_name = "default";
    job.name = "job";
    job.parallelism = parallelism;
    job.completions = completions;
    job.pod_template = Template(seconds(1), 100);
    return job;
  }

  PodPointer Create(const std::string& name,
                    std::optional<milliseconds> length = seconds(1),
                    std::int64_t cpu_milli = 1'000) {
    PodTemplate wish = Template(length, cpu_milli);
    wish.pod.name = name;
    wish.pod.request.guaranteed = true;
    return cluster_.CreatePod(wish);
  }
  BindOutcome Bind(const Pod& pod, const std::string& node = "node0") {
    const Binding binding{pod.namespace_name, pod.name, pod.uid, "", node};
    return cluster_.Bind({&binding, 1}, seconds(1)).at(0).outcome;
  }
  // Binds every waiting pod to the node, without any check.
  int BindAll(const std::string& node = "node0") {
    int bound = 0;
    for (const PodPointer& pod : cluster_.TakeSnapshot().pods) {
      if (pod->node_name.empty() && !pod->terminating && !pod->gated) {
        bound += Bind(*pod, node) == BindOutcome::kBound ? 1 : 0;
      }
    }
    return bound;
  }
  void Pass(milliseconds time) { cluster_.AdvanceTo(cluster_.Now() + time); }
  // Binds pods and lets time pass until the Job has ended, up to a minute.
  KubernetesJobStatus RunJob() {
    for (int i = 0; i < 600; ++i) {
      BindAll();
      Pass(milliseconds(100));
      if (Status().state != JobState::kActive) break;
    }
    return Status();
  }

  PodPointer Now(const std::string& name) {
    const auto pod = cluster_.GetPod("default", name);
    return pod ? std::make_shared<const Pod>(*pod) : nullptr;
  }
  KubernetesJobStatus Status() { return *cluster_.GetJob("default", "job"); }
  std::vector<PodPointer> Pods() { return cluster_.TakeSnapshot().pods; }

  SimulatedCluster cluster_;
};

}  // namespace fluxnetes::cluster
