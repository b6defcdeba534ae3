// A selector of devices on 80,000 devices, as on 10,000 nodes with 8 each. The
// devices have the attributes that drivers of GPUs publish.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "matcher/devices/device_selector.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kDevices = 80'000;
const std::string kDriver = "gpu.example.com";

std::vector<Device> Devices() {
  std::vector<Device> devices;
  for (int i = 0; i < kDevices; ++i) {
    const std::string number = std::to_string(i);
    devices.push_back(
        {.name = "gpu-" + std::to_string(i % 8),
         .attributes = {{kDriver + "/type", std::string("gpu")},
                        {kDriver + "/productName",
                         std::string(i % 2 == 0 ? "H100 80GB" : "A100 40GB")},
                        {kDriver + "/architecture", std::string("Hopper")},
                        {kDriver + "/uuid", "GPU-" + number},
                        {kDriver + "/index", std::int64_t{i % 8}},
                        {kDriver + "/minor", std::int64_t{i % 8}},
                        {kDriver + "/cudaComputeCapability",
                         DeviceVersion{"9.0.0"}},
                        {kDriver + "/driverVersion",
                         DeviceVersion{"550.127.5"}},
                        {"resource.kubernetes.io/pcieRoot",
                         "pci0000:" + std::to_string(i % 8)}},
         .capacity = {{kDriver + "/memory",
                       *ReadAmount(i % 2 == 0 ? "80Gi" : "40Gi")}}});
  }
  return devices;
}

void Run(benchmark::State& state, const std::string& expression) {
  const std::vector<Device> devices = Devices();
  for (auto _ : state) {
    const DeviceSelector selector(expression);
    int matching = 0;
    for (const Device& device : devices) {
      const auto verdict = selector.Evaluate(kDriver, device);
      if (!verdict.error.empty()) std::abort();
      matching += verdict.matches;
    }
    if (matching != kDevices / 2) std::abort();
  }
}

// The name, a pattern and the memory, as in claims.
void SelectDevices(benchmark::State& state) {
  Run(state,
      "device.driver == 'gpu.example.com' && "
      "device.attributes['gpu.example.com'].productName.startsWith('H') && "
      "device.capacity['gpu.example.com'].memory"
      ".isGreaterThan(quantity('40Gi'))");
}
BENCHMARK(SelectDevices)
    ->Name("a selector on 80,000 devices")
    ->Unit(benchmark::kMillisecond);

void SelectDevicesByPattern(benchmark::State& state) {
  Run(state,
      "device.attributes['gpu.example.com'].productName"
      ".lowerAscii().matches('^h[0-9]+.*80gb$')");
}
BENCHMARK(SelectDevicesByPattern)
    ->Name("a pattern on 80,000 devices")
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fluxnetes::matcher
