// Completion of `kubectl fluxnetes ...`. kubectl runs a program
// `kubectl_complete-fluxnetes` with the words after the plugin's name, the last
// of which is being typed. It reads the candidates, one per line, and a final
// number that tells whether files are candidates too (spf13/cobra's
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
  // Arguments of `fluxnetes` that print names to offer too; empty: none.
  std::vector<std::string> names;
  bool files = false;
};

// Returns the candidates for the last of `words`. That word itself only decides
// whether a flag or a value is being typed.
PluginOffers PluginOffersFor(const CommandTree& tree,
                             const std::vector<std::string>& words);

// Returns the answer in kubectl's form. `names` is the output of the command
// for names; candidates that do not start with `begun` are left out.
std::string PluginAnswer(const PluginOffers& offers, const std::string& names,
                         std::string begun);

}  // namespace fluxnetes::services
