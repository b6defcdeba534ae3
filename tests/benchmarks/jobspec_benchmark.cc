// Measures gangs that ask by a jobspec, through the schedule: 2 racks of 4
// nodes, on each a pod in each of 2 sockets with 8 cores, on 8,192 nodes of 64
// to a rack. At each step as many gangs arrive as ended before. Measured is the
// time from there to the last decision, by the clock and by the CPU time of the
// thread, which other programs of the machine hardly change. Prints a JSON
// object per row.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "cluster/json/request_json.h"
#include "workers/jobspecs/pod_jobspec.h"
#include "workers/pods/topology_labels.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNodes = 8'192;
constexpr int kNodesInRack = 64;
constexpr int kGangsAStep = 100;
constexpr std::size_t kRunning = 400;  // of at most 1,024
constexpr int kSteps = 30;
constexpr double kLeastASecond = 2'000;

constexpr const char* kGang = R"(
version: 1
resources:
  - type: rack
    count: 2
    with:
      - type: node
        count: 4
        with:
          - type: socket
            count: 2
            with:
              - {type: slot, label: default, count: 1,
                 with: [{type: core, count: 8}]}
tasks: [{command: [app], slot: default, count: {per_slot: 1}}]
attributes: null
)";

// Of this thread, in seconds.
double CpuTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) +
         static_cast<double>(time.tv_nsec) / 1e9;
}

// Of one step, for each gang.
struct Took {
  double seconds = 0;  // 0: not all were placed
  double cpu_seconds = 0;
};

class Gangs {
 public:
  Gangs() {
    schedule_.SetQueue({});
    for (int i = 0; i < kNodes; ++i) {
      cluster::Node node;
      node.name = "node" + std::to_string(i);
      node.allocatable.cpu_milli = 16'000;
      node.allocatable.memory_bytes = std::int64_t{128} << 30;
      node.allocatable.pods = 110;
      node.labels["topology.kubernetes.io/rack"] =
          "r" + std::to_string(i / kNodesInRack);
      node.structure.Own() = "sockets: 2, cores: 16";
      schedule_.SetNode(node);
    }
    PodJobspec read = ReadAlternatives(kGang, {}).front();
    pods_ = read.pods;
    for (cluster::TopologyLevel& part : read.topology.required_parts)
      part.key = KeyOfLevel(part.key, TopologyOrder());
    cluster::PodRequest request;
    request.resources = read.resources;
    request = cluster::WithTopology(std::move(request), read.topology);
    request.rules.Own().inside.jobspec = read.inside;
    request_ = schedule_.Intern(cluster::ToJson(request));
  }

  Took Step() {
    ++now_;
    while (running_.size() > kRunning) {
      schedule_.Release(running_.front(), "");
      running_.pop_front();
    }
    for (int i = 0; i < kGangsAStep; ++i) Come();
    const auto begin = Clock::now();
    const double cpu_begin = CpuTime();
    std::size_t placed = 0;
    do {
      const Decision decision = schedule_.Decide(now_);
      for (const Placed& each : decision.placed) running_.push_back(each.group);
      placed += decision.placed.size();
    } while (schedule_.More());
    const std::chrono::duration<double> took = Clock::now() - begin;
    const double cpu = CpuTime() - cpu_begin;
    if (placed != kGangsAStep) return {};
    return {took.count() / kGangsAStep, cpu / kGangsAStep};
  }

 private:
  void Come() {
    PendingGroup group;
    group.id = ++last_;
    group.queue = "default";
    group.submitted_at = cluster::Time(std::chrono::seconds(last_));
    group.duration = 3'600;
    for (int i = 0; i < pods_; ++i)
      group.members.push_back({fmt::format("{}-{}", last_, i), request_});
    schedule_.Add(std::move(group));
  }

  Schedule schedule_;
  const cluster::PodRequest* request_ = nullptr;
  int pods_ = 0;
  matcher::Time now_ = 1;
  GroupId last_ = 0;
  std::deque<GroupId> running_;
};

void Print(const char* row, const char* unit, std::vector<double> values,
           double limit) {
  std::sort(values.begin(), values.end());
  fmt::print(
      R"({{"benchmark": "jobspec", "row": "{}", "value": {:.0f}, "unit": )"
      R"("{}", "min": {:.0f}, "max": {:.0f}, "limit": {:.0f}}})"
      "\n",
      row, values[values.size() / 2], unit, values.front(), values.back(),
      limit);
}

}  // namespace
}  // namespace fluxnetes::workers

int main() {
  using namespace fluxnetes::workers;
  Gangs gangs;
  std::vector<double> rates, cpu;
  for (int i = 0; i < kSteps; ++i) {
    const Took took = gangs.Step();
    if (took.seconds == 0) {
      fmt::print(stderr, "jobspec_benchmark: not all gangs were placed\n");
      return 1;
    }
    rates.push_back(1 / took.seconds);
    cpu.push_back(took.cpu_seconds * 1e6);
  }
  Print("gangs of 2 racks x 4 nodes x 2 sockets x 8 cores", "1/s", rates,
        kLeastASecond);
  Print("CPU time of such a gang", "us", cpu, 1e6 / kLeastASecond);
}
