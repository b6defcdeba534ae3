#include <array>
#include <atomic>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "queue/runner/runner.h"
#include "queue/store/work_queue.h"
#include "sql/connection/transaction.h"
#include "tests/benchmarks/queue/job_loop.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRiverBatch = 1'000;
constexpr int kSlots = 2'000;

struct Life {
  std::vector<double> insert, work, whole;
};

// Runs River's program on a database of its own; returns its rows by name.
std::map<std::string, double> RunRiver(const std::string& program, int jobs,
                                       int runs) {
  testing::TestDatabase database(false);
  database.Execute("CREATE SCHEMA IF NOT EXISTS \"" + database.schema() + '"');
  const std::string command = program + " '" + database.options().connection +
                              "&search_path=" + database.schema() + "' " +
                              std::to_string(jobs) + " " + std::to_string(runs);
  const std::unique_ptr<FILE, decltype(&pclose)> out(
      popen(command.c_str(), "r"), pclose);
  if (!out) throw std::runtime_error("popen failed");
  std::map<std::string, double> rows;
  std::array<char, 4'096> line{};
  while (std::fgets(line.data(), line.size(), out.get()) != nullptr) {
    const auto row = nlohmann::json::parse(line.data());
    rows[row.at("row")] = row.at("value");
  }
  if (rows.size() != 3) throw std::runtime_error("River's program failed");
  return rows;
}

// The same with this library: inserts all jobs, then works them with blocking
// workers, in as many slots as River has workers.
void WorkAll(const sql::PoolOptions& options, int jobs) {
  sql::Pool pool(options);
  std::atomic<int> left = jobs;
  queue::Workers workers;
  workers.Add("benchmark", [&](queue::RunningJob&) {
    if (left.fetch_sub(1) == 1) left.notify_all();
  });
  queue::Runner runner(pool, workers, {.queues = {{kQueue, kSlots}}});
  runner.Start();
  for (int seen = left; seen > 0; seen = left) left.wait(seen);
  runner.Stop();  // ensures that all results are recorded
}

// By COPY, as in River's program.
void InsertAll(const sql::PoolOptions& options, int jobs) {
  sql::Pool pool(options);
  queue::WorkQueue queue(pool);
  queue::NewJob job;
  job.kind = "benchmark";
  job.queue = kQueue;
  job.args = Arguments();
  const std::vector<queue::NewJob> batch(kRiverBatch, job);
  for (int done = 0; done < jobs; done += kRiverBatch) {
    sql::Transaction transaction(pool);
    queue.InsertCopy(transaction, batch);
    transaction.Commit();
  }
}

Life RunHere(int jobs, int runs) {
  Life life;
  for (int run = 0; run < runs; ++run) {
    testing::TestDatabase database;
    const auto options = WithQueries(database.options());
    const auto begin = Clock::now();
    InsertAll(options, jobs);
    const double inserted = SecondsSince(begin);
    WorkAll(options, jobs);
    const double worked = SecondsSince(begin);
    if (database.Ask("SELECT count(*) FROM jobs_finished") !=
        std::to_string(jobs))
      throw std::runtime_error("not all jobs were finished");
    life.insert.push_back(jobs / inserted);
    life.work.push_back(jobs / (worked - inserted));
    life.whole.push_back(jobs / worked);
  }
  return life;
}

}  // namespace

void MeasureRiver(const Settings& settings) {
  if (settings.river.empty()) {
    std::cerr << "River is not measured: its program needs Go "
                 "(https://go.dev), which is not installed\n";
    return;
  }
  const int jobs = settings.brief ? 10'000 : 50'000;
  const int runs = settings.brief ? 1 : 5;
  const auto river = RunRiver(settings.river, jobs, runs);
  const Life here = RunHere(jobs, runs);
  Print({.name = "insert 50,000; peer: River",
         .runs = here.insert,
         .peer = river.at("insert")});
  Print({.name = "work 50,000; peer: River",
         .runs = here.work,
         .limit = 3 * river.at("work"),
         .peer = river.at("work")});
  Print({.name = "insert and work 50,000; peer: River",
         .runs = here.whole,
         .limit = 4 * river.at("whole life"),
         .peer = river.at("whole life")});
}

}  // namespace fluxnetes::benchmark
