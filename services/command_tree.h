// The commands, flags and arguments that there are, as a tree: what shell
// completion is made from.
#pragma once

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
  };
  struct Argument {
    std::string value;
  };
  std::string name;
  std::string about;
  std::vector<Flag> flags;
  std::vector<Argument> arguments;
  std::vector<CommandTree> commands;
};

}  // namespace fluxnetes::services
