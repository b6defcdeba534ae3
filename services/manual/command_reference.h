// The reference of all commands in Markdown, made from the same tree as the
// program's help: a table of commands, then a section for each with its flags
// and arguments. It is written to docs/commands.md. Settings, which every
// command takes, are described in docs/configuration.md instead.
//
// Pure.
#pragma once

#include <string>

#include "services/grammar/command_tree.h"

namespace fluxnetes::services {

std::string CommandReference(const CommandTree& tree);

}  // namespace fluxnetes::services
