// The grammar of the commands about Fluxnetes itself: `fluxnetes doctor`,
// `bench` and `man`.
#pragma once

#include <string>

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// Options of these commands, and what is made of them only at the end.
struct ToolOptions {
  DoctorOptions doctor;
  BenchOptions bench;
  ManOptions man;
  std::string time;
};

// When one of these is read its options are filled and become `chosen`; all
// must outlive the application.
void AddDoctorCommand(CLI::App& app, ToolOptions& options, Command& chosen);
void AddBenchCommand(CLI::App& app, ToolOptions& options, Command& chosen);
void AddManCommand(CLI::App& app, ToolOptions& options, Command& chosen);

}  // namespace fluxnetes::services
