#include <fmt/format.h>

#include <optional>

#include "tests/benchmarks/queue/life_cycle.h"
#include "tests/benchmarks/queue/rows.h"
#include "tests/benchmarks/queue/sections.h"
#include "tests/support/postgres.h"

namespace fluxnetes::benchmark {
namespace {

struct Pair {
  std::vector<Rates> ours, bare;
};

// Runs both alternately, so that both meet the same conditions.
Pair Measure(JobLoop& library, JobLoop& bare, int batch,
             const Settings& settings) {
  const int runs = settings.brief ? 3 : 7;
  const std::chrono::milliseconds duration(settings.brief ? 200 : 700);
  RunLives(library, batch, duration / 4);
  RunLives(bare, batch, duration / 4);
  Pair pair;
  for (int run = 0; run < runs; ++run) {
    pair.ours.push_back(RunLives(library, batch, duration));
    pair.bare.push_back(RunLives(bare, batch, duration));
  }
  return pair;
}

std::optional<double> LifeLimit(int batch) {
  if (batch == 100) return 40'000;
  if (batch == 1'000) return 65'000;
  return {};
}

void PrintStep(const Pair& pair, const std::string& name, double Rates::*rate,
               std::optional<double> limit, std::optional<double> share) {
  const auto library = Column(pair.ours, rate);
  const auto bare = Column(pair.bare, rate);
  Print({.name = name, .runs = library, .limit = limit, .bare = Median(bare)});
  if (share)
    Print({.name = name + ", of the bare loop's",
           .runs = Shares(library, bare),
           .unit = kTimes,
           .limit = share});
}

void PrintSteps(const Pair& pair, int batch) {
  const bool many = batch >= 100;
  PrintStep(pair, fmt::format("insert by {}", batch), &Rates::insert, {},
            batch == 1'000 ? std::optional(0.9) : std::nullopt);
  PrintStep(pair, fmt::format("lease by {}", batch), &Rates::lease, {}, {});
  PrintStep(pair, fmt::format("finish by {}", batch), &Rates::finish, {}, {});
  PrintStep(pair, fmt::format("whole life by {}", batch), &Rates::whole,
            LifeLimit(batch), many ? std::optional(0.8) : std::nullopt);
}

// The queue always keeps history; the difference to this row is its cost.
void PrintWithoutHistory(int batch, const Settings& settings) {
  testing::TestDatabase database;
  const auto bare = BareLoop(WithQueries(database.options()), false);
  const int runs = settings.brief ? 1 : 3;
  const std::chrono::milliseconds duration(settings.brief ? 200 : 700);
  RunLives(*bare, batch, duration / 4);
  std::vector<double> rates;
  for (int run = 0; run < runs; ++run)
    rates.push_back(RunLives(*bare, batch, duration).whole);
  Print({.name = fmt::format(
             "whole life by {} without history, in the bare loop alone", batch),
         .runs = rates});
}

}  // namespace

void MeasureSteps(const Settings& settings) {
  for (const int batch : {1, 10, 100, 1'000}) {
    testing::TestDatabase mine;
    testing::TestDatabase its;
    const auto library = LibraryLoop(WithQueries(mine.options()));
    const auto bare = BareLoop(WithQueries(its.options()));
    PrintSteps(Measure(*library, *bare, batch, settings), batch);
    PrintWithoutHistory(batch, settings);
  }
}

}  // namespace fluxnetes::benchmark
