#include "workers/match/device_feed.h"

#include <algorithm>

namespace fluxnetes::workers {
namespace {

AllocatedClaim NewsOfClaim(const cluster::ResourceClaim& claim) {
  AllocatedClaim news{Key(claim), {}, {}};
  if (!claim.allocation) return news;
  news.devices = claim.allocation->devices;
  news.nodes = claim.allocation->nodes;
  return news;
}

}  // namespace

DeviceNews AllDevices(
    const cluster::ClusterCache& cache,
    const std::function<bool(const std::string& uid)>& is_left_out) {
  DeviceNews news;
  for (const auto& slice : cache.ResourceSlices())
    news.slices.push_back(slice->slice);
  for (const auto& each : cache.DeviceClasses())
    news.classes.push_back(each->device_class);
  for (const auto& claim : cache.AllocatedClaims()) {
    const bool left_out =
        !claim->reserved_for.empty() &&
        std::ranges::all_of(claim->reserved_for, [&](const auto& consumer) {
          return is_left_out(consumer.uid);
        });
    if (!left_out) news.claims.push_back(NewsOfClaim(*claim));
  }
  return news;
}

DeviceNews ReadChanged(const cluster::ClusterCache& cache,
                       const cluster::ChangedDevices& changed) {
  DeviceNews news;
  for (const std::string& name : changed.slices) {
    if (const auto slice = cache.ResourceSliceByName(name))
      news.slices.push_back(slice->slice);
    else
      news.gone_slices.push_back(name);
  }
  for (const std::string& name : changed.classes) {
    if (const auto found = cache.DeviceClassByName(name))
      news.classes.push_back(found->device_class);
    else
      news.gone_classes.push_back(name);
  }
  for (const std::string& key : changed.claims) {
    const std::size_t slash = key.find('/');
    const auto claim =
        cache.ResourceClaimByName(key.substr(0, slash), key.substr(slash + 1));
    news.claims.push_back(claim == nullptr ? AllocatedClaim{key, {}, {}}
                                           : NewsOfClaim(*claim));
  }
  return news;
}

}  // namespace fluxnetes::workers
