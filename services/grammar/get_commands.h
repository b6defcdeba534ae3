// `fluxnetes get` and what it lists.
// Tests: tests/services/grammar/command_line_test.cc.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// Options of these commands; some are completed only after parsing.
struct GetFlags {
  GetOptions get;
  std::string namespace_name = "default";
  bool all_namespaces = false;
  std::string finished;  // a duration
};

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddGetCommands(CLI::App& app, GetFlags& flags, Command& chosen);
// One of them, below another command.
void AddGetCommand(CLI::App& get, GetOptions::What what, const char* name,
                   const std::vector<std::string>& aliases, const char* about,
                   GetFlags& flags, Command& chosen);

}  // namespace fluxnetes::services
