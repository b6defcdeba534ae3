// Shell completion scripts, made from the tree of commands. Names of groups,
// queues and nodes are asked of `fluxnetes get … -o name`.
#pragma once

#include <string>

#include "services/command_tree.h"

namespace fluxnetes::services {

// `shell`: bash, zsh or fish.
std::string CompletionScript(const CommandTree& tree, const std::string& shell);

}  // namespace fluxnetes::services
