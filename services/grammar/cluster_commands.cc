#include "services/grammar/cluster_commands.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {

void AddDeleteCommand(CLI::App& app, DeleteOptions& options, Command& chosen) {
  CLI::App* verb = AddCommand(
      app, "delete", "delete Jobs or pods from the cluster, as kubectl does");
  verb->require_subcommand(1);
  for (const bool job : {true, false}) {
    CLI::App* noun = AddCommand(
        *verb, job ? "job" : "pod",
        job ? "delete Jobs with their pods, so that their names are free"
            : "delete pods");
    noun->alias(job ? "jobs" : "pods");
    noun->add_option(job ? "JOB" : "POD", options.names,
                     "NAME or NAMESPACE/NAME")
        ->type_name("")
        ->required();
    noun->add_option("-n,--namespace", options.namespace_name,
                     "if the name has none")
        ->type_name("NAMESPACE");
    noun->callback([&options, &chosen, job] {
      options.kind = job ? "Job" : "Pod";
      chosen = options;
    });
  }
}

}  // namespace fluxnetes::services
