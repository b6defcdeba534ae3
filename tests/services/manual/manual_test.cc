// The manual: the program accepts every command line of `fluxnetes` that a page
// shows. tests/scripts/docs_test runs those that can run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "services/console/exit_code.h"
#include "services/grammar/command_line.h"
#include "tests/support/places.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Words = std::vector<std::string>;

// Splits a shell line into its simple commands, without expanding anything.
std::vector<Words> CommandsOfLine(const std::string& line) {
  std::vector<Words> commands(1);
  std::string word;
  bool begun = false;
  char quote = 0;
  const auto end_word = [&] {
    if (begun) commands.back().push_back(std::exchange(word, ""));
    begun = false;
  };
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word.push_back(c);
    } else if (c == '\'' || c == '"') {
      quote = c;
      begun = true;
    } else if (c == '#' && !begun) {
      break;
    } else if (std::string("|&;()<>").find(c) != std::string::npos) {
      end_word();
      commands.emplace_back();
    } else if (c == ' ') {
      end_word();
    } else {
      begun = true;
      word.push_back(c);
    }
  }
  end_word();
  return commands;
}

// Returns the arguments if the command calls the program: by itself, by kubectl
// as a plugin, or by `kubectl exec … --`.
std::optional<Words> ArgumentsOf(const Words& command) {
  for (std::size_t i = 0; i < command.size(); ++i)
    if (command[i] == "fluxnetes" && (i == 0 || command[i - 1] == "--" ||
                                      (i == 1 && command[0] == "kubectl")))
      return Words(command.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                   command.end());
  return std::nullopt;
}

bool HasDots(const std::string& line) {
  return line.find("…") != std::string::npos ||
         line.find("...") != std::string::npos;
}

// Returns the lines of a page that readers type: those in blocks of `sh`, and
// those after a "$" in other blocks.
std::vector<std::string> LinesToType(std::istream& page) {
  std::vector<std::string> lines;
  bool inside = false;
  bool shell = false;
  std::string joined;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = !inside;
      shell = line == "```sh";
      continue;
    }
    if (!inside) continue;
    if (line.starts_with("$ "))
      line.erase(0, 2);
    else if (!shell && joined.empty())
      continue;
    if (line.ends_with('\\')) {
      line.pop_back();
      joined += line;
      continue;
    }
    lines.push_back(std::exchange(joined, "") + line);
  }
  return lines;
}

// Returns the commands named in a text: `fluxnetes queue set`.
Words NamedInText(std::istream& page) {
  static const std::regex kNamed("`(fluxnetes [^`]*)`");
  Words named;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) inside = !inside;
    if (inside) continue;
    line = std::regex_replace(line, std::regex(R"(\\\|)"), "|");
    for (std::sregex_iterator at(line.begin(), line.end(), kNamed), end;
         at != end; ++at)
      if (!HasDots((*at)[1])) named.push_back((*at)[1]);
  }
  return named;
}

// Returns the parse error; empty if the program accepts the arguments.
std::string FaultOf(const Words& arguments) {
  try {
    ParseCommandLine(arguments);
    return "";
  } catch (const Failure& failure) {
    return failure.what();
  }
}

// True for a command or a group of commands such as `fluxnetes account`.
bool IsNameOfACommand(const Words& words) {
  const CommandTree tree = DescribeCommandLine();
  const CommandTree* at = &tree;
  for (const std::string& word : words) {
    const auto below =
        std::ranges::find(at->commands, word, &CommandTree::name);
    if (below == at->commands.end()) return false;
    at = &*below;
  }
  return true;
}

struct Manual {
  int commands = 0;
  Words faults;
};

void Check(const std::string& line, bool may_be_a_name, Manual& manual) {
  for (const Words& command : CommandsOfLine(line)) {
    const auto arguments = ArgumentsOf(command);
    if (!arguments || HasDots(line)) continue;
    ++manual.commands;
    if (may_be_a_name && IsNameOfACommand(*arguments)) continue;
    if (const std::string fault = FaultOf(*arguments); !fault.empty())
      manual.faults.push_back(line + ": " + fault);
  }
}

Manual CheckedPage(const std::string& text) {
  Manual manual;
  std::istringstream lines(text);
  for (const std::string& line : LinesToType(lines)) Check(line, false, manual);
  std::istringstream again(text);
  for (const std::string& line : NamedInText(again)) Check(line, true, manual);
  return manual;
}

std::string TextOf(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(ManualCommands, EveryCommandLineIsOneThatTheProgramTakes) {
  std::vector<std::filesystem::path> pages = {
      testing::SourcePath("README.md"), testing::SourcePath("CONTRIBUTING.md")};
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::SourcePath("docs")))
    if (entry.path().extension() == ".md") pages.push_back(entry.path());
  int commands = 0;
  for (const auto& page : pages) {
    const Manual manual = CheckedPage(TextOf(page));
    commands += manual.commands;
    EXPECT_THAT(manual.faults, IsEmpty()) << page;
  }
  EXPECT_GT(commands, 100);
}

TEST(ManualCommands, OneThatTheProgramDoesNotTakeIsFound) {
  EXPECT_THAT(CheckedPage(R"(
Say `fluxnetes get pods`, or `fluxnetes hold group`.

```sh
fluxnetes get groups --wide && kubectl fluxnetes get queues  # well: get pods
kubectl exec deploy/x -- fluxnetes queue pause \
  --now default
```
```
$ fluxnetes history --since yesterday
fluxnetes is not typed here
```
)")
                  .faults,
              ElementsAre(HasSubstr("--wide"), HasSubstr("--now"),
                          HasSubstr("yesterday"), HasSubstr("get pods")));
}

TEST(ManualCommands, LinesAreReadAsAShellDoes) {
  EXPECT_THAT(CommandsOfLine("a 'b c' \"d\"|e <(f #g) && h"),
              ElementsAre(ElementsAre("a", "b c", "d"), ElementsAre("e"),
                          IsEmpty(), ElementsAre("f")));
}

}  // namespace
}  // namespace fluxnetes::services
