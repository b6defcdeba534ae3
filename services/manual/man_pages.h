// Manual pages of the program, one for it and one for each of its commands,
// made from the same tree as its help and completion. Their language is that of
// man(7), which every man understands.
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

// That of the program first.
std::vector<ManPage> ManPages(const CommandTree& tree,
                              const std::string& version);

}  // namespace fluxnetes::services
