// The parts of the queue's benchmark, in the order of execution; each uses
// schemas of its own and prints its rows.
#pragma once

#include <string>

namespace fluxnetes::benchmark {

struct Settings {
  bool brief = false;      // shorter and fewer runs: to check that it works
  std::string river = {};  // the program that measures River; empty: none
};

// Memory of a client with 10,000 running jobs; runs first, because it measures
// the whole process.
void MeasureMemory(const Settings& settings);
// Insert, lease, finish and whole life cycles by batch size.
void MeasureSteps(const Settings& settings);
// Whole life cycles with several clients at once.
void MeasureClients(const Settings& settings);
// Whole life cycles beside a million finished jobs and 100,000 scheduled ones.
void MeasureBeside(const Settings& settings);
// From insert to start on an idle queue.
void MeasureLatency(const Settings& settings);
// The same jobs through River.
void MeasureRiver(const Settings& settings);
// Leases while another transaction stays open for five minutes.
void MeasureHeldTransaction(const Settings& settings);

}  // namespace fluxnetes::benchmark
