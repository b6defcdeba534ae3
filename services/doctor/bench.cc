#include "services/doctor/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>

#include "migrations/migrations.h"
#include "queue/catalogue.h"
#include "queue/clients/client.h"
#include "queue/store/work_queue.h"
#include "services/console/table.h"
#include "services/database/database.h"
#include "services/doctor/bench_queries.h"
#include "services/simulate/simulation_snapshot.h"
#include "sql/connection/transaction.h"
#include "workers/simulation/simulation.h"
#include "workers/simulation/trace_scenario.h"

namespace fluxnetes::services {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kSchema = "fluxnetes_bench";
constexpr const char* kQueue = "bench";
constexpr int kRuns = 5;
constexpr int kJobsAtOnce = 100;
constexpr int kGroups = 2'000;
constexpr int kNodesOfNone = 1'000;  // if the database has no nodes
constexpr int kCpusOfNone = 16;

struct Row {
  std::string name;
  std::string unit;            // "1/s", "ms"
  std::vector<double> values;  // one per run
};

// Measures the steps per second in kRuns runs that take `time` in all. The time
// of `prepare`, called before each step, is not counted.
Row RateOf(
    const std::string& name, std::chrono::duration<double> time,
    const std::function<int()>& step,
    const std::function<void()>& prepare = [] {}) {
  Row row{name, "1/s", {}};
  for (int run = 0; run < kRuns; ++run) {
    std::int64_t done = 0;
    double took = 0;
    do {
      prepare();
      const auto from = Clock::now();
      done += step();
      took += std::chrono::duration<double>(Clock::now() - from).count();
    } while (took < time.count() / kRuns);
    row.values.push_back(static_cast<double>(done) / took);
  }
  return row;
}

Row TimeOf(const std::string& name, std::chrono::duration<double> time,
           const std::function<void()>& step) {
  Row row = RateOf(name, time, [&] {
    step();
    return 1;
  });
  row.unit = "ms";
  for (double& value : row.values) value = 1'000 / value;
  return row;
}

// A schema with a work queue, for the lifetime of this object.
class BenchSchema {
 public:
  explicit BenchSchema(const Config& config)
      : pool_(ConnectDatabase(InSchema(config), {})) {
    sql::Transaction transaction(*pool_);
    try {
      transaction.RunScript(queries::kMakeBenchSchema.text);
      for (const sql::Migration& migration : migrations::Queue())
        transaction.RunScript(migration.script);
      transaction.Commit();
    } catch (const sql::Error& error) {
      if (error.sqlstate() == "42P06")
        throw Failure(ExitCode::kFailed,
                      "there is a schema fluxnetes_bench already",
                      "Another bench runs, or one was killed: DROP SCHEMA "
                      "fluxnetes_bench CASCADE.");
      if (error.sqlstate() == "42501")
        throw Failure(ExitCode::kFailed,
                      "no right to make the schema that is measured in",
                      "GRANT CREATE ON DATABASE name TO role, or run it as the "
                      "owner of the database.");
      throw;
    }
  }
  ~BenchSchema() {
    try {
      sql::Transaction transaction(*pool_);
      transaction.RunScript(queries::kDropBenchSchema.text);
      transaction.Commit();
    } catch (const std::exception&) {
      // The next run reports the leftover schema.
    }
  }
  BenchSchema(const BenchSchema&) = delete;
  BenchSchema& operator=(const BenchSchema&) = delete;

  static Config InSchema(Config config) {
    config.database.schema = kSchema;
    return config;
  }

