#include "cluster/json/objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cluster/text/timestamp.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr std::int64_t kGi = 1LL << 30;

Resources RequestsOf(const std::string& spec) {
  return DecodePod(Json{{"spec", Json::parse(spec)}}).request.resources;
}

Resources Amounts(std::int64_t cpu, std::int64_t memory) {
  return {.cpu_milli = cpu, .memory_bytes = memory, .pods = 1};
}

TEST(Objects, RequestsOfContainersAreAdded) {
  EXPECT_EQ(RequestsOf(R"({"containers": [
      {"resources": {"requests": {"cpu": "1500m", "memory": "1Gi"}}},
      {"resources": {"requests": {"cpu": "0.5", "nvidia.com/gpu": 2,
                                  "ephemeral-storage": "1M"}}},
      {}]})"),
            (Resources{.cpu_milli = 2000,
                       .memory_bytes = kGi,
                       .ephemeral_bytes = 1'000'000,
                       .pods = 1,
                       .extended = {{"nvidia.com/gpu", 2}}}));
}

TEST(Objects, LimitsStandForAbsentRequests) {
  EXPECT_EQ(RequestsOf(R"({"containers": [{"resources": {
      "requests": {"cpu": "1"}, "limits": {"cpu": "4", "memory": "2Gi"}}}]})"),
            Amounts(1000, 2 * kGi));
}

TEST(Objects, InitContainersCountByTheLargestOfThem) {
  EXPECT_EQ(RequestsOf(R"({
      "initContainers": [
        {"resources": {"requests": {"cpu": "3", "memory": "1Gi"}}},
        {"resources": {"requests": {"cpu": "1", "memory": "4Gi"}}}],
      "containers": [
        {"resources": {"requests": {"cpu": "2", "memory": "2Gi"}}}]})"),
            Amounts(3000, 4 * kGi));
}

TEST(Objects, SidecarsRunBesideContainersAndLaterInitContainers) {
  // 2 before the sidecar, 1 + 4 with it; then 1 + 3 permanently.
  EXPECT_EQ(RequestsOf(R"({
      "initContainers": [
        {"resources": {"requests": {"cpu": "2"}}},
        {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}},
        {"resources": {"requests": {"cpu": "4"}}}],
      "containers": [{"resources": {"requests": {"cpu": "3"}}}]})"),
            Amounts(5000, 0));
  EXPECT_EQ(RequestsOf(R"({
      "initContainers": [
        {"resources": {"requests": {"cpu": "2"}}},
        {"restartPolicy": "Always", "resources": {"requests": {"cpu": "1"}}}],
      "containers": [{"resources": {"requests": {"cpu": "3"}}}]})"),
            Amounts(4000, 0));
}

TEST(Objects, OverheadComesOnTop) {
  EXPECT_EQ(RequestsOf(R"({
      "overhead": {"cpu": "250m", "memory": "120Mi"},
      "initContainers": [{"resources": {"requests": {"cpu": "3"}}}],
      "containers": [{"resources": {"requests": {"cpu": "1"}}}]})"),
            Amounts(3250, 120LL << 20));
}

TEST(Objects, WhatThePodAsksForAsAWholeTakesThePlaceOfTheSum) {
  EXPECT_EQ(RequestsOf(R"({
      "resources": {"requests": {"cpu": "8"}},
      "containers": [
        {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]})"),
            Amounts(8000, kGi));
}

TEST(Objects, AmountsThatMakeNoSenseFitNowhereInsteadOfEverywhere) {
  for (const char* amount : {R"("12x")", R"("-1")", R"("9E")", "-1", "[]",
                             "null", "true", R"("\ud83d\ude80")"}) {
    const auto resources =
        RequestsOf(R"({"containers": [{"resources": {"requests": {"cpu": )" +
                   std::string(amount) + R"(}}}, {"resources": {"requests":
                   {"cpu": "1"}}}]})");
    EXPECT_EQ(resources.cpu_milli, kLargestAmount) << amount;
  }
  const Node node = DecodeNode(Json::parse(
      R"({"status": {"allocatable": {"cpu": "12x", "memory": "1Gi"}}})"));
  EXPECT_EQ(node.allocatable.cpu_milli, 0);
  EXPECT_EQ(node.allocatable.memory_bytes, kGi);
}

