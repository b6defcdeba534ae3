#include "cluster/json/pod_requests.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

Json Container(const char* cpu) {
  Json container = {{"name", "main"}};
  container["resources"]["requests"]["cpu"] = cpu;
  return container;
}

// The request of a pod with one container "main" that requests `asked` cpu, was
// granted `granted` and runs with `runs`.
std::int64_t CpuOf(const char* asked, const char* granted, const char* runs,
                   const char* pending = "") {
  const Json spec = {{"containers", Json::array({Container(asked)})}};
  Json container = Container(runs);
  container["allocatedResources"]["cpu"] = granted;
  Json status = {{"containerStatuses", Json::array({container})}};
  if (*pending != '\0') {
    const Json condition = {
        {"type", "PodResizePending"}, {"status", "True"}, {"reason", pending}};
    status["conditions"] = Json::array({condition});
  }
  return DecodeRequests(spec, status).cpu_milli;
}

TEST(PodRequests, ResizeThatGrowsCountsAsSoonAsItIsAskedFor) {
  EXPECT_EQ(CpuOf("4", "1", "1"), 4000);
  EXPECT_EQ(CpuOf("4", "1", "1", "Deferred"), 4000);
}

TEST(PodRequests, ResizeThatShrinksCountsWhenItIsDone) {
  EXPECT_EQ(CpuOf("1", "4", "4"), 4000);
  EXPECT_EQ(CpuOf("1", "1", "4"), 4000);
  EXPECT_EQ(CpuOf("1", "1", "1"), 1000);
}

TEST(PodRequests, ResizeThatIsInfeasibleDoesNotCount) {
  EXPECT_EQ(CpuOf("4", "1", "2", "Infeasible"), 2000);
}

TEST(PodRequests, ContainerWithoutAWordFromTheKubeletHasWhatItAsksFor) {
  const Json spec = R"({"containers": [
      {"name": "a", "resources": {"requests": {"cpu": "2"}}},
      {"name": "b", "resources": {"requests": {"cpu": "1"}}}]})"_json;
  EXPECT_EQ(DecodeRequests(spec, nullptr).cpu_milli, 3000);
  // Statuses of older kubelets have no resources.
  EXPECT_EQ(DecodeRequests(spec, R"({"containerStatuses": [
                {"name": "a", "allocatedResources": {"cpu": "9"}},
                {"name": "other", "resources": {"requests": {"cpu": "9"}}}
                ]})"_json)
                .cpu_milli,
            3000);
}

TEST(PodRequests, SidecarIsResizedAndInitContainerIsNot) {
  const Json spec = R"({
      "initContainers": [
        {"name": "side", "restartPolicy": "Always",
         "resources": {"requests": {"cpu": "1"}}},
        {"name": "init", "resources": {"requests": {"cpu": "2"}}}],
      "containers": [{"name": "main",
                      "resources": {"requests": {"cpu": "1"}}}]})"_json;
  EXPECT_EQ(DecodeRequests(spec, nullptr).cpu_milli, 3000);
  EXPECT_EQ(DecodeRequests(spec, R"({"initContainerStatuses": [
                {"name": "side", "resources": {"requests": {"cpu": "3"}}},
                {"name": "init", "resources": {"requests": {"cpu": "9"}}}
                ]})"_json)
                .cpu_milli,
            5000);
}

TEST(PodRequests, PodAsAWholeTakesThePlaceOfItsContainers) {
  const Json spec = R"({
      "resources": {"requests": {"cpu": "2", "hugepages-2Mi": "8Mi",
                                 "nvidia.com/gpu": "7"}},
      "overhead": {"cpu": "100m"},
      "containers": [{"resources": {"requests": {
          "cpu": "3", "memory": "1Gi", "hugepages-2Mi": "4Mi",
          "nvidia.com/gpu": "1"}}}]})"_json;
  const Resources all = DecodeRequests(spec, nullptr);
  EXPECT_EQ(all.cpu_milli, 2100);
  EXPECT_EQ(all.memory_bytes, std::int64_t{1} << 30);
  EXPECT_EQ(all.Extended("hugepages-2Mi"), std::int64_t{8} << 20);
  EXPECT_EQ(all.Extended("nvidia.com/gpu"), 1);
}

TEST(PodRequests, LimitOfThePodCountsWhereNobodyAsksForAnything) {
  EXPECT_EQ(DecodeRequests(R"({
                "resources": {"limits": {"cpu": "8", "memory": "2Gi"}},
                "containers": [{"resources": {"requests": {"cpu": "1"}}}]})"_json,
                           nullptr),
            (Resources{.cpu_milli = 1000,
                       .memory_bytes = std::int64_t{2} << 30,
                       .pods = 1}));
}

TEST(PodRequests, PodAsAWholeIsResized) {
  const Json spec = R"({"resources": {"requests": {"cpu": "2"}}})"_json;
  EXPECT_EQ(DecodeRequests(spec, R"({
                "resources": {"requests": {"cpu": "3"}},
                "allocatedResources": {"cpu": "4"}})"_json)
                .cpu_milli,
            4000);
  EXPECT_EQ(DecodeRequests(spec, R"({"allocatedResources": {"cpu": "4"}})"_json)
                .cpu_milli,
            2000);
}

}  // namespace
}  // namespace fluxnetes::cluster
