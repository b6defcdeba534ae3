// Building blocks of the commands' grammars.
// Tests: tests/services/grammar/command_line_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "services/grammar/options.h"

namespace CLI {
class App;
class Error;
class Option;
}  // namespace CLI

namespace fluxnetes::services {

// Adds a command below another command or the program.
CLI::App* AddCommand(CLI::App& to, const char* name, const char* about);

// Adds the flag -o; `choice` lists its values: "table|json|yaml".
void AddOutput(CLI::App& command, OutputFormat& output,
               const std::string& choice);

// Requires a whole number of at least `least`.
void CheckAtLeast(CLI::Option& option, std::int64_t least);

// Returns the message for an error in what `app` read. CLI11 itself neither
// lists the commands nor names the unknown word.
std::string Complaint(const CLI::App& app, const CLI::Error& error);

// Parses the value of a flag. Throws std::invalid_argument with the flag's
// name.
std::chrono::milliseconds DurationOf(
    const char* flag, const std::string& text,
    std::chrono::milliseconds longest = std::chrono::hours(24));

}  // namespace fluxnetes::services
