#include "workers/pods/volume_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using cluster::NodeSelectorTerm;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const NodeSelectorTerm kZoneA = {{"zone", "In", {"a"}}};
const NodeSelectorTerm kZoneB = {{"zone", "In", {"b"}}};
const NodeSelectorTerm kSsd = {{"disk", "In", {"ssd"}}};

TEST(VolumeRules, BothMustHold) {
  EXPECT_THAT(Both({}, {}), IsEmpty());
  EXPECT_THAT(Both({kSsd}, {}), ElementsAre(kSsd));
  EXPECT_THAT(Both({kSsd}, {kZoneA, kZoneB}),
              ElementsAre(ElementsAre(kSsd[0], kZoneA[0]),
                          ElementsAre(kSsd[0], kZoneB[0])));
  EXPECT_THAT(Both({{}}, {kZoneA}), ElementsAre(IsEmpty()));
}

template <typename Object>
void Put(cluster::ClusterCache& cache, Object object) {
  const cluster::WatchEvent event{
      cluster::WatchEvent::Kind::kChanged,
      std::make_shared<const Object>(std::move(object))};
  cache.Apply({&event, 1});
}

TEST(VolumeRules, PodGoesWhereItsVolumesAre) {
  cluster::ClusterCache cache;
  cluster::Pod pod;
  pod.namespace_name = "team";
  pod.volume_claims = {"data", "missing"};
  EXPECT_EQ(WithVolumes(pod.request, pod, cache), pod.request);
  cluster::VolumeClaim claim;
  claim.namespace_name = "team";
  claim.name = "data";
  Put(cache, claim);
  EXPECT_EQ(WithVolumes(pod.request, pod, cache), pod.request);
  claim.volume_name = "pv-7";
  claim.bind_completed = true;
  Put(cache, claim);
  cluster::Volume volume;
  volume.name = "pv-7";
  volume.node_affinity = {kZoneA};
  Put(cache, volume);
  EXPECT_THAT(WithVolumes(pod.request, pod, cache).node_affinity,
              ElementsAre(kZoneA));
}

TEST(VolumeRules, VolumeThatIsToBeMadeGoesByItsClassAndThenByItsNode) {
  cluster::ClusterCache cache;
  cluster::StorageClass local;
  local.name = "local";
  local.provisioner = "example.com/disk";
  local.waits_for_consumer = true;
  local.allowed_topologies = {kZoneA, kZoneB};
  Put(cache, local);
  cluster::VolumeClaim claim;
  claim.namespace_name = "team";
  claim.name = "data";
  claim.storage_class = "local";
  Put(cache, claim);
  cluster::Pod pod;
  pod.namespace_name = "team";
  pod.volume_claims = {"data"};
  EXPECT_THAT(WithVolumes(pod.request, pod, cache).node_affinity,
              ElementsAre(kZoneA, kZoneB));
  claim.selected_node = "n7";
  Put(cache, claim);
  EXPECT_THAT(WithVolumes(pod.request, pod, cache).node_affinity,
              ElementsAre(ElementsAre(cluster::NodeRequirement{
                  "metadata.name", "In", {"n7"}, true})));
}

}  // namespace
}  // namespace fluxnetes::workers
