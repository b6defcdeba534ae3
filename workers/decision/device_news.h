// What has changed about the devices of the cluster since the last such news:
// ResourceSlices, DeviceClasses, and the devices that ResourceClaims have been
// allocated, by whichever scheduler.
//
// Plain values.
// Tests: tests/workers/match/device_feed_test.cc.
#pragma once

#include <string>
#include <vector>

#include "matcher/devices/device_request.h"

namespace fluxnetes::workers {

struct AllocatedClaim {
  std::string claim;                              // "namespace/name"
  std::vector<matcher::AllocatedDevice> devices;  // none: it has none any more
  matcher::DeviceNodes nodes = {};
};

struct DeviceNews {
  std::vector<matcher::DeviceSlice> slices = {};  // new or changed
  std::vector<std::string> gone_slices = {};
  std::vector<matcher::DeviceClass> classes = {};  // new or changed
  std::vector<std::string> gone_classes = {};
  std::vector<AllocatedClaim> claims = {};
  bool Any() const {
    return !slices.empty() || !gone_slices.empty() || !classes.empty() ||
           !gone_classes.empty() || !claims.empty();
  }
};

}  // namespace fluxnetes::workers
