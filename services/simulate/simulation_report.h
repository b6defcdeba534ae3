// A simulated course for people and programs: figures as a table or JSON, and a
// row for each group as CSV (RFC 4180). Times are seconds since the trace
// began, or since the epoch for a database's records.
//
// Pure.
// Tests: tests/services/simulate/simulate_test.cc.
#pragma once

#include <iosfwd>
#include <string>

#include "services/grammar/options.h"
#include "services/simulate/simulation_input.h"
#include "workers/simulation/simulation_summary.h"

namespace fluxnetes::services {

struct SimulationReport {
  const SimulationInput& input;
  const workers::Course& course;
  workers::SimulationSummary summary;
  double took = 0;  // seconds of real time
};

// `format`: kTable, kJson or kYaml.
std::string Write(const SimulationReport& report, OutputFormat format);

void WriteCsv(const workers::Scenario& scenario, const workers::Course& course,
              std::ostream& out);

}  // namespace fluxnetes::services
