#include "services/grammar/command_grammar.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>

#include "services/config/setting_values.h"

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

std::string Complaint(const CLI::App& app, const CLI::Error& error) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  std::string right;
  for (const CLI::App* command :
       at->get_subcommands([](const CLI::App*) { return true; }))
    right += (right.empty() ? "" : ", ") + command->get_name();
  if (right.empty()) return error.what();
  for (const std::string& word : app.remaining(/*recurse=*/true))
    if (!word.starts_with('-'))
      return fmt::format("'{}' is no command; right would be one of {}", word,
                         right);
  if (dynamic_cast<const CLI::RequiredError*>(&error) == nullptr)
    return error.what();
  return fmt::format("{} what? Right would be one of {}", at->get_name(),
                     right);
}

void CheckAtLeast(CLI::Option& option, std::int64_t least) {
  option.check([least](const std::string& text) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= least)
      return std::string();
    return fmt::format(
        "'{}' is not allowed; right would be a whole number, {} or more", text,
        least);
  });
}

std::chrono::milliseconds DurationOf(const char* flag, const std::string& text,
                                     std::chrono::milliseconds longest) {
  try {
    return ParseDuration(text, longest);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", flag, error.what()));
  }
}

}  // namespace fluxnetes::services
