// Measures the simulated cluster: pods created, bound and run per second on one
// thread, with a watch and its cache, and memory per pod. Prints a JSON object
// per row.
#include <fmt/format.h>
#include <malloc.h>

#include <chrono>
#include <string>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"

namespace {

using fluxnetes::cluster::Binding;
using fluxnetes::cluster::ClusterCache;
using fluxnetes::cluster::Node;
using fluxnetes::cluster::PodPointer;
using fluxnetes::cluster::PodTemplate;
using fluxnetes::cluster::SimulatedCluster;
using fluxnetes::cluster::SimulatedClusterOptions;
using fluxnetes::cluster::Watch;
using Clock = std::chrono::steady_clock;

constexpr int kNodes = 1'000;
constexpr int kPods = 100'000;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::size_t HeapBytes() { return mallinfo2().uordblks; }

void Print(const char* what, double per_second, const char* unit) {
  fmt::print(
      "{{\"benchmark\": \"simulated_cluster\", \"what\": \"{}\", "
      "\"value\": {:.0f}, \"unit\": \"{}\"}}\n",
      what, per_second, unit);
}

void AddNodes(SimulatedCluster& cluster) {
  Node node;
  node.allocatable = {
      .cpu_milli = 128'000, .memory_bytes = 512LL << 30, .pods = 1'000};
  for (int i = 0; i < kNodes; ++i) {
    node.name = "node" + std::to_string(i);
    cluster.AddNode(node);
  }
}

void CreatePods(SimulatedCluster& cluster) {
  PodTemplate wish;
  wish.pod.namespace_name = "default";
  wish.pod.scheduler_name = "fluxnetes";
  wish.pod.request.resources = {
      .cpu_milli = 100, .memory_bytes = 64LL << 20, .pods = 1};
  for (int i = 0; i < kPods; ++i) {
    wish.pod.name = "train-pod-" + std::to_string(i);
    wish.pod.labels = {{"fluxnetes.group-name", "train-" + std::to_string(i)},
                       {"fluxnetes.group-size", "1"}};
    cluster.CreatePod(wish);
  }
}

std::vector<Binding> BindingsOfAll(const SimulatedCluster& cluster) {
  std::vector<Binding> bindings;
  for (const PodPointer& pod : cluster.TakeSnapshot().pods) {
    bindings.push_back({pod->namespace_name, pod->name, pod->uid,
                        pod->resource_version,
                        "node" + std::to_string(bindings.size() % kNodes)});
  }
  return bindings;
}

std::size_t ReadAll(Watch& watch, ClusterCache& cache) {
  std::size_t count = 0;
  while (true) {
    const auto events = watch.Next(1'000, std::chrono::milliseconds(0));
    if (events.empty()) return count;
    cache.Apply(events);
    count += events.size();
  }
}

}  // namespace

int main() {
  SimulatedClusterOptions options;
  options.watch_buffer = 1'000'000;
  SimulatedCluster cluster(options);
  AddNodes(cluster);
  ClusterCache cache;
  const auto watch = cluster.WatchAll();
  ReadAll(*watch, cache);

  const std::size_t before = HeapBytes();
  auto start = Clock::now();
  CreatePods(cluster);
  Print("create", kPods / Since(start), "pods/s");
  start = Clock::now();
  const auto events = static_cast<double>(ReadAll(*watch, cache));
  Print("watch and cache", events / Since(start), "events/s");
  Print("memory of a pending pod, cache included",
        static_cast<double>(HeapBytes() - before) / kPods, "bytes");

  const auto bindings = BindingsOfAll(cluster);
  start = Clock::now();
  cluster.Bind(bindings, std::chrono::seconds(1));
  Print("bind", kPods / Since(start), "pods/s");
  start = Clock::now();
  cluster.AdvanceTo(cluster.Now() + std::chrono::seconds(10));
  Print("start and end", kPods / Since(start), "pods/s");
  start = Clock::now();
  const auto later = static_cast<double>(ReadAll(*watch, cache));
  Print("watch and cache", later / Since(start), "events/s");
  Print("memory of a pod that ran, cache included",
        static_cast<double>(HeapBytes() - before) / kPods, "bytes");

  cluster.DropWatches();
  start = Clock::now();
  ReadAll(*watch, cache);
  Print("list anew", Since(start) * 1e3, "ms");
  return 0;
}