TEST(Objects, PodIsDecodedInWhole) {
  const Pod pod = DecodePod(Json::parse(R"({
    "metadata": {
      "namespace": "team", "name": "train-0", "uid": "u1",
      "resourceVersion": "17", "creationTimestamp": "2026-01-01T12:00:00Z",
      "deletionTimestamp": "2026-01-01T12:01:00Z",
      "labels": {"fluxnetes.group-name": "train", "odd": "\ud83d\ude80 \" % \\"},
      "annotations": {"fluxnetes.io/run-seconds": "5", "kubectl": "{}",
        "fluence.flux-framework.org/group-size": "3",
        "leaderworkerset.sigs.k8s.io/size": "4",
        "leaderworkerset.sigs.k8s.io/subgroup-size": "2",
        "batch.kubernetes.io/job-completion-index": "7"},
      "ownerReferences": [
        {"kind": "Node", "name": "n", "uid": "x"},
        {"kind": "Job", "name": "train", "uid": "j1", "controller": true}]},
    "spec": {
      "schedulerName": "fluxnetes", "nodeName": "n1", "priority": -5,
      "activeDeadlineSeconds": 90, "terminationGracePeriodSeconds": 600,
      "preemptionPolicy": "Never",
      "schedulingGates": [{"name": "wait"}],
      "nodeSelector": {"zone": "a"},
      "tolerations": [{"operator": "Exists"},
        {"key": "team", "value": "red", "effect": "NoSchedule"}],
      "affinity": {"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {
          "nodeSelectorTerms": [{
            "matchExpressions": [
              {"key": "gpu", "operator": "In", "values": ["a100"]}],
            "matchFields": [
              {"key": "metadata.name", "operator": "In", "values": ["n1"]}]
          }]}}}},
    "status": {"phase": "Failed", "reason": "OutOfcpu"}})"));
  EXPECT_EQ(Key(pod), "team/train-0");
  EXPECT_EQ(pod.uid, "u1");
  EXPECT_EQ(pod.resource_version, "17");
  EXPECT_EQ(FormatTimestamp(pod.created_at), "2026-01-01T12:00:00Z");
  EXPECT_TRUE(pod.terminating);
  EXPECT_EQ(pod.labels.at("odd"), "🚀 \" % \\");
  EXPECT_THAT(pod.annotations,
              ElementsAre(Pair("fluence.flux-framework.org/group-size", "3"),
                          Pair("leaderworkerset.sigs.k8s.io/size", "4")));
  EXPECT_EQ(pod.controller, (Owner{"Job", "train", "j1"}));
  EXPECT_EQ(pod.completion_index, 7);
  EXPECT_EQ(pod.scheduler_name, "fluxnetes");
  EXPECT_EQ(pod.node_name, "n1");
  EXPECT_EQ(pod.priority, -5);
  EXPECT_EQ(pod.active_deadline, std::chrono::seconds(90));
  EXPECT_EQ(pod.grace, std::chrono::seconds(600));
  EXPECT_FALSE(pod.preempts);
  EXPECT_TRUE(pod.gated);
  EXPECT_EQ(pod.phase, PodPhase::kFailed);
  EXPECT_EQ(pod.reason, "OutOfcpu");
  EXPECT_THAT(pod.request.node_selector, ElementsAre(Pair("zone", "a")));
  EXPECT_THAT(pod.request.tolerations,
              ElementsAre(Toleration{"", true, "", ""},
                          Toleration{"team", false, "red", "NoSchedule"}));
  EXPECT_THAT(pod.request.node_affinity,
              ElementsAre(ElementsAre(
                  NodeRequirement{"gpu", "In", {"a100"}},
                  NodeRequirement{"metadata.name", "In", {"n1"}, true})));
}

