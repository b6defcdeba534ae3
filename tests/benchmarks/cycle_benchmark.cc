// Measures a scheduling cycle on a large cluster: 100,000 pending groups in
// 1,000 shapes, 10,000 full nodes. At each step some groups end, most of them
// early, and as many arrive as were started. Measured is the time from there to
// the first decision of the step, which has the starts, and to the last. Prints
// a JSON object per row.
//
//   cycle_benchmark [POLICY...]     fcfs, easy, hybrid, conservative
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cluster/json/request_json.h"
#include "workers/schedule/schedule.h"

namespace fluxnetes::workers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNodes = 10'000;
constexpr int kCpus = 32;
constexpr int kShapes = 1'000;
constexpr int kWaiting = 100'000;
constexpr int kSteps = 300;  // or until the time limit
constexpr std::chrono::seconds kLongest(60);
constexpr int kEndsPerStep = 3;
constexpr std::size_t kFewChanges = 100;  // of reservations

struct Shape {
  int pods = 1;
  const cluster::PodRequest* request = nullptr;
  std::int64_t duration = 0;
};

class Load {
 public:
  explicit Load(QueuePolicy policy) {
    QueueSettings queue;
    queue.queue_policy = policy;
    schedule_.SetQueue(queue);
    for (int i = 0; i < kNodes; ++i) {
      cluster::Node node;
      node.name = "node" + std::to_string(i);
      node.allocatable.cpu_milli = 1'000 * kCpus;
      node.allocatable.memory_bytes = std::int64_t{128} << 30;
      node.allocatable.pods = 110;
      schedule_.SetNode(node);
    }
    for (int i = 0; i < kShapes; ++i) shapes_.push_back(Draw());
    for (int i = 0; i < kWaiting; ++i) Come();
  }

  // Decides until nothing is left to do; returns the number of cycles.
  int Settle() {
    int cycles = 0;
    do {
      Take(schedule_.Decide(now_));
      ++cycles;
      if (cycles == 1) first_ = Clock::now();
    } while (schedule_.More());
    return cycles;
  }

  void Step() {
    ++now_;
    changed_ = 0;
    for (int i = 0; i < kEndsPerStep && !running_.empty(); ++i) {
      const auto at = random_() % running_.size();
      schedule_.Release(running_[at], "");
      running_[at] = running_.back();
      running_.pop_back();
    }
    const auto begin = Clock::now();
    cycles_.push_back(Settle());
    const auto end = Clock::now();
    const auto ms = [&](Clock::time_point to) {
      return std::chrono::duration<double, std::milli>(to - begin).count();
    };
    if (changed_ <= kFewChanges) {
      all_.push_back(ms(end));
      first_ones_.push_back(ms(first_));
    } else {
      many_.push_back(ms(end));
    }
    while (waiting_ < kWaiting) Come();
  }

  void Report(const std::string& policy, double limit) {
    Row(policy + ", until the first decision, p99", first_ones_, 0.99, limit);
    Row(policy + ", until the last decision, p50", all_, 0.5, limit);
    Row(policy + ", until the last decision, p99", all_, 0.99, limit);
    if (!many_.empty())
      Row(policy + ", where more than 100 reservations changed, p50", many_,
          0.5, 0);
  }

 private:
  Shape Draw() {
    static constexpr int kSizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 16, 32, 64};
    Shape shape;
    shape.pods = kSizes[random_() % std::size(kSizes)];
    cluster::PodRequest request;
    request.resources.cpu_milli = 1'000 << (random_() % 6);
    request.resources.memory_bytes = std::int64_t{1} << 30;
    request.resources.pods = 1;
    shape.request = schedule_.Intern(cluster::ToJson(request));
    shape.duration = 600 + static_cast<std::int64_t>(random_() % 40'000);
    return shape;
  }

  void Come() {
    const auto number = random_() % kShapes;
    const Shape& shape = shapes_[number];
    PendingGroup group;
    group.id = ++last_;
    group.queue = "default";
    group.submitted_at = cluster::Time(std::chrono::seconds(last_));
    group.shape = static_cast<std::int64_t>(number);
    group.duration = shape.duration;
    for (int i = 0; i < shape.pods; ++i)
      group.members.push_back({fmt::format("{}-{}", last_, i), shape.request});
    schedule_.Add(std::move(group));
    ++waiting_;
  }

  void Take(const Decision& decision) {
    for (const Placed& placed : decision.placed) {
      running_.push_back(placed.group);
      --waiting_;
    }
    changed_ += decision.reserved.size();
  }

  static void Row(const std::string& name, std::vector<double> times,
                  double rank, double limit) {
    if (times.empty()) return;
    std::sort(times.begin(), times.end());
    const auto at =
        static_cast<std::size_t>(rank * static_cast<double>(times.size() - 1));
    std::string line =
        fmt::format(R"({{"benchmark": "cycle", "row": "{}", "value": {:.2f}, )"
                    R"("unit": "ms", "min": {:.2f}, "max": {:.2f}, )"
                    R"("steps": {})",
                    name, times[at], times.front(), times.back(), times.size());
    if (limit > 0) line += fmt::format(R"(, "limit": {})", limit);
    fmt::print("{}}}\n", line);
    std::fflush(stdout);
  }

  std::mt19937 random_{1};
  Schedule schedule_;
  std::vector<Shape> shapes_;
  matcher::Time now_ = 1;
  GroupId last_ = 0;
  int waiting_ = 0;
  std::vector<GroupId> running_;
  std::size_t changed_ = 0;
  Clock::time_point first_;
  std::vector<double> all_, first_ones_, many_;
  std::vector<int> cycles_;
};

void Measure(QueuePolicy policy) {
  const double limit = policy == QueuePolicy::kConservative ? 50 : 10;
  Load load(policy);
  const auto begin = Clock::now();
  load.Settle();
  fmt::print(stderr, "{}: the first plan took {:.1f} s\n",
             std::string(ToString(policy)),
             std::chrono::duration<double>(Clock::now() - begin).count());
  const auto end = Clock::now() + kLongest;
  for (int i = 0; i < kSteps && Clock::now() < end; ++i) load.Step();
  load.Report(std::string(ToString(policy)), limit);
}

}  // namespace
}  // namespace fluxnetes::workers

int main(int argc, char** argv) {
  using namespace fluxnetes::workers;
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"fcfs", "easy", "hybrid", "conservative"};
  for (const std::string& name : names) {
    const auto policy = ParseQueuePolicy(name);
    if (!policy) {
      fmt::print(stderr, "cycle_benchmark: no queue policy '{}'\n", name);
      return 2;
    }
    Measure(*policy);
  }
}
