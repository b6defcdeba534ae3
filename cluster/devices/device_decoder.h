// Decodes DeviceClass and ResourceSlice from Kubernetes' JSON or Protobuf.
// Decoding never fails but for damaged Protobuf: what cannot be read, or is not
// supported, is said by a fault.
//
// Names of attributes and capacities get the domain of their driver where they
// have none: "model" of gpu.example.com is "gpu.example.com/model".
#pragma once

#include <string>

#include "cluster/devices/device_objects.h"
#include "cluster/protobuf/encoded_value.h"

namespace fluxnetes::cluster {

DeviceClass DecodeDeviceClass(const EncodedValue& object);
ResourceSlice DecodeResourceSlice(const EncodedValue& object);

// "domain/name"; and back: a name in the driver's own domain is short.
std::string FullDeviceName(const std::string& driver, const std::string& name);
std::string ShortDeviceName(const std::string& driver, const std::string& name);

}  // namespace fluxnetes::cluster
