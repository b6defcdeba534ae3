// Measures the upkeep of start estimates on PostgreSQL: 10,000 groups of 1 to 8
// pods in 200 shapes wait for full nodes. At each step a group ends early and
// one arrives; measured is the forecast after it: reading, simulating, writing.
// Prints a JSON object per row.
//
//   forecast_benchmark [NODES [POLICY...]]
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "cluster/json/request_json.h"
#include "queue/catalogue.h"
#include "tests/support/postgres.h"
#include "workers/catalogue.h"
#include "workers/forecast/forecaster.h"
#include "workers/loops/group_jobs.h"

namespace fluxnetes::workers {
namespace {

constexpr int kCpusOfNode = 32;
constexpr int kGroupsOnNode = 4;
constexpr int kPending = 10'000;
constexpr int kShapesPending = 200;
constexpr int kLooks = 15;

std::string RequestOfCpus(std::int64_t cpus) {
  cluster::PodRequest request;
  request.resources.cpu_milli = 1'000 * cpus;
  request.resources.memory_bytes = cpus << 30;
  request.resources.pods = 1;
  return cluster::ToJson(request);
}

sql::PoolOptions AsTheScheduler(sql::PoolOptions options) {
  options.catalogues = {queue::Catalogue(), Catalogue()};
  options.by_index_only = true;
  return options;
}

class Records {
 public:
  Records(int nodes, QueuePolicy policy)
      : nodes_(nodes), policy_(ToString(policy)) {
    database_.Execute("UPDATE queues SET queue_policy = '" + policy_ + "'");
    client_.Register();
    queue::JointLeadership(pool_, client_, {MatchQueue("default")})
        .TryAcquire();
    AddNodes();
    AddShapes();
    AddRunning();
    AddPending(kPending);
    database_.Execute("ANALYZE");
  }

