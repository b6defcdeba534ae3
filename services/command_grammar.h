// What the grammars of all commands are made of.
#pragma once

#include <string>

#include "services/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// A command below another, or the program.
CLI::App* AddCommand(CLI::App& to, const char* name, const char* about);

// The flag -o; `choice` is what it takes: "table|json|yaml".
void AddOutput(CLI::App& command, OutputFormat& output,
               const std::string& choice);

}  // namespace fluxnetes::services