TEST(Objects, PodThatDoesNotSayPreemptsAndEndsInThirtySeconds) {
  const auto grace = [](const char* value) {
    return DecodePod(
               Json{{"spec",
                     {{"terminationGracePeriodSeconds", Json::parse(value)}}}})
        .grace.count();
  };
  EXPECT_EQ(DecodePod(Json::object()).grace, std::chrono::seconds(30));
  EXPECT_EQ(grace("\"x\""), 30);
  EXPECT_EQ(grace("0"), 0);
  EXPECT_EQ(grace("-5"), 0);
  EXPECT_EQ(grace("4294967297"), 2'147'483'647);
  EXPECT_EQ(grace("18446744073709551615"), 2'147'483'647);
  EXPECT_TRUE(DecodePod(Json::object()).preempts);
  EXPECT_TRUE(
      DecodePod(Json{{"spec", {{"preemptionPolicy", "PreemptLowerPriority"}}}})
          .preempts);
}

TEST(Objects, PodOfAClusterIsNeverThrownAway) {
  for (const char* text :
       {"null", "[]", "7", "{}", R"({"metadata": 5, "spec": "x"})",
        R"({"metadata": {"labels": [], "name": 3, "ownerReferences": {}},
            "spec": {"containers": {}, "tolerations": [1, null],
            "affinity": {"nodeAffinity": 1}, "priority": 1e99,
            "activeDeadlineSeconds": "x", "schedulingGates": 1}})"}) {
    const Pod pod = DecodePod(Json::parse(text));
    EXPECT_EQ(pod.request.resources.pods, 1) << text;
    EXPECT_EQ(pod.scheduler_name, "default-scheduler") << text;
  }
}

TEST(Objects, LabelValuesThatKubernetesWouldRefuseAreKept) {
  const std::string longest(2 << 20, 'x');
  const Pod pod = DecodePod(Json{{"metadata", {{"labels", {{"l", longest}}}}}});
  EXPECT_EQ(pod.labels.at("l"), longest);
}

TEST(Objects, AffinityWithoutATermSelectsNothing) {
  const Pod pod = DecodePod(Json::parse(R"({"spec": {"affinity": {
      "nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms": []}}}}})"));
  EXPECT_FALSE(Admits(Node{}, pod.request));
}

TEST(Objects, PodIsAdmittedOnceItsKubeletHasBegunWithIt) {
  const auto admitted = [](const char* phase, const char* start) {
    return IsAdmitted(
        DecodePod(Json{{"status", {{"phase", phase}, {"startTime", start}}}}));
  };
  EXPECT_FALSE(admitted("Pending", ""));
  EXPECT_TRUE(admitted("Pending", "2026-01-01T00:00:00Z"));
  EXPECT_TRUE(admitted("Running", ""));
  EXPECT_FALSE(admitted("Failed", "2026-01-01T00:00:00Z"));
}

TEST(Objects, PodOnASilentNodeIsTakenToRun) {
  EXPECT_EQ(DecodePod(Json{{"status", {{"phase", "Unknown"}}}}).phase,
            PodPhase::kRunning);
}

