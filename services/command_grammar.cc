#include "services/command_grammar.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>

namespace fluxnetes::services {
namespace {

const std::map<std::string, OutputFormat> kOutputs = {
    {"table", OutputFormat::kTable},
    {"wide", OutputFormat::kWide},
    {"json", OutputFormat::kJson},
    {"yaml", OutputFormat::kYaml},
    {"name", OutputFormat::kName}};

}  // namespace

CLI::App* AddCommand(CLI::App& to, const char* name, const char* about) {
  CLI::App* command = to.add_subcommand(name, about);
  command->footer("\nFlags that change settings: fluxnetes --help");
  return command;
}

void AddOutput(CLI::App& command, OutputFormat& output,
               const std::string& choice) {
  command
      .add_option_function<std::string>(
          "-o,--output",
          [&output, choice](const std::string& word) {
            if (("|" + choice + "|").find("|" + word + "|") ==
                std::string::npos)
              throw CLI::ValidationError(
                  "--output", fmt::format("'{}' is not allowed; right would be "
                                          "one of {}",
                                          word, choice));
            output = kOutputs.at(word);
          },
          "form of the output")
      ->type_name(choice);
}

}  // namespace fluxnetes::services
