// Shell completion scripts, made from the tree of commands. The names of
// groups, queues and nodes come from `fluxnetes get … -o name`.
#pragma once

#include <string>

#include "services/grammar/command_tree.h"

namespace fluxnetes::services {

// The possible values of a flag or an argument.
struct ValueChoice {
  std::string words;    // blank-separated
  std::string command;  // or a command that prints them, one per line
  bool files = false;
};

// `value` is that of a CommandTree::Flag.
ValueChoice ChoiceOf(const std::string& value);

// `shell`: bash, zsh or fish.
std::string CompletionScript(const CommandTree& tree, const std::string& shell);

}  // namespace fluxnetes::services
