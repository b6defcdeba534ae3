// DeviceClass and ResourceSlice (resource.k8s.io/v1).
//
// Plain values.
// Tests: tests/cluster/devices/device_decoder_test.cc.
#pragma once

#include <string>
#include <vector>

#include "matcher/devices/device.h"

namespace fluxnetes::cluster {

struct DeviceClass {
  std::string resource_version;
  matcher::DeviceClass device_class;
  // What drivers are to be told about devices of the class, each as JSON:
  // {"opaque":{"driver":...,"parameters":...}}
  std::vector<std::string> config = {};
  // What of it is not supported, with its place; empty: nothing. Such a class
  // has a selector that no device satisfies.
  std::string fault = {};
  bool operator==(const DeviceClass&) const = default;
};

struct ResourceSlice {
  std::string resource_version;
  matcher::DeviceSlice slice;
  // What of it is wrong or not supported, each with its place; the devices
  // concerned are left out.
  std::vector<std::string> faults = {};
  bool operator==(const ResourceSlice&) const = default;
};

}  // namespace fluxnetes::cluster
