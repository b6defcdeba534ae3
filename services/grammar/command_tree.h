// The commands, flags and arguments that there are, as a tree: what shell
// completion and manual pages are made from.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace fluxnetes::services {

struct CommandTree {
  // What a flag or argument takes: alternatives "a|b|c", or a word in capitals
  // (FILE, GROUP, QUEUE, ...); empty for a flag that takes nothing.
  struct Flag {
    std::vector<std::string> names;  // "-o", "--output"
    std::string value;
    std::string about;
    std::string group = {};  // "Settings"; empty: flags of the command itself
  };
  struct Argument {
    std::string value;
    std::string about = {};
    bool required = false;
    bool many = false;  // as many as one likes
  };
  std::string name;
  std::string about;
  std::vector<Flag> flags;
  std::vector<Argument> arguments;
  std::vector<CommandTree> commands;
  std::vector<std::string> aliases = {};  // other names: "group" of "groups"

  bool IsCalled(const std::string& word) const {
    return word == name || std::ranges::find(aliases, word) != aliases.end();
  }
};

}  // namespace fluxnetes::services
