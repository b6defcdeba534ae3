#include "services/grammar/node_commands.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {

void AddDrainCommands(CLI::App& app, DrainOptions& options, Command& chosen) {
  CLI::App* drain = AddCommand(
      app, "drain", "announce maintenance: nodes are free from then on");
  drain
      ->add_option("NODE", options.words,
                   "names of nodes, or labels that they have: KEY=VALUE")
      ->type_name("")
      ->required();
  drain->add_option("--from", options.from, "from when (default: now)")
      ->type_name("TIME");
  drain
      ->add_option("--until", options.until,
                   "until when (default: until it is undone)")
      ->type_name("TIME");
  drain->add_option("--reason", options.reason, "for people")
      ->type_name("TEXT");
  drain->callback([&options, &chosen] { chosen = options; });
  CLI::App* undrain =
      AddCommand(app, "undrain", "take announced maintenance back");
  undrain->add_option("NODE", options.words, "as they were named for drain")
      ->type_name("");
  CheckAtLeast(
      *undrain->add_option("--id", options.id, "all of this maintenance")
           ->type_name("ID"),
      1);
  undrain->callback([&options, &chosen] {
    options.undo = true;
    chosen = options;
  });
}

}  // namespace fluxnetes::services
