// Devices of claims in `fluxnetes simulate`: who gets them, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/simulate/simulated_manifests.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using SimulatedDevices = SimulatedManifests;

constexpr const char* kTwoGpus = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: two-gpus}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: gpu.example.com, count: 2}
---
)";
constexpr const char* kGpuClass = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu.example.com}
spec:
  selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]
---
)";
// Four GPUs of the only node.
constexpr const char* kGpus = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus-of-node}
spec:
  driver: gpu.example.com
  nodeName: node
  pool: {name: node, generation: 1, resourceSliceCount: 1}
  devices: [{name: gpu-0}, {name: gpu-1}, {name: gpu-2}, {name: gpu-3}]
---
)";
constexpr const char* kTemplated =
    "  resourceClaims: [{name: gpus, resourceClaimTemplateName: two-gpus}]\n";

TEST_F(SimulatedDevices, WithClaimsWaitForDevices) {
  const std::string pods = PodWith("a", "", kTemplated) +
                           PodWith("b", "", kTemplated) + PodWith("d", "") +
                           PodWith("c", "", kTemplated);
  EXPECT_EQ(StartsOf(std::string(kTwoGpus) + kGpuClass + kGpus + pods, "", 8),
            (ManifestStarts{{"default/a", 0},
                            {"default/b", 0},
                            {"default/c", 10},
                            {"default/d", 0}}));
  EXPECT_EQ(StartsOf(std::string(kTwoGpus) + kGpuClass + pods, "", 8),
            (ManifestStarts{{"default/a", -1},
                            {"default/b", -1},
                            {"default/c", -1},
                            {"default/d", 0}}));
}

TEST_F(SimulatedDevices, OfOneClaimShareItsDevices) {
  const std::string claim = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: three}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: gpu.example.com, count: 3}
---
)";
  const std::string shares =
      "  resourceClaims: [{name: gpus, resourceClaimName: three}]\n";
  EXPECT_EQ(StartsOf(std::string(kGpuClass) + kGpus + kTwoGpus + claim +
                         PodWith("a", "", shares) + PodWith("b", "", shares) +
                         PodWith("own", "", kTemplated),
                     "", 8),
            (ManifestStarts{
                {"default/a", 0}, {"default/b", 0}, {"default/own", 10}}));
}

TEST_F(SimulatedDevices, TakeNoDevicesThatAClaimHasAlready) {
  const std::string taken = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: taken}
spec:
  devices:
    requests:
    - name: gpu
      exactly: {deviceClassName: gpu.example.com, count: 2}
status:
  allocation:
    devices:
      results:
      - {request: gpu, driver: gpu.example.com, pool: node, device: gpu-1}
      - {request: gpu, driver: gpu.example.com, pool: node, device: gpu-2}
---
)";
  EXPECT_EQ(
      StartsOf(std::string(kGpuClass) + kGpus + kTwoGpus + taken +
                   PodWith("its", "",
                           "  resourceClaims: [{name: gpus, "
                           "resourceClaimName: taken}]\n") +
                   PodWith("a", "", kTemplated) + PodWith("b", "", kTemplated),
               "", 8),
      (ManifestStarts{
          {"default/its", 0}, {"default/a", 0}, {"default/b", 10}}));
}

TEST_F(SimulatedDevices, HaveDevicesOfTheFileOfNodes) {
  const std::string nodes =
      "--nodes " + FileWith("gpus.yaml",
                            "nodes: [{name: node, cpu: 8, memory: "
                            "8Gi}]\n---" +
                                std::string(kGpuClass) + kGpus);
  const std::string pods =
      " -f " + FileWith("pods.yaml", kTwoGpus + PodWith("a", "", kTemplated) +
                                         PodWith("b", "", kTemplated) +
                                         PodWith("c", "", kTemplated));
  EXPECT_EQ(RunToJson(nodes + pods)["makespan"], 20);
  EXPECT_EQ(RunToJson(nodes + pods + " --add-nodes 1:like=node")["makespan"],
            10);
}

// A GPU and a NIC of two vendors, of which each says the domain by a name of
// its own; the NICs are in the second domain.
constexpr const char* kDevicesInDomains = R"(
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: nic.example.org}
spec:
  selectors: [{cel: {expression: 'device.driver == "nic.example.org"'}}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: gpus-of-node}
