// Measures the whole path of a pod: a scheduler in this process on a simulated
// cluster in real time and on a durable PostgreSQL (FLUXNETES_TEST_POSTGRES, or
// a private one). Prints one JSON object per row.
//
//   pipeline_benchmark [ROW [RUNS]]     latency, ones, gangs, restart, memory

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"
#include "services/config/log.h"
#include "services/serve/malloc_arenas.h"
#include "services/serve/scheduler.h"
#include "tests/support/postgres.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

void PrintRow(const std::string& row, const std::string& unit,
              std::vector<double> values, double limit) {
  std::sort(values.begin(), values.end());
  std::cout << nlohmann::json{{"row", row},
                              {"unit", unit},
                              {"value", values[values.size() / 2]},
                              {"min", values.front()},
                              {"max", values.back()},
                              {"limit", limit}}
                   .dump()
            << std::endl;
}

double Seconds(steady_clock::time_point from) {
  return duration<double>(steady_clock::now() - from).count();
}

double ResidentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  long total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(getpagesize()) /
         1e6;
}

// A scheduler with a new cluster and database.
class Pipeline {
 public:
  explicit Pipeline(int nodes, std::int64_t cpu_milli = 64'000)
      : cluster_({.real_time = true, .watch_buffer = 300'000}),
        log_({.level = services::LogLevel::kError}) {
    for (int i = 0; i < nodes; ++i) {
      cluster::Node node;
      node.name = "node" + std::to_string(i);
      node.allocatable.cpu_milli = cpu_milli;
      node.allocatable.memory_bytes = std::int64_t{256} << 30;
      node.allocatable.pods = 110;
      cluster_.AddNode(node);
    }
  }

  void Start() {
    services::SchedulerOptions options;
    options.database = database_.options();
    scheduler_ = std::make_unique<services::Scheduler>(options, cluster_, log_);
    scheduler_->Start();
    while (!scheduler_->Running()) {
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  void Stop() { scheduler_.reset(); }

  // Creates `pods` pods in groups of `size`.
  void Create(int pods, int size, std::int64_t cpu_milli = 100) {
    for (int i = 0; i < pods; ++i) {
      cluster::PodTemplate made;
      made.pod.namespace_name = "default";
      made.pod.name = "pod" + std::to_string(next_pod_++);
      made.pod.scheduler_name = "fluxnetes";
      made.pod.request.resources.cpu_milli = cpu_milli;
      made.pod.request.resources.memory_bytes = std::int64_t{64} << 20;
      made.pod.request.resources.pods = 1;
      made.run.length.reset();
      if (size > 1) {
        const int group = next_group_ + i / size;
        made.pod.labels["fluxnetes.group-name"] =
            "gang" + std::to_string(group);
        made.pod.labels["fluxnetes.group-size"] = std::to_string(size);
      }
      cluster_.CreatePod(made);
    }
    next_group_ += pods / size + 1;
  }

  void WaitForBindings(std::size_t count) {
    while (cluster_.Bindings(count - 1).empty()) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  }

  // Waits until this many groups are pending in the table.
  void WaitForPending(const std::string& groups) {
    while (database_.Ask("SELECT count(*) FROM jobs WHERE kind = 'match' AND "
                         "state = 'running'") != groups) {
      std::this_thread::sleep_for(milliseconds(100));
    }
  }

  cluster::SimulatedCluster& cluster() { return cluster_; }
  TestDatabase& database() { return database_; }

 private:
  TestDatabase database_;
  cluster::SimulatedCluster cluster_;
  services::Log log_;
  std::unique_ptr<services::Scheduler> scheduler_;
  int next_pod_ = 0;
  int next_group_ = 0;
};

void MeasureLatency(int runs) {
  std::vector<double> medians, tails;
  for (int run = 0; run < runs; ++run) {
    Pipeline pipeline(1'000);
    pipeline.Start();
    pipeline.Create(20, 1);
    pipeline.WaitForBindings(20);
    std::vector<double> times;
    for (int i = 0; i < 200; ++i) {
      const auto begin = steady_clock::now();
      pipeline.Create(1, 1);
      pipeline.WaitForBindings(21 + static_cast<std::size_t>(i));
      times.push_back(Seconds(begin) * 1e3);
      std::this_thread::sleep_for(milliseconds(20));  // become idle
    }
    std::sort(times.begin(), times.end());
    medians.push_back(times[100]);
    tails.push_back(times[198]);
  }
  PrintRow("last member to binding, idle, p50", "ms", medians, 10);
  PrintRow("last member to binding, idle, p99", "ms", tails, 30);
}

void MeasureThroughput(int size, double limit, int runs) {
  std::vector<double> rates;
  for (int run = 0; run < runs; ++run) {
    Pipeline pipeline(1'000);
    pipeline.Start();
    constexpr int kPods = 10'000;
    const auto begin = steady_clock::now();
    pipeline.Create(kPods, size);
    pipeline.WaitForBindings(kPods);
    rates.push_back(kPods / Seconds(begin));
  }
  PrintRow("submitted to bound, groups of " + std::to_string(size), "pods/s",
           rates, limit);
}

void MeasureRestart(int runs) {
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    Pipeline pipeline(1'000, 1'050);
    pipeline.Start();
    pipeline.Create(10'000, 1, 100);
    pipeline.WaitForBindings(10'000);
    pipeline.Create(10'000, 1, 100);  // leaves 50m on each node
    pipeline.WaitForPending("10000");
    pipeline.Stop();
    pipeline.Create(1, 1, 50);
    const auto begin = steady_clock::now();
    pipeline.Start();
    pipeline.WaitForBindings(10'001);
    times.push_back(Seconds(begin));
  }
  PrintRow("restart to first decision, 10,000 running, 10,000 pending", "s",
           times, 2);
}

void MeasureMemory(int /*runs*/) {
  Pipeline pipeline(1'000, 1);
  pipeline.Start();
  pipeline.Create(100'000, 1);
  pipeline.WaitForPending("100000");
  PrintRow("resident with 100,000 pending pods, cluster included", "MB",
           {ResidentMegabytes()}, 300);
}

int Run(const std::string& only, int runs) {
  const std::vector<std::pair<std::string, std::function<void(int)>>> rows = {
      {"latency", MeasureLatency},
      {"ones", [](int n) { MeasureThroughput(1, 5'000, n); }},
      {"gangs", [](int n) { MeasureThroughput(16, 10'000, n); }},
      {"restart", MeasureRestart},
      {"memory", MeasureMemory},
  };
  bool found = false;
  for (const auto& [name, measure] : rows) {
    if (!only.empty() && only != name) continue;
    found = true;
    measure(runs);
  }
  if (!found) std::cerr << "error: no row '" << only << "'\n";
  return found ? 0 : 2;
}

}  // namespace
}  // namespace fluxnetes::testing

int main(int argc, char** argv) {
  fluxnetes::services::CapArenas();
  return fluxnetes::testing::Run(argc > 1 ? argv[1] : "",
                                 argc > 2 ? std::atoi(argv[2]) : 3);
}
