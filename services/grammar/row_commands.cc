#include "services/grammar/row_commands.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {
namespace {

// Adds a subcommand that sets `verb` in the options.
template <typename Options>
CLI::App* AddVerb(CLI::App& row, const char* name, const char* about,
                  typename Options::Verb verb, Options& options,
                  Command& chosen) {
  CLI::App* command = AddCommand(row, name, about);
  command->callback([&options, &chosen, verb] {
    options.verb = verb;
    chosen = options;
  });
  return command;
}

void AddName(CLI::App& command, std::string& name, const char* about,
             const char* what) {
  command.add_option(what, name, about)->type_name("")->required();
}

CLI::Option* AddRowSettings(CLI::App& command,
                            std::vector<std::string>& settings) {
  return command
      .add_option("SETTING", settings, "KEY=VALUE; KEY= alone unsets")
      ->type_name("");
}

}  // namespace

void AddQueueCommands(CLI::App& app, QueueOptions& options, Command& chosen) {
  CLI::App* queue =
      AddCommand(app, "queue", "see and change scheduling queues");
  queue->require_subcommand(1);
  using Verb = QueueOptions::Verb;
  const auto add = [&](const char* name, const char* about, Verb verb) {
    CLI::App* command = AddVerb(*queue, name, about, verb, options, chosen);
    if (verb != Verb::kList && verb != Verb::kApply)
      AddName(*command, options.name, "the queue", "QUEUE");
    return command;
  };
  AddOutput(*add("list", "list the queues (as get queues)", Verb::kList),
            options.output, "table|wide|json|yaml|name");
  add("pause", "start nothing more from a queue", Verb::kPause);
  add("resume", "start groups from a paused queue again", Verb::kResume);
  AddRowSettings(*add("set", "change settings of a queue", Verb::kSet),
                 options.settings)
      ->required();
  AddRowSettings(*add("create", "make a queue", Verb::kCreate),
                 options.settings);
  add("delete", "delete a queue that no group uses", Verb::kDelete);
  add("apply", "make and change the queues that a file names", Verb::kApply)
      ->add_option("-f,--filename", options.file,
                   "YAML: names of queues, and settings below them; - reads "
                   "standard input")
      ->type_name("FILE")
      ->required();
}

void AddAccountCommands(CLI::App& app, AccountOptions& options,
                        Command& chosen) {
  CLI::App* account = AddCommand(app, "account",
                                 "change who may use how much, and who has "
                                 "which share");
  account->require_subcommand(1);
  using Verb = AccountOptions::Verb;
  const auto add = [&](const char* name, const char* about, Verb verb) {
    CLI::App* command = AddVerb(*account, name, about, verb, options, chosen);
    AddName(*command, options.name, "the account", "ACCOUNT");
    return command;
  };
  AddRowSettings(*add("create", "make an account", Verb::kCreate),
                 options.settings);
  AddRowSettings(*add("set", "change settings of an account", Verb::kSet),
                 options.settings)
      ->required();
  add("delete", "delete an account that has none below it", Verb::kDelete);
}

void AddPoolCommands(CLI::App& app, PoolOptions& options, Command& chosen) {
  using Verb = PoolOptions::Verb;
  AddOutput(*AddVerb(app, "pools", "list pools of the cluster (as get pools)",
                     Verb::kList, options, chosen),
            options.output, "table|wide|json|yaml|name");
  CLI::App* pool =
      AddCommand(app, "pool", "change pools of the cluster, such as licences");
  pool->require_subcommand(1);
  CLI::App* set =
      AddVerb(*pool, "set", "make a pool, or change how much there is",
              Verb::kSet, options, chosen);
  AddName(*set, options.name, "the pool", "POOL");
  CheckAtLeast(
      *set->add_option("--total", options.total,
                       "how much there is; holders keep what they have")
           ->type_name("N")
           ->required(),
      0);
  set->add_option("--description", options.description, "for people")
      ->type_name("TEXT");
  CLI::App* gone = AddVerb(*pool, "delete", "delete a pool that no group holds",
                           Verb::kDelete, options, chosen);
  AddName(*gone, options.name, "the pool", "POOL");
}

}  // namespace fluxnetes::services
