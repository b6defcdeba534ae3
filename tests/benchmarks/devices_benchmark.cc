// Gangs of tasks with claims on nodes with 8 devices each. Each device has a
// serial number of its own, and its node is one of two NUMA domains by halves.
// The first argument is the number of nodes.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "matcher/node_devices/node_devices.h"

namespace fluxnetes::matcher {
namespace {

constexpr int kGpus = 8;
constexpr int kTasks = 64;
constexpr const char* kNumaOfGpu = "gpu.example.com/numa";
const InsideWindow kHourFromNow{0, 3'600, 0};

DeviceSlice GpusOf(const std::string& node) {
  DeviceSlice slice;
  slice.name = node;
  slice.driver = "gpu.example.com";
  slice.pool = node;
  slice.nodes.node = node;
  for (int i = 0; i < kGpus; ++i) {
    Device device;
    device.name = "gpu" + std::to_string(i);
    device.attributes["gpu.example.com/model"] = std::string("h100");
    device.attributes["gpu.example.com/uuid"] = node + std::to_string(i);
    device.attributes[kNumaOfGpu] = std::int64_t{2 * i / kGpus};
    device.capacity["gpu.example.com/memory"] = {80};
    slice.devices.push_back(std::move(device));
  }
  return slice;
}

// Two devices of one NUMA domain.
TaskDevices AlignedPair(int number = 0) {
  DeviceChoice choice;
  choice.device_class = "gpu.example.com";
  choice.count = 2;
  choice.selectors = {
      R"(device.attributes["gpu.example.com"].model == "h100")"};
  DeviceClaim claim;
  claim.name = "gpus" + std::to_string(number);
  claim.requests = {{"gpu", {choice}}};
  return {{claim}, {kNumaOfGpu}};
}

NodeDevices NodesWithGpus(NodeIndex nodes) {
  NodeDevices devices;
  DeviceClass device_class;
  device_class.name = "gpu.example.com";
  device_class.selectors = {R"(device.driver == "gpu.example.com")"};
  devices.SetClass(device_class);
  for (NodeIndex node = 0; node < nodes; ++node) {
    const std::string name = "node" + std::to_string(node);
    devices.SetNode(node, name, {});
    devices.SetSlice(GpusOf(name));
  }
  return devices;
}

// What a node is asked for most: whether a task fits, in a known state.
void FitOnNodes(benchmark::State& state) {
  const auto nodes = static_cast<NodeIndex>(state.range(0));
  NodeDevices devices = NodesWithGpus(nodes);
  const DevicesId pair = devices.Take(AlignedPair());
  for (NodeIndex node = 0; node < nodes; ++node) {
    if (!devices.Book(1, node, node, pair, kHourFromNow)) std::abort();
  }
  NodeIndex node = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(devices.Fit(node, pair, kTasks, kHourFromNow));
    if (++node == nodes) node = 0;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(FitOnNodes)->Arg(10'000);

// Gangs of 64 claims, each placed after a look at all nodes; the oldest leaves
// when half of the devices are taken.
void Gangs(benchmark::State& state) {
  const auto nodes = static_cast<NodeIndex>(state.range(0));
  NodeDevices devices = NodesWithGpus(nodes);
  const DevicesId pair = devices.Take(AlignedPair());
  std::vector<int> fits(nodes);
  std::deque<JobId> jobs;
  JobId job = 0;
  for (auto _ : state) {
    for (NodeIndex node = 0; node < nodes; ++node) {
      fits[node] = devices.Fit(node, pair, kTasks, kHourFromNow);
    }
    jobs.push_back(++job);
    int task = 0;
    for (NodeIndex node = 0; node < nodes && task < kTasks; ++node) {
      for (int i = 0; i < fits[node] && task < kTasks; ++i) {
        if (!devices.Book(job, task++, node, pair, kHourFromNow)) std::abort();
        benchmark::DoNotOptimize(devices.DevicesOf(job, task - 1));
      }
    }
    if (task < kTasks) std::abort();
    if (static_cast<NodeIndex>(jobs.size()) * kTasks * 2 > nodes * kGpus / 2) {
      devices.Cancel(jobs.front());
      jobs.pop_front();
    }
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(Gangs)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// The first look of a new request at all nodes, if its selectors are known.
void NewRequests(benchmark::State& state) {
  const auto nodes = static_cast<NodeIndex>(state.range(0));
  NodeDevices devices = NodesWithGpus(nodes);
  const DevicesId first = devices.Take(AlignedPair());
  devices.Fit(0, first, 1, kHourFromNow);
  int number = 0;
  for (auto _ : state) {
    const DevicesId pair = devices.Take(AlignedPair(++number));
    for (NodeIndex node = 0; node < nodes; ++node) {
      benchmark::DoNotOptimize(devices.Fit(node, pair, kTasks, kHourFromNow));
    }
    devices.Give(pair);
  }
}
BENCHMARK(NewRequests)->Arg(10'000)->Unit(benchmark::kMicrosecond);

// All nodes are published and asked for the first time.
void Start(benchmark::State& state) {
  const auto nodes = static_cast<NodeIndex>(state.range(0));
  for (auto _ : state) {
    NodeDevices devices = NodesWithGpus(nodes);
    const DevicesId pair = devices.Take(AlignedPair());
    for (NodeIndex node = 0; node < nodes; ++node) {
      benchmark::DoNotOptimize(devices.Fit(node, pair, kTasks, kHourFromNow));
    }
  }
}
BENCHMARK(Start)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fluxnetes::matcher