  void Measure() {
    Forecaster forecaster(
        pool_, client_, cache_,
        {.interval = {}, .on_look = [this](const auto& estimates, auto cost) {
           read_.push_back(Ms(cost.read));
           looked_.push_back(Ms(cost.looked));
           wrote_.push_back(Ms(cost.wrote));
           all_.push_back(read_.back() + looked_.back() + wrote_.back());
           written_.push_back(static_cast<double>(cost.written));
           const auto first = std::span(estimates).first(
               std::min<std::size_t>(estimates.size(), 1'000));
           exact_.push_back(static_cast<double>(
               std::count_if(first.begin(), first.end(), [](const auto& each) {
                 return each.start && !each.approximate;
               })));
         }});
    forecaster.Own({"default"}, true);
    int slices = 0;
    while (forecaster.RunOnce(Now())) ++slices;
    Row("the first look", {all_.front()}, "ms");
    Row("the first look, rows written", {written_.front()}, "rows");
    Row("the first look, exact of the first 1,000", {exact_.front()}, "groups");
    Row("the first look, slices until all is seen",
        {static_cast<double>(slices)}, "slices");
    for (auto* times : {&read_, &looked_, &wrote_, &all_, &written_, &exact_})
      times->clear();
    for (int i = 0; i < kLooks; ++i) {
      EndOne();
      AddPending(1);
      ++now_;
      forecaster.Note({"default"});
      forecaster.RunOnce(Now());
    }
    Row("a look", all_, "ms", 1'000);
    Row("to read what has changed", read_, "ms");
    Row("to run ahead", looked_, "ms");
    Row("to write what differs", wrote_, "ms");
    Row("rows written", written_, "rows");
    Row("exact of the first 1,000", exact_, "groups");
  }

 private:
  static double Ms(std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1'000;
  }
  cluster::Time Now() const {
    return cluster::Time(std::chrono::seconds(now_));
  }

  void AddNodes() {
    using Kind = cluster::WatchEvent::Kind;
    std::vector<cluster::WatchEvent> events{{Kind::kListBegin, {}}};
    for (int i = 0; i < nodes_; ++i) {
      cluster::Node node;
      node.name = "node" + std::to_string(i);
      node.resource_version = "1";
      node.allocatable.cpu_milli = 1'000 * kCpusOfNode;
      node.allocatable.memory_bytes = std::int64_t{128} << 30;
      node.allocatable.pods = 110;
      events.push_back(
          {Kind::kChanged, std::make_shared<const cluster::Node>(node)});
    }
    events.push_back({Kind::kListEnd, {}});
    cache_.Apply(events);
    database_.Execute(fmt::format(
        "INSERT INTO component_nodes SELECT 'node' || i, 'default' FROM "
        "generate_series(0, {}) AS i",
        nodes_ - 1));
  }

  void AddRunning() {
    database_.Execute(fmt::format(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, "
        "priority, state, phase, shape, duration_seconds, submitted_at, "
        "promoted_at, allocated_at, bound_at) SELECT i, 'default', 'r' || i, "
        "1, 'default', 0, 'bound', NULL, 0, 600, t, t, t, t FROM "
        "generate_series(1, {0}) AS i, to_timestamp({2}) AS t;"
        "INSERT INTO allocations SELECT i, i, 'default', ARRAY['node' || i % "
        "{1}], to_timestamp({2}), to_timestamp({2} + 60 + i * 7919 % 20000), 1 "
        "FROM generate_series(1, {0}) AS i;"
        "INSERT INTO placements SELECT i, 'r' || i, 'node' || i % {1}, "
        "{3}, {4}, NULL FROM generate_series(1, {0}) AS i",
        kGroupsOnNode * nodes_, nodes_, now_,
        1'000 * kCpusOfNode / kGroupsOnNode,
        (std::int64_t{kCpusOfNode} / kGroupsOnNode) << 30));
    last_ = running_ = kGroupsOnNode * nodes_;
  }

  void AddShapes() {
    std::string rows;
    for (int i = 0; i < kShapesPending; ++i)
      rows += fmt::format("{}({}, {}, {}, '{}')", i == 0 ? "" : ", ", i,
                          1 << random_() % 4, 600 + random_() % 40'000,
                          RequestOfCpus(1 << random_() % 5));
    database_.Execute(
        "CREATE TABLE shapes (number bigint, pods integer, duration bigint, "
        "request jsonb); INSERT INTO shapes VALUES " +
        rows);
  }

  void AddPending(int count) {
    database_.Execute(fmt::format(
        "CREATE TEMPORARY TABLE come ON COMMIT DROP AS SELECT i AS id, s.* "
        "FROM generate_series({0} + 1, {0} + {1}) AS i INNER JOIN shapes AS s "
        "ON s.number = i * 7919 % {2};"
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue, "
        "priority, shape, duration_seconds, submitted_at, promoted_at) SELECT "
        "c.id, 'default', 'g' || c.id, c.pods, 'default', 0, c.number, "
        "c.duration, to_timestamp({3}), to_timestamp({3}) FROM come AS c;"
        "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name, "
        "request, resource_version, created_at) SELECT format("
        "'00000000-0000-0000-%s-%s', c.id, i), c.id, 'default', format("
        "'g%s-%s', c.id, i), 'g', c.request, '1', now() FROM come AS c CROSS "
        "JOIN LATERAL generate_series(1, c.pods) AS i",
        last_, count, kShapesPending, now_));
    last_ += count;
  }

  void EndOne() {
    const auto id = 1 + random_() % static_cast<unsigned>(running_);
    database_.Execute(fmt::format("DELETE FROM pod_groups WHERE id = {}", id));
  }

  void Row(const std::string& name, std::vector<double> values,
           const char* unit, double limit = 0) const {
    std::sort(values.begin(), values.end());
    std::string line = fmt::format(
        R"({{"benchmark": "forecast", "row": "{}, {} nodes: {}", )"
        R"("value": {:.1f}, "unit": "{}", "min": {:.1f}, "max": {:.1f})",
        policy_, nodes_, name, values[values.size() / 2], unit, values.front(),
        values.back());
    if (limit > 0) line += fmt::format(R"(, "limit": {})", limit);
    fmt::print("{}}}\n", line);
    std::fflush(stdout);
  }

  const int nodes_;
  const std::string policy_;
  std::mt19937 random_{1};
  testing::TestDatabase database_;
  sql::Pool pool_{AsTheScheduler(database_.options())};
  queue::Client client_{pool_, {.time_to_live = std::chrono::minutes(30)}};
  cluster::ClusterCache cache_;
  std::int64_t now_ = 1'700'000'000;
  std::int64_t last_ = 0;
  int running_ = 0;
  std::vector<double> read_, looked_, wrote_, all_, written_, exact_;
};

}  // namespace
}  // namespace fluxnetes::workers

int main(int argc, char** argv) {
  using namespace fluxnetes::workers;
  const int nodes = argc > 1 ? std::atoi(argv[1]) : 1'000;
  std::vector<std::string> names(argv + std::min(argc, 2), argv + argc);
  if (names.empty()) names = {"fcfs", "easy", "hybrid", "conservative"};
  for (const std::string& name : names) {
    const auto policy = ParseQueuePolicy(name);
    if (!policy || nodes < 1) {
      fmt::print(stderr, "forecast_benchmark: NODES, then queue policies\n");
      return 2;
    }
    Records(nodes, *policy).Measure();
  }
}
