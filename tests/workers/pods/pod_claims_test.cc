#include "workers/pods/pod_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using ClaimState = PodClaim::State;
using ::testing::HasSubstr;

class PodClaims : public ::testing::Test {
 protected:
  PodClaims() {
    pod_.namespace_name = "team";
    pod_.name = "web";
    pod_.uid = "1";
    pod_.volume_claims = {"data"};
    claim_.namespace_name = "team";
    claim_.name = "data";
    class_.name = "fast";
    class_.provisioner = "example.com/disk";
  }

  template <typename Object>
  void Put(Object object) {
    object.resource_version = std::to_string(++version_);
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::make_shared<const Object>(std::move(object))};
    cache_.Apply({&event, 1});
  }
  PodClaim Look() { return ClaimsOf(pod_, cache_).at(0); }

  cluster::ClusterCache cache_;
  cluster::Pod pod_;
  cluster::VolumeClaim claim_;
  cluster::StorageClass class_;
  int version_ = 0;
};

TEST_F(PodClaims, AreMissingBeingDeletedOrLost) {
  EXPECT_THAT(Look().why, HasSubstr("does not exist"));
  claim_.terminating = true;
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("is being deleted"));
  claim_.terminating = false;
  claim_.phase = "Lost";
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("has lost its volume"));
}

TEST_F(PodClaims, AreBoundWhenBothSidesSaySo) {
  claim_.volume_name = "v";
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("is not bound to its volume \"v\" yet"));
  claim_.bind_completed = true;
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("which does not exist"));
  cluster::Volume volume;
  volume.name = "v";
  Put(volume);
  EXPECT_EQ(Look().state, ClaimState::kBound);
  EXPECT_EQ(Look().volume->name, "v");
}

TEST_F(PodClaims, WithoutAVolumeGoByTheirStorageClass) {
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("no storage class"));
  claim_.storage_class = "fast";
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("\"fast\", which does not exist"));
  Put(class_);
  EXPECT_THAT(Look().why, HasSubstr("has no volume yet"));
  class_.waits_for_consumer = true;
  Put(class_);
  EXPECT_EQ(Look().state, ClaimState::kToBeBound);
  class_.provisioner = "kubernetes.io/no-provisioner";
  Put(class_);
  EXPECT_EQ(Look().state, ClaimState::kWaits);
  EXPECT_THAT(Look().why, HasSubstr("does not choose among volumes"));
}

TEST_F(PodClaims, OfEphemeralVolumesAreThePodsOwn) {
  pod_.ephemeral_claims = {"data"};
  claim_.storage_class = "fast";
  class_.waits_for_consumer = true;
  Put(class_);
  // An earlier pod of this name.
  claim_.controller = cluster::Owner{"Pod", "web", "2"};
  Put(claim_);
  EXPECT_THAT(Look().why, HasSubstr("not the pod's own"));
  claim_.controller->uid = "1";
  Put(claim_);
  EXPECT_EQ(Look().state, ClaimState::kToBeBound);
}

}  // namespace
}  // namespace fluxnetes::workers
