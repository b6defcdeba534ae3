// The reference of all commands in Markdown, made from the same tree as the
// program's help: a table of them, then a section for each with its flags and
// arguments. docs/commands.md holds it. Settings, which every command takes,
// are left to docs/configuration.md.
//
// Pure.
#pragma once

#include <string>

#include "services/grammar/command_tree.h"

namespace fluxnetes::services {

std::string CommandReference(const CommandTree& tree);

}  // namespace fluxnetes::services
