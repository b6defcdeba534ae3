// Shell completion scripts, made from the tree of commands. Names of groups,
// queues and nodes are asked of `fluxnetes get … -o name`.
#pragma once

#include <string>

#include "services/grammar/command_tree.h"

namespace fluxnetes::services {

// What can stand for the value of a flag or an argument.
struct ValueChoice {
  std::string words;    // blank-separated
  std::string command;  // or what prints them, line by line
  bool files = false;
};

// Of a value as CommandTree has it.
ValueChoice ChoiceOf(const std::string& value);

// `shell`: bash, zsh or fish.
std::string CompletionScript(const CommandTree& tree, const std::string& shell);

}  // namespace fluxnetes::services
