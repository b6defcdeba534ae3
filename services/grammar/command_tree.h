// The commands, flags and arguments as a tree, from which shell completion and
// manual pages are made.
// Tests: tests/services/manual/completion_test.cc,
// tests/services/manual/man_pages_test.cc.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fluxnetes::services {

struct CommandTree {
  // The value of a flag or argument: alternatives "a|b|c", or a word in
  // capitals (FILE, GROUP, QUEUE, ...); empty for a flag without a value.
  struct Flag {
    std::vector<std::string> names;  // "-o", "--output"
    std::string value;
    std::string about;
    std::string group = {};  // "Settings"; empty: the command's own flags
  };
  struct Argument {
    std::string value;
    std::string about = {};
    bool required = false;
    bool many = false;  // may be repeated
  };
  std::string name;
  std::string about;
  std::vector<Flag> flags;
  std::vector<Argument> arguments;
  std::vector<CommandTree> commands;
  std::vector<std::string> aliases = {};  // other names: "group" for "groups"

  bool IsCalled(const std::string& word) const {
    return word == name || std::ranges::find(aliases, word) != aliases.end();
  }
};

}  // namespace fluxnetes::services
