// What the grammars of all commands are made of.
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

// A command below another, or the program.
CLI::App* AddCommand(CLI::App& to, const char* name, const char* about);

// The flag -o; `choice` is what it takes: "table|json|yaml".
void AddOutput(CLI::App& command, OutputFormat& output,
               const std::string& choice);

// The option takes a whole number, so large or larger.
void CheckAtLeast(CLI::Option& option, std::int64_t least);

// What was wrong with what `app` read. CLI11 says neither which commands there
// are nor which word is none of them.
std::string Complaint(const CLI::App& app, const CLI::Error& error);

// What the flag was given. Throws std::invalid_argument that names it.
std::chrono::milliseconds DurationOf(
    const char* flag, const std::string& text,
    std::chrono::milliseconds longest = std::chrono::hours(24));

}  // namespace fluxnetes::services
