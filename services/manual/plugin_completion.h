// Completion of `kubectl fluxnetes …`: kubectl runs a program
// `kubectl_complete-fluxnetes` with the words behind the plugin's name, the
// last of which is being typed, and reads what could stand there, a line each,
// and at the end a number that says whether files are meant too (spf13/cobra's
// ShellCompDirective).
//
// Pure.
#pragma once

#include <string>
#include <vector>

#include "services/grammar/command_tree.h"

namespace fluxnetes::services {

struct PluginOffers {
  struct Word {
    std::string word;
    std::string about;
  };
  std::vector<Word> words;
  // A command of the program that prints names which are offered too; empty:
  // none.
  std::vector<std::string> names;
  bool files = false;
};

// What could stand for the last of `words`; it is not looked at, but for
// whether a flag is begun.
PluginOffers PluginOffersFor(const CommandTree& tree,
                             const std::vector<std::string>& words);

// As kubectl reads it. `names` is what the command for them printed; what does
// not begin as `begun` does is left out.
std::string PluginAnswer(const PluginOffers& offers, const std::string& names,
                         std::string begun);

}  // namespace fluxnetes::services