spec:
  driver: gpu.example.com
  nodeName: node
  pool: {name: node-gpus, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: gpu-0, attributes: {resource.kubernetes.io/numaNode: {int: 0}}}
  - {name: gpu-1, attributes: {resource.kubernetes.io/numaNode: {int: 0}}}
  - {name: gpu-2, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}
  - {name: gpu-3, attributes: {resource.kubernetes.io/numaNode: {int: 1}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: nics-of-node}
spec:
  driver: nic.example.org
  nodeName: node
  pool: {name: node-nics, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: nic-0, attributes: {numa: {int: 1}}}
  - {name: nic-1, attributes: {numa: {int: 1}}}
---
)";
constexpr const char* kTemplates = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly: {deviceClassName: gpu.example.com}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: nic}
spec:
  spec:
    devices:
      requests:
      - name: nic
        exactly: {deviceClassName: nic.example.org}
---
)";

// A pod of three cpus with a claim of each of these templates.
std::string PodInDomain(const std::string& name, const std::string& align,
                        const std::vector<std::string>& templates) {
  std::string claims;
  for (const std::string& each : templates)
    claims +=
        "  - {name: " + each + ", resourceClaimTemplateName: " + each + "}\n";
  std::string pod =
      PodWith(name, align.empty() ? "" : "fluxnetes.align: " + align,
              "  resourceClaims:\n" + claims);
  return pod.replace(pod.find("cpu: \"1\""), 8, "cpu: \"3\"");
}

TEST_F(SimulatedDevices, KeepDevicesOfClaimsWithTheirCpus) {
  const std::string nodes =
      "--nodes " +
      FileWith("domains.yaml",
               "nodes: [{name: node, cpu: 8, memory: 8Gi, structure: "
               "\"sockets: 2, numa: 2, cores: 8\"}]\n---" +
                   std::string(kGpuClass) + kDevicesInDomains) +
      " -f ";
  const auto seconds = [&](const std::string& align,
                           const std::vector<std::string>& templates) {
    return RunToJson(nodes +
                     FileWith("pods.yaml",
                              kTemplates + PodInDomain("a", align, templates) +
                                  PodInDomain("b", align, templates)))
        .at("makespan");
  };
  // Each domain has the cpus and GPUs of one pod; the NICs are all in one.
  EXPECT_EQ(seconds("numa", {"gpu"}), 10);
  EXPECT_EQ(seconds("", {"gpu", "nic"}), 10);
  EXPECT_EQ(seconds("numa", {"gpu", "nic"}), 20);
  EXPECT_EQ(seconds("socket", {"gpu", "nic"}), 20);
}

TEST_F(SimulatedDevices, WithClaimsOfAMissingTemplateAreLeftOut) {
  StartsOf(kGpuClass + PodWith("a", "", kTemplated) + PodWith("b", ""));
  EXPECT_THAT(
      run_.err(),
      HasSubstr("is to be made from the ResourceClaimTemplate "
                "\"two-gpus\"; the pod waits for it, and was left out"));
}

TEST_F(SimulatedDevices, RefuseDevicesThatAreWrongOrThereTwice) {
  const auto fault = [this](const std::string& manifests) {
    EXPECT_NE(
        run_("simulate -f " + FileWith("wrong.yaml", manifests) + " --nodes " +
             FileWith("nodes.yaml",
                      "nodes: [{name: node, cpu: 1, memory: 1Gi}]")),
        ExitCode::kOk);
    return run_.err();
  };
  EXPECT_THAT(fault(std::string(kGpus) + kGpus),
              HasSubstr("ResourceSlice \"gpus-of-node\" is there twice"));
  std::string odd = kTwoGpus;
  odd.replace(odd.find("count: 2"), 8, "shape: 2");
  EXPECT_THAT(fault(odd), HasSubstr("ResourceClaimTemplate \"two-gpus\": "
                                    "spec.spec.devices.requests[0].exactly."
                                    "shape: this field is not supported"));
  std::string poolless = kGpus;
  poolless.replace(poolless.find("pool:"), 5, "pond:");
  EXPECT_THAT(fault(poolless), HasSubstr("spec.pool"));
}

}  // namespace
}  // namespace fluxnetes::services
