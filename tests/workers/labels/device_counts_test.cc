#include "workers/labels/device_counts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/devices/claim_spec.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kGpus = "gpu.deviceclass.resource.k8s.io/devices";
constexpr const char* kNics = "nic.deviceclass.resource.k8s.io/devices";

matcher::DeviceChoice Some(const std::string& device_class, int count) {
  matcher::DeviceChoice choice;
  choice.device_class = device_class;
  choice.count = count;
  return choice;
}

matcher::DeviceChoice AllOf(const std::string& device_class) {
  matcher::DeviceChoice choice = Some(device_class, 1);
  choice.all = true;
  return choice;
}

// A request of one of these alternatives.
matcher::DeviceRequest OneOf(std::vector<matcher::DeviceChoice> choices) {
  matcher::DeviceRequest request;
  request.name = "devices";
  if (choices.size() > 1) {
    for (std::size_t i = 0; i < choices.size(); ++i)
      choices[i].name = "choice" + std::to_string(i);
  }
  request.choices = std::move(choices);
  return request;
}

// A pod with a claim of these requests: its own, or of this name.
cluster::PodRequest Claiming(std::vector<matcher::DeviceRequest> requests,
                             const std::string& shared = "") {
  for (std::size_t i = 0; i < requests.size(); ++i)
    requests[i].name += std::to_string(i);
  matcher::DeviceClaim claim;
  claim.requests = std::move(requests);
  cluster::PodRequest request;
  request.rules.Own().resource_claims = {
      {.name = "devices",
       .claim = shared,
       .spec = cluster::WriteClaimSpec(claim)}};
  return request;
}

TEST(DeviceCounts, OfAClassAreTheSumOfItsRequests) {
  const DeviceCounts counts =
      CountDevices(Claiming({OneOf({Some("gpu", 2)}), OneOf({Some("nic", 1)}),
                             OneOf({Some("gpu", 3)})}));
  EXPECT_THAT(counts.own, ElementsAre(Pair(kGpus, 5), Pair(kNics, 1)));
  EXPECT_THAT(counts.shared, IsEmpty());
}

TEST(DeviceCounts, OfAlternativesAreTheMostOfEachClass) {
  const DeviceCounts counts = CountDevices(
      Claiming({OneOf({Some("gpu", 1), Some("nic", 4), Some("gpu", 2)})}));
  EXPECT_THAT(counts.own, ElementsAre(Pair(kGpus, 2), Pair(kNics, 4)));
}

TEST(DeviceCounts, OfAllDevicesAreAsManyAsAClaimCanHave) {
  EXPECT_THAT(CountDevices(Claiming({OneOf({AllOf("gpu")})})).own,
              ElementsAre(Pair(kGpus, 32)));
}

TEST(DeviceCounts, AdminAccessTakesNothing) {
  matcher::DeviceChoice looks = Some("gpu", 2);
  looks.admin_access = true;
  EXPECT_THAT(CountDevices(Claiming({OneOf({looks})})).own, IsEmpty());
}

TEST(DeviceCounts, ClaimOfSeveralPodsIsCountedByItsName) {
  const DeviceCounts counts =
      CountDevices(Claiming({OneOf({Some("gpu", 2)})}, "team/shared"));
  EXPECT_THAT(counts.own, IsEmpty());
  EXPECT_THAT(counts.shared,
              ElementsAre(Pair("team/shared", ElementsAre(Pair(kGpus, 2)))));
}

TEST(DeviceCounts, ResourcesThatCountThemAreNothingOfNodes) {
  EXPECT_EQ(ClassCountedBy(kGpus), "gpu");
  EXPECT_EQ(ClassCountedBy("nvidia.com/gpu"), "");
  cluster::Resources resources;
  resources.SetExtended(kGpus, 2);
  resources.SetExtended("nvidia.com/gpu", 1);
  EXPECT_THAT(OfNodes(resources).extended,
              ElementsAre(Pair("nvidia.com/gpu", 1)));
}

}  // namespace
}  // namespace fluxnetes::workers
