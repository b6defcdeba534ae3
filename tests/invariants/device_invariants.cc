// 3: no device is given out twice, neither by the records nor by the claims of
// the cluster, and each pod has the devices that are recorded. 6: a claim has
// devices only while somebody needs them.
#include <algorithm>

#include "cluster/devices/claim_changes.h"
#include "matcher/devices/devices_text.h"
#include "tests/invariants/world.h"

namespace fluxnetes::testing {
namespace {

// What the placement has for this entry of spec.resourceClaims.
cluster::ClaimDevices PlacedFor(const cluster::PodClaim& entry,
                                const Place& place) {
  cluster::ClaimDevices devices;
  if (place.devices.empty()) return devices;
  for (const matcher::AllocatedDevice& each :
       matcher::ReadDevices(place.devices))
    if (each.claim == entry.name) devices.devices.push_back(each);
  return devices;
}

}  // namespace

// A device is one claim's alone, but for admin access and what is shared.
void World::CheckDevices() {
  std::map<matcher::DeviceId, const Place*> owners;
  for (const auto& [uid, place] : places) {
    if (place.devices.empty()) continue;
    for (const matcher::AllocatedDevice& each :
         matcher::ReadDevices(place.devices)) {
      if (each.admin_access || !each.share.empty() || !each.shared.empty())
        continue;
      const auto [owner, first] = owners.emplace(each.id, &place);
      if (!first)
        Say(3, "device {}/{} is given to pods {} and {}", each.id.pool,
            each.id.device, owner->second->uid, uid);
    }
  }
}

void World::CheckDeviceClaims() {
  std::map<matcher::DeviceId, std::string> owners;
  for (const auto& [key, claim] : device_claims) {
    if (!claim->allocation) continue;
    for (const matcher::AllocatedDevice& each : claim->allocation->devices) {
      if (each.admin_access || !each.share.empty()) continue;
      const auto [owner, first] = owners.emplace(each.id, key);
      if (!first)
        Say(3, "device {}/{} has been allocated to the claims {} and {}",
            each.id.pool, each.id.device, owner->second, key);
    }
    if (settled && !IsNeeded(*claim))
      Say(6, "claim {} has devices for nobody", key);
  }
  for (const auto& [uid, pod] : pods) {
    const auto place = places.find(uid);
    if (place != places.end() && Lives(*pod) && !pod->node_name.empty() &&
        !scene.GivenByOthers(uid))
      CheckDevicesOf(*pod, place->second);
  }
}

// By a pod on its node, or by one of ours that has a place.
bool World::IsNeeded(const cluster::ResourceClaim& claim) const {
  return std::ranges::any_of(
      claim.reserved_for, [&](const cluster::ClaimConsumer& consumer) {
        const auto pod = pods.find(consumer.uid);
        return pod != pods.end() && Lives(*pod->second) &&
               (!pod->second->node_name.empty() ||
                places.contains(consumer.uid));
      });
}

void World::CheckDevicesOf(const cluster::Pod& pod, const Place& place) {
  for (const cluster::PodClaim& entry : pod.resource_claims) {
    const auto found =
        device_claims.find(pod.namespace_name + "/" + entry.claim);
    if (found == device_claims.end() || !found->second->allocation) {
      Say(3, "pod {} is bound, but its claim {} has no devices", Key(pod),
          entry.name);
    } else if (!cluster::SameDevices(*found->second->allocation,
                                     PlacedFor(entry, place))) {
      Say(3, "pod {} has other devices by its claim {} than by the records, {}",
          Key(pod), entry.name, place.devices);
    }
  }
}

}  // namespace fluxnetes::testing
