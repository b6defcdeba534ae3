#include "device_stage.h"

#include <utility>

#include "matcher/devices/devices_text.h"

namespace fluxnetes::matcher {

std::vector<Device> Gpus(int count) {
  constexpr int kOfDomain = 4;
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) {
    Device device;
    device.name = "gpu" + std::to_string(i);
    device.attributes["gpu.example.com/model"] = std::string("h100");
    device.attributes["gpu.example.com/numa"] = std::int64_t{i / kOfDomain};
    device.attributes["gpu.example.com/index"] = std::int64_t{i};
    devices.push_back(std::move(device));
  }
  return devices;
}

DeviceSlice SliceOf(const std::string& node, std::vector<Device> devices) {
  DeviceSlice slice;
  slice.name = node.empty() ? "net" : node;
  slice.driver = kDriver;
  slice.pool = slice.name;
  slice.nodes.node = node;
  slice.nodes.all = node.empty();
  slice.devices = std::move(devices);
  return slice;
}

DeviceRequest Want(int count, std::vector<std::string> selectors) {
  DeviceChoice choice;
  choice.device_class = "gpu";
  choice.count = count;
  choice.selectors = std::move(selectors);
  return {"r", {choice}};
}

DeviceRequest Named(std::string name, DeviceRequest request) {
  request.name = std::move(name);
  return request;
}

DeviceClaim ClaimOf(std::vector<DeviceRequest> requests) {
  DeviceClaim claim;
  claim.name = "c";
  claim.requests = std::move(requests);
  return claim;
}

TaskDevices TaskOf(std::vector<DeviceRequest> requests) {
  return {{ClaimOf(std::move(requests))}, {}};
}

NodeDevices DevicesOn(int nodes, int gpus) {
  NodeDevices devices;
  DeviceClass device_class;
  device_class.name = "gpu";
  device_class.selectors = {R"(device.driver == "gpu.example.com")"};
  devices.SetClass(device_class);
  for (NodeIndex n = 0; n < nodes; ++n) {
    const std::string name = "node" + std::to_string(n);
    devices.SetNode(n, name, {{"kubernetes.io/hostname", name}});
    if (gpus > 0) devices.SetSlice(SliceOf(name, Gpus(gpus)));
  }
  return devices;
}

std::string NamesOf(const NodeDevices& devices, JobId job, int task) {
  std::string names;
  for (const auto& each : ReadDevices(devices.DevicesOf(job, task))) {
    if (!names.empty()) names += ' ';
    names += each.id.device;
  }
  return names;
}

}  // namespace fluxnetes::matcher
