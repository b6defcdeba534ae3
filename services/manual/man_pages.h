// The manual pages of the program and of each of its commands, made from the
// same tree as its help and completion. They are written in man(7), which every
// `man` reads.
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/command_tree.h"

namespace fluxnetes::services {

struct ManPage {
  std::string file;  // "fluxnetes-get-groups.1"
  std::string text;
};

// The program's page is first.
std::vector<ManPage> ManPages(const CommandTree& tree,
                              const std::string& version);

}  // namespace fluxnetes::services
