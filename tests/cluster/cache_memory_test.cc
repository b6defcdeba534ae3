// The memory that a cluster's cache takes, measured for a tenth of a large
// cluster with realistic pods: half of them in gangs (Indexed Jobs), half of
// Deployments.
#include <gtest/gtest.h>
#include <malloc.h>

#include <iostream>
#include <string>

#include "cluster/cluster_cache.h"
#include "cluster/json/watch_line.h"

namespace fluxnetes::cluster {
namespace {

constexpr int kPods = 10'000;
constexpr int kNodes = 1'000;
constexpr int kPodsOfOneOwner = 50;

std::string Number(int i) { return std::to_string(i); }

std::string Uid(int i) {
  return "3f2b8c1e-77aa-4c0d-9d5e-" + Number(100'000'000 + i) + "abc";
}

std::string Quoted(const std::string& key, const std::string& value) {
  return '"' + key + R"(":")" + value + '"';
}

// A member of a gang with its labels, or a pod of a Deployment.
std::string MetadataOf(int i, bool in_gang) {
  const int owner = i / kPodsOfOneOwner;
  const std::string name = "training-" + Number(owner);
  const std::string uid = Uid(1'000'000 + owner);
  const std::string index = Number(i % kPodsOfOneOwner);
  std::string labels = Quoted("app.kubernetes.io/name", "trainer") + "," +
                       Quoted("app.kubernetes.io/part-of", "models") + "," +
                       Quoted("team", "research-" + Number(owner % 40)) + ",";
  std::string more;
  if (in_gang) {
    labels += Quoted("batch.kubernetes.io/controller-uid", uid) + "," +
              Quoted("batch.kubernetes.io/job-completion-index", index) + "," +
              Quoted("batch.kubernetes.io/job-name", name) + "," +
              Quoted("controller-uid", uid) + "," + Quoted("job-name", name) +
              "," + Quoted("fluxnetes.group-name", name) + "," +
              Quoted("fluxnetes.group-size", Number(kPodsOfOneOwner));
    more = R"("annotations":{)" +
           Quoted("batch.kubernetes.io/job-completion-index", index) + "},";
  } else {
    labels += Quoted("app", name) + "," +
              Quoted("pod-template-hash", "5d8f7c9b6" + Number(owner % 10));
  }
  return R"("metadata":{)" +
         Quoted("namespace", "research-" + Number(owner % 40)) + "," +
         Quoted("name", name + "-" + index + "-x7k2p") + "," +
         Quoted("uid", Uid(i)) + "," +
         Quoted("resourceVersion", Number(10'000'000 + i)) + "," + more +
         R"("creationTimestamp":"2026-11-22T08:00:00Z","labels":{)" + labels +
         R"(},"ownerReferences":[{"apiVersion":"x/v1","kind":")" +
         (in_gang ? "Job" : "ReplicaSet") + R"(","controller":true,)" +
         Quoted("name", name) + "," + Quoted("uid", uid) + "}]}";
}

std::string PodText(int i) {
  const bool in_gang = (i / kPodsOfOneOwner) % 2 == 0;
  return R"({"type":"ADDED","object":{)" + MetadataOf(i, in_gang) +
         R"(,"spec":{"schedulerName":")" +
         (in_gang ? "fluxnetes" : "default-scheduler") +
         R"(","nodeName":"worker-)" + Number(i % kNodes) +
         R"(.cluster.local","priority":100,
      "containers":[{"name":"main","image":"registry.local/trainer:v17",
        "env":[{"name":"SETTING","value":"of no interest"}],
        "resources":{"requests":{"cpu":"2","memory":"8Gi","nvidia.com/gpu":"1"},
                     "limits":{"memory":"8Gi","nvidia.com/gpu":"1"}}}],
      "nodeSelector":{"kubernetes.io/arch":"amd64"},
      "affinity":{"nodeAffinity":{
        "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
          {"matchExpressions":[{"key":"node.kubernetes.io/instance-type",
            "operator":"In","values":["gpu-large","gpu-huge"]}]}]}}},
      "tolerations":[
        {"key":"node.kubernetes.io/not-ready","operator":"Exists",
         "effect":"NoExecute","tolerationSeconds":300},
        {"key":"node.kubernetes.io/unreachable","operator":"Exists",
         "effect":"NoExecute","tolerationSeconds":300},
        {"key":"nvidia.com/gpu","operator":"Exists","effect":"NoSchedule"}]},
    "status":{"phase":"Running","podIP":"10.1.2.3","conditions":[
        {"type":"Ready","status":"True"},
        {"type":"PodScheduled","status":"True"}]}}})";
}

std::string NodeText(int i) {
  std::string labels;
  for (int k = 0; k < 15; ++k) {
    labels +=
        "," + Quoted("feature.node.kubernetes.io/cpu-" + Number(k), "true");
  }
  const std::string name = "worker-" + Number(i) + ".cluster.local";
  return R"({"type":"ADDED","object":{"metadata":{)" + Quoted("name", name) +
         "," + Quoted("uid", Uid(i)) + "," +
         Quoted("resourceVersion", Number(10'000'000 + i)) + R"(,"labels":{)" +
         Quoted("kubernetes.io/hostname", name) + "," +
         Quoted("topology.kubernetes.io/zone", "zone-" + Number(i % 3)) +
         labels + R"(}},"spec":{"taints":[{"key":"nvidia.com/gpu",
      "effect":"NoSchedule"}]},"status":{"allocatable":{"cpu":"64",
      "memory":"512Gi","pods":"110","ephemeral-storage":"1Ti",
      "nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}}})";
}

std::size_t InUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Returns the bytes per object for `count` objects.
std::size_t Fill(ClusterCache& cache, CommonParts& common, WatchedKind kind,
                 int count, std::string (*text)(int)) {
  const std::size_t before = InUse();
  for (int i = 0; i < count; ++i) {
    const WatchLine line = ReadWatchLine(kind, text(i), &common);
    EXPECT_EQ(line.type, WatchLine::Type::kEvent);
    cache.Apply({&line.event, 1});
  }
  cache.TakeChangedNodes();
  return (InUse() - before) / static_cast<std::size_t>(count);
}

TEST(CacheMemory, HundredThousandPodsAndTenThousandNodesTakeLessThan250MB) {
  if (InUse() == 0) GTEST_SKIP() << "this allocator does not count (sanitizer)";
  ClusterCache cache;
  CommonParts common;
  const auto node = Fill(cache, common, WatchedKind::kNodes, kNodes, NodeText);
  const auto pod = Fill(cache, common, WatchedKind::kPods, kPods, PodText);
  const std::size_t all = pod * 100'000 + node * 10'000;
  std::cout << "a pod takes " << pod << " bytes, a node " << node
            << "; 100,000 pods and 10,000 nodes " << all / 1'000'000 << " MB\n";
  EXPECT_LT(all, 250'000'000U);
}

}  // namespace
}  // namespace fluxnetes::cluster
