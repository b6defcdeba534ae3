#include "workers/labels/device_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "cluster/devices/claim_spec.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

// A pod with one claim, and the claims that the cluster has.
class DeviceClaimsOfPod : public ::testing::Test {
 protected:
  static cluster::Pod PodWith(const cluster::PodClaim& claim) {
    cluster::Pod pod;
    pod.namespace_name = "science";
    pod.name = "train-0";
    pod.uid = "pod-uid";
    pod.resource_claims = {claim};
    cluster::RequestedClaim asked;
    asked.name = claim.name;
    asked.template_name = claim.template_name;
    if (claim.template_name.empty()) asked.claim = "science/" + claim.claim;
    pod.request.rules.Own().resource_claims = {asked};
    return pod;
  }

  static matcher::DeviceClaim Gpus(int count, const std::string& selector) {
    matcher::DeviceChoice choice;
    choice.device_class = "gpu.example.com";
    choice.count = count;
    if (!selector.empty()) choice.selectors = {selector};
    matcher::DeviceRequest request;
    request.name = "gpu";
    request.choices = {choice};
    matcher::DeviceClaim claim;
    claim.requests = {request};
    return claim;
  }

  void PutClaim(const std::string& name, const matcher::DeviceClaim& devices,
                std::optional<cluster::Owner> owner = {},
                bool terminating = false) {
    cluster::ResourceClaim claim;
    claim.namespace_name = "science";
    claim.name = name;
    claim.resource_version = std::to_string(++version_);
    claim.owner = std::move(owner);
    claim.terminating = terminating;
    claim.spec.Own() = cluster::ReadClaimSpec(cluster::WriteClaimSpec(devices));
    Apply(std::make_shared<const cluster::ResourceClaim>(std::move(claim)));
  }

  void Apply(const cluster::ResourceClaimPointer& claim) {
    const cluster::WatchEvent event{cluster::WatchEvent::Kind::kChanged, claim};
    cache_.Apply({&event, 1});
  }

  std::string WhyRefused(const cluster::Pod& pod) const {
    return ReadDeviceClaims(pod, cache_).refused;
  }

  cluster::ClusterCache cache_;
  int version_ = 0;
};

TEST_F(DeviceClaimsOfPod, ClaimOfItsTemplateIsReadOnceItIsMade) {
  EXPECT_THAT(WhyRefused(PodWith({"gpus", "", "two-gpus"})),
              HasSubstr("has no ResourceClaim yet, which is to be made from "
                        "the ResourceClaimTemplate \"two-gpus\""));
  const cluster::Pod pod = PodWith({"gpus", "train-0-gpus-x", "two-gpus"});
  EXPECT_THAT(WhyRefused(pod), HasSubstr("which is not there"));
  PutClaim("train-0-gpus-x", Gpus(2, ""), cluster::Owner{"Pod", "x", "other"});
  EXPECT_THAT(WhyRefused(pod), HasSubstr("was not made for this pod"));
  PutClaim("train-0-gpus-x", Gpus(2, ""),
           cluster::Owner{"Pod", "train-0", "pod-uid"});
  const DeviceClaims read = ReadDeviceClaims(pod, cache_);
  EXPECT_EQ(read.refused, "");
  ASSERT_EQ(read.claims.size(), 1U);

  cluster::PodRequest request = pod.request;
  request.rules.Own().resource_claims = read.claims;
  const matcher::TaskDevices devices = DevicesOf(request);
  ASSERT_EQ(devices.claims.size(), 1U);
  EXPECT_EQ(devices.claims[0].name, "gpus");
  EXPECT_EQ(devices.claims[0].shared, "");
  EXPECT_EQ(devices.claims[0].requests[0].choices[0].count, 2);
}

TEST_F(DeviceClaimsOfPod, ClaimThatIsNamedIsShared) {
  PutClaim("common", Gpus(1, ""));
  const cluster::Pod pod = PodWith({"gpus", "common"});
  const DeviceClaims read = ReadDeviceClaims(pod, cache_);
  EXPECT_EQ(read.refused, "");
  cluster::PodRequest request = pod.request;
  request.rules.Own().resource_claims = read.claims;
  EXPECT_EQ(DevicesOf(request).claims[0].shared, "science/common");
}

TEST_F(DeviceClaimsOfPod, ClaimThatGoesIsWaitedForAnew) {
  PutClaim("common", Gpus(1, ""), {}, /*terminating=*/true);
  EXPECT_THAT(WhyRefused(PodWith({"gpus", "common"})),
              HasSubstr("is being deleted"));
}

TEST_F(DeviceClaimsOfPod, ClaimThatIsNotNeededAsksForNothing) {
  cluster::PodClaim claim{"gpus", "", "none"};
  claim.needless = true;
  const DeviceClaims read = ReadDeviceClaims(PodWith(claim), cache_);
  EXPECT_EQ(read.refused, "");
  EXPECT_TRUE(read.claims.empty());
}

TEST_F(DeviceClaimsOfPod, SelectorThatIsWrongIsNamed) {
  PutClaim("common", Gpus(1, "device.driver =="));
  EXPECT_THAT(WhyRefused(PodWith({"gpus", "common"})),
              HasSubstr("the ResourceClaim science/common: request \"gpu\", "
                        "selector \"device.driver ==\": "));
}

TEST_F(DeviceClaimsOfPod, SpecThatIsNotSupportedIsNamed) {
  cluster::ResourceClaim claim;
  claim.namespace_name = "science";
  claim.name = "common";
  claim.resource_version = "1";
  claim.spec.Own().fault = "devices.requests[0].shape: not supported";
  Apply(std::make_shared<const cluster::ResourceClaim>(std::move(claim)));
  EXPECT_EQ(WhyRefused(PodWith({"gpus", "common"})),
            "the ResourceClaim science/common: devices.requests[0].shape: not "
            "supported");
}

}  // namespace
}  // namespace fluxnetes::workers