 private:
  std::unique_ptr<sql::Pool> pool_;
};

std::vector<queue::NewJob> Batch() {
  queue::NewJob job;
  job.kind = "bench";
  job.queue = kQueue;
  return std::vector<queue::NewJob>(kJobsAtOnce, job);
}

std::vector<Row> MeasureDatabase(const Config& config,
                                 std::chrono::duration<double> time) {
  const BenchSchema schema(config);
  const auto pool = ConnectDatabase(BenchSchema::InSchema(config),
                                    {queue::Catalogue(), queries::kAllBench});
  queue::WorkQueue work(*pool);
  queue::Client client(*pool, {});
  client.Start();
  std::vector<Row> rows;
  rows.push_back(TimeOf("database round trip", time, [&] {
    sql::Transaction transaction(*pool, sql::Isolation::kReadOnly);
    transaction.Run(queries::kPing);
  }));
  const std::vector<queue::NewJob> one(1, Batch().front());
  rows.push_back(
      TimeOf("durable commit of a job", time, [&] { work.Insert(one); }));
  rows.push_back(RateOf("jobs inserted, 100 at a time", time, [&] {
    work.Insert(Batch());
    return kJobsAtOnce;
  }));
  rows.push_back(RateOf(
      "jobs leased and finished, 100 at a time", time,
      [&] {
        std::vector<queue::JobResult> results;
        for (const queue::Job& job :
             work.Lease(kQueue, client.id(), kJobsAtOnce)) {
          results.emplace_back().id = job.id;
          results.back().attempt = job.attempt;
        }
        work.Finish(results);
        return static_cast<int>(results.size());
      },
      [&] { work.Insert(Batch()); }));
  client.Stop();
  return rows;
}

// The given nodes, empty, and kGroups gangs of 1 to 8 pods of one cpu each that
// arrive at once.
workers::Scenario GangsOn(std::vector<cluster::Node> nodes) {
  workers::Scenario scenario;
  scenario.nodes = std::move(nodes);
  scenario.queues = {{}};
  scenario.users = {"bench"};
  scenario.requests.emplace_back().request.resources = {.cpu_milli = 1'000,
                                                        .pods = 1};
  for (int pods = 1; pods <= 8; ++pods)
    scenario.shapes.push_back({{.request = 0, .count = pods}});
  for (int i = 0; i < kGroups; ++i) {
    workers::Scenario::Group& group = scenario.groups.emplace_back();
    group.name = fmt::format("bench/{}", i);
    group.shape = i % 8;
    group.duration = group.runs = 600 + i % 7 * 60;
  }
  return scenario;
}

Row MeasureDecisions(sql::Pool& pool, std::chrono::duration<double> time) {
  std::vector<cluster::Node> nodes = ReadSnapshotNodes(pool);
  const bool known = !nodes.empty();
  if (!known) nodes = workers::NodesOfCpus(kNodesOfNone, kCpusOfNone);
  const std::string name =
      fmt::format("gangs decided on, of {} on {} {}empty nodes", kGroups,
                  nodes.size(), known ? "" : "invented ");
  const workers::Scenario scenario = GangsOn(std::move(nodes));
  return RateOf(name, time, [&] {
    workers::SimulationOptions options;
    options.until = scenario.begin;  // one cycle over all groups
    const workers::Course course = workers::Simulate(scenario, options);
    return static_cast<int>(course.groups.size());
  });
}

nlohmann::ordered_json RowToJson(Row row) {
  std::ranges::sort(row.values);
  return {{"row", row.name},
          {"value", row.values[row.values.size() / 2]},
          {"unit", row.unit},
          {"min", row.values.front()},
          {"max", row.values.back()}};
}

std::string Figure(double value) {
  return value < 100 ? fmt::format("{:.3g}", value)
                     : fmt::format("{:.0f}", value);
}

}  // namespace

ExitCode RunBench(const BenchOptions& options, const Config& config,
                  sql::Pool& pool, Console& console) {
  std::vector<Row> rows = MeasureDatabase(config, options.time);
  rows.push_back(MeasureDecisions(pool, options.time));
  if (options.output == OutputFormat::kJson) {
    for (const Row& row : rows) console.out << RowToJson(row).dump() << '\n';
    return ExitCode::kOk;
  }
  Table table({"ROW", ">MEDIAN", "UNIT", ">LEAST", ">MOST"});
  for (Row& row : rows) {
    std::ranges::sort(row.values);
    table.Add({row.name, Figure(row.values[row.values.size() / 2]), row.unit,
               Figure(row.values.front()), Figure(row.values.back())});
  }
  console.out << table.Text({.columns = console.size().first});
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
