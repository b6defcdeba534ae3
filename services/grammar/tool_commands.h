// The grammar of the commands about Fluxnetes itself: `fluxnetes doctor`,
// `bench`, `man` and `web`.
// Tests: tests/services/doctor/doctor_pgtest.cc,
// tests/services/manual/man_pages_test.cc, tests/scripts/web_test.
#pragma once

#include <string>

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// Options of these commands; some are completed only after parsing.
struct ToolOptions {
  DoctorOptions doctor;
  BenchOptions bench;
  ManOptions man;
  WebOptions web;
  std::string time;
};

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddDoctorCommand(CLI::App& app, ToolOptions& options, Command& chosen);
void AddBenchCommand(CLI::App& app, ToolOptions& options, Command& chosen);
void AddMatchCommand(CLI::App& app, MatchOptions& options, Command& chosen);
void AddManCommand(CLI::App& app, ToolOptions& options, Command& chosen);
void AddWebCommand(CLI::App& app, ToolOptions& options, Command& chosen);

}  // namespace fluxnetes::services
