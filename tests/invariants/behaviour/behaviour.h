// Tests of the whole system's behaviour on the simulated cluster, with the
// invariants checked after each settling: two nodes with 4 CPUs each.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cluster/objects/kubelet_rejection.h"
#include "tests/invariants/behaviour/manifests.h"
#include "tests/invariants/invariants.h"

namespace fluxnetes::testing {

class Behaviour : public ::testing::Test {
 protected:
  explicit Behaviour(const std::string& nodes =
                         "nodes: [{count: 2, name: node, cpu: 4, "
                         "memory: 16Gi}]")
      : system(nodes) {
    Invariants::Attach(system, {});
  }

  void Submit(const std::string& manifests) {
    system.Submit(manifests);
    system.Settle();
  }
  std::string StateOf(const std::string& group) {
    return system.Ask("SELECT state FROM pod_groups WHERE group_name = '" +
                      group + "'");
  }
  // The running pod of this completion index.
  cluster::PodPointer PodOfIndex(int index) {
    for (const auto& pod : system.cluster.TakeSnapshot().pods) {
      if (pod->completion_index == index &&
          pod->phase == cluster::PodPhase::kRunning) {
        return pod;
      }
    }
    return nullptr;
  }
  // Runs the workers up to the match, without the binder.
  void Allocate(const std::string& manifests) {
    system.Settle();
    system.Submit(manifests);
    const auto now = system.cluster.Now();
    system.process->intake.RunOnce(now);
    system.process->promoter.RunOnce(now);
    while (system.process->match.RunOnce(now)) {
    }
  }
  int CountKubeletRejections() {
    return static_cast<int>(std::ranges::count_if(
        system.cluster.TakeSnapshot().pods,
        [](const auto& pod) { return cluster::IsRejectedByKubelet(*pod); }));
  }
  // A pod of another scheduler that runs until it is deleted.
  void AddOther(const std::string& name, const std::string& node, int cpu) {
    CreateOther(name, node, cpu);
    system.Settle();
  }
  void CreateOther(const std::string& name, const std::string& node, int cpu) {
    cluster::PodTemplate other{};
    other.pod.namespace_name = "kube-system";
    other.pod.name = name;
    other.pod.scheduler_name = "default-scheduler";
    other.pod.node_name = node;
    other.pod.request.resources = {.cpu_milli = cpu * 1'000L, .pods = 1};
    other.pod.request.guaranteed = true;
    other.run.length.reset();
    ASSERT_NE(system.cluster.CreatePod(other), nullptr);
  }
  void RemoveOther(const std::string& name) {
    EXPECT_TRUE(system.cluster.Delete({"Pod", "kube-system", name, ""}));
    system.Advance(std::chrono::seconds(1));
  }
  void RunToEndAndExpectNothingLeft() {
    system.RunToEnd();
    system.Advance(std::chrono::minutes(2));
    EXPECT_THAT(Invariants({}).CheckNothingLeft(system), ::testing::IsEmpty());
  }

  WholeSystem system;
};

}  // namespace fluxnetes::testing
