// The parts of the benchmark of the queue, in the order in which they run; each
// on schemas of its own and printing its rows.
#pragma once

#include <string>

namespace fluxnetes::benchmark {

struct Settings {
  bool brief = false;      // shorter and fewer runs: to see that it works
  std::string river = {};  // the program that measures River; empty: none
};

// Of a client with 10,000 running jobs; first, because it looks at the whole
// process.
void MeasureMemory(const Settings& settings);
// Insert, lease, finish and whole lives by size of batch.
void MeasureSteps(const Settings& settings);
// Whole lives with several clients at once.
void MeasureClients(const Settings& settings);
// Whole lives beside a million finished jobs, and 100,000 that are scheduled.
void MeasureBeside(const Settings& settings);
// From insert to start on an idle queue.
void MeasureLatency(const Settings& settings);
// The same jobs through River.
void MeasureRiver(const Settings& settings);
// The lease while a transaction is open elsewhere for five minutes.
void MeasureHeldTransaction(const Settings& settings);

}  // namespace fluxnetes::benchmark
