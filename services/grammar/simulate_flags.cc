#include "services/grammar/simulate_flags.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {
namespace {

void AddText(CLI::App& command, const char* name, std::string& text,
             const char* type, const char* about) {
  command.add_option(name, text, about)->type_name(type);
}

void AddInputs(CLI::App& command, SimulateOptions& options) {
  AddText(command, "--swf", options.trace, "FILE",
          "a trace in the Standard Workload Format, or - for standard input");
  command
      .add_option("-f,--filename", options.files,
                  "a manifest, a directory of them, or - for standard input")
      ->type_name("FILE");
  AddText(command, "--lublin", options.lublin, "KEY=VALUE,...",
          "jobs that are drawn by Lublin's model: jobs=1000,load=0.8,"
          "largest=128,estimate=3,users=10");
  command.add_flag("--snapshot", options.snapshot,
                   "begin with what the database knows: nodes, queues, what "
                   "runs and waits");
  CheckAtLeast(
      *command
           .add_option("--seed", options.seed, "what is drawn follows from it")
           ->type_name("N"),
      0);
  command
      .add_option("-n,--namespace", options.namespace_name,
                  "of objects that name none")
      ->type_name("NAMESPACE");
}

void AddCluster(CLI::App& command, SimulateOptions& options) {
  AddText(command, "--nodes", options.nodes, "N|FILE",
          "how many nodes, or a file of them (default: as the trace says)");
  command
      .add_option("--cpus-per-node", options.cpus_per_node,
                  "cpus of each node (default: as the trace says, or 1)")
      ->type_name("N")
      ->check(CLI::Range(1, 1'000'000).description(""));
  command
      .add_option("--add-nodes", options.add_nodes,
                  "so many more nodes like one that is there, but for labels: "
                  "8:like=node0,rack=r7")
      ->type_name("N:like=NODE[,LABEL=VALUE]");
  AddText(command, "--policy", options.policy, "POLICY",
          "queue_policy of all queues");
  command
      .add_option("--queue", options.queues,
                  "a queue and its settings, as of `queue set`")
      ->type_name("QUEUE:KEY=VALUE");
  command
      .add_option("--pool", options.pools,
                  "a pool of the cluster and how much of it there is")
      ->type_name("POOL=TOTAL");
}

void AddPictures(CLI::App& command, SimulateOptions& options) {
  AddText(command, "--csv", options.csv, "FILE", "a row for each group");
  AddText(command, "--gantt", options.gantt, "FILE",
          "a picture (SVG) of which group had which nodes when; -: a chart "
          "of characters below the table");
  AddText(command, "--utilisation", options.utilisation, "FILE",
          "a picture of how much was in use when");
  AddText(command, "--waits", options.waits, "FILE",
          "a picture of how long groups waited");
}

}  // namespace

void AddSimulateFlags(CLI::App& command, SimulateOptions& options) {
  AddInputs(command, options);
  AddCluster(command, options);
  AddPictures(command, options);
}

}  // namespace fluxnetes::services