TEST(Objects, NodeIsDecodedInWhole) {
  const Node node = DecodeNode(Json::parse(R"({
    "metadata": {"name": "n1", "uid": "u", "resourceVersion": "3",
                 "labels": {"topology.kubernetes.io/zone": "a"}},
    "spec": {"unschedulable": true,
             "taints": [{"key": "team", "value": "red",
                         "effect": "NoSchedule"}]},
    "status": {"capacity": {"cpu": "64"},
               "allocatable": {"cpu": "63500m", "memory": "128Gi",
                               "pods": "110", "nvidia.com/gpu": "8"},
               "conditions": [{"type": "MemoryPressure", "status": "False"},
                              {"type": "Ready", "status": "Unknown"}]}})"));
  EXPECT_EQ(node.name, "n1");
  EXPECT_EQ(node.allocatable.cpu_milli, 63'500);
  EXPECT_EQ(node.allocatable.pods, 110);
  EXPECT_EQ(node.allocatable.Extended("nvidia.com/gpu"), 8);
  EXPECT_THAT(node.taints, ElementsAre(Taint{"team", "red", "NoSchedule"}));
  EXPECT_TRUE(node.unschedulable);
  EXPECT_FALSE(node.ready);
  EXPECT_EQ(DecodeNode(Json::parse(R"({"status": {"capacity": {"cpu": 4}}})"))
                .allocatable.cpu_milli,
            4000);
}

TEST(Objects, JobIsDecodedWithTheDefaultsOfKubernetes) {
  const KubernetesJob job = DecodeJob(Json::parse(R"({
    "metadata": {"namespace": "team", "name": "train"}, "spec": {"template": {
      "metadata": {"labels": {"a": "b"}},
      "spec": {"restartPolicy": "OnFailure", "schedulerName": "fluxnetes"}}}})"));
  EXPECT_EQ(job.namespace_name, "team");
  EXPECT_EQ(job.parallelism, 1);
  EXPECT_EQ(job.completions, 1);
  EXPECT_EQ(job.backoff_limit, 6);
  EXPECT_FALSE(job.indexed);
  EXPECT_FALSE(job.suspend);
  EXPECT_EQ(job.pod_template.restart, RestartPolicy::kOnFailure);
  EXPECT_EQ(job.pod_template.pod.labels.at("a"), "b");
}

TEST(Objects, ControllerOfAnotherGroupIsNotTakenForOneOfKubernetes) {
  const auto kind = [](const char* version, const char* name) {
    const Json metadata = {
        {"ownerReferences",
         {{{"apiVersion", version}, {"kind", name}, {"controller", true}}}}};
    return DecodeController(metadata)->kind;
  };
  EXPECT_EQ(kind("batch/v1", "Job"), "Job");
  EXPECT_EQ(kind("batch.volcano.sh/v1alpha1", "Job"), "Job.batch.volcano.sh");
  EXPECT_EQ(kind("apps.kruise.io/v1beta1", "StatefulSet"),
            "StatefulSet.apps.kruise.io");
  EXPECT_EQ(kind("v1", "ReplicationController"), "ReplicationController");
  EXPECT_EQ(kind("", "Job"), "Job");
  EXPECT_EQ(kind("kubeflow.org/v2beta1", "MPIJob"), "MPIJob");
}

TEST(Objects, JobIsDecodedInWhole) {
  const KubernetesJob job = DecodeJob(Json::parse(R"({
    "metadata": {"name": "train", "labels": {"l": "m"},
      "ownerReferences": [{"kind": "CronJob", "name": "c", "uid": "u",
                           "controller": true}]},
    "spec": {"parallelism": 4, "completions": 8, "completionMode": "Indexed",
      "backoffLimit": 0, "activeDeadlineSeconds": 60, "suspend": true,
      "template": {}}})"));
  EXPECT_EQ(job.parallelism, 4);
  EXPECT_EQ(job.completions, 8);
  EXPECT_TRUE(job.indexed);
  EXPECT_EQ(job.backoff_limit, 0);
  EXPECT_EQ(job.active_deadline, std::chrono::seconds(60));
  EXPECT_TRUE(job.suspend);
  EXPECT_EQ(job.controller, (Owner{"CronJob", "c", "u"}));
  EXPECT_EQ(job.labels.at("l"), "m");
}

TEST(Objects, JobWithParallelismOnlyIsAWorkQueue) {
  EXPECT_EQ(DecodeJob({{"spec", {{"parallelism", 3}}}}).completions,
            std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::cluster
