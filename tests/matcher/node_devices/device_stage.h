// Devices and claims of tests, in a few words.
#pragma once

#include <string>
#include <vector>

#include "matcher/devices/device.h"
#include "matcher/devices/device_request.h"
#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {

inline constexpr const char* kDriver = "gpu.example.com";

// "gpu0", "gpu1", ... of model "h100", four of them in each NUMA domain.
std::vector<Device> Gpus(int count);
// The slice of a pool, which both have the name of the node, or are for all
// nodes if it is empty: then of name "net".
DeviceSlice SliceOf(const std::string& node, std::vector<Device> devices);

// A request "r" for devices of class "gpu".
DeviceRequest Want(int count, std::vector<std::string> selectors = {});
DeviceRequest Named(std::string name, DeviceRequest request);
// A claim "c" of one request, or of some.
DeviceClaim ClaimOf(std::vector<DeviceRequest> requests);
TaskDevices TaskOf(std::vector<DeviceRequest> requests);

// Nodes 0, 1, ... with names "node0", ..., the class "gpu" of all devices of
// the driver, and a slice of so many GPUs on each node.
NodeDevices DevicesOn(int nodes, int gpus);

// "gpu0 gpu1": the names of the devices that a task holds.
std::string NamesOf(const NodeDevices& devices, JobId job, int task);

inline constexpr InsideWindow kNow{10, 100, 10};

}  // namespace fluxnetes::matcher
