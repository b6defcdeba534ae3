#include "services/grammar/get_commands.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <vector>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {

void AddGetCommand(CLI::App& get, GetOptions::What what, const char* name,
                   const std::vector<std::string>& aliases, const char* about,
                   GetFlags& flags, Command& chosen) {
  using What = GetOptions::What;
  CLI::App* command = AddCommand(get, name, about);
  for (const std::string& alias : aliases) command->alias(alias);
  const bool groups = what == What::kGroups;
  const bool rows = groups || what == What::kJobs;
  const bool audit = what == What::kAudit;
  if (groups || what == What::kQueues || what == What::kNodes ||
      what == What::kAccounts || what == What::kPools)
    command
        ->add_option(groups                    ? "GROUP"
                     : what == What::kQueues   ? "QUEUE"
                     : what == What::kAccounts ? "ACCOUNT"
                     : what == What::kPools    ? "POOL"
                                               : "NODE",
                     flags.get.name, "only this one")
        ->type_name("");
  AddOutput(*command, flags.get.output, "table|wide|json|yaml|name");
  command->add_flag("-w,--watch", flags.get.watch,
                    "go on and show what changes");
  command->add_flag_callback(
      "--no-headers", [&flags] { flags.get.headers = false; },
      "leave the headings out");
  if (groups) {
    command
        ->add_option("-n,--namespace", flags.namespace_name,
                     "of this namespace")
        ->type_name("NAMESPACE");
    command->add_flag("-A,--all-namespaces", flags.all_namespaces,
                      "of all namespaces");
    command->add_flag("--until-done", flags.get.until_done,
                      "with --watch: end when every group has finished or can "
                      "never fit, with a summary");
    CheckAtLeast(*command
                      ->add_option("--at-least", flags.get.at_least,
                                   "with --until-done: not before there are so "
                                   "many groups")
                      ->type_name("N"),
                 0);
  }
  if (groups || audit)
    command
        ->add_option("--search", flags.get.search,
                     groups ? "only with this in their name or reason"
                            : "only with this in their object or detail")
        ->type_name("TEXT");
  if (groups) {
    command
        ->add_option("--order", flags.get.order,
                     "by name, state, size, queue, priority, submitted or "
                     "start (default: those that run, then in line)")
        ->type_name("COLUMN");
    command->add_flag("--descending", flags.get.descending,
                      "with --order: the largest or last first");
  }
  if (rows || audit)
    CheckAtLeast(
        *command
             ->add_option("--limit", flags.get.limit,
                          "at most so many; 0: all (default: 500 in tables)")
             ->type_name("N"),
        0);
  if (rows) {
    command
        ->add_option(
            "--state", flags.get.states,
            groups ? "only in these states: provisional, refused, pending, "
                     "unsatisfiable, allocated, bound, finished"
                   : "only in these states: available, scheduled, "
                     "retryable, pending, running, completed, "
                     "cancelled, discarded")
        ->delimiter(',')
        ->type_name("STATE,...");
    command->add_option("--queue", flags.get.queue, "only of this queue")
        ->type_name("QUEUE");
    CheckAtLeast(*command
                      ->add_option("--after", flags.get.after,
                                   "only those with a higher id")
                      ->type_name("ID"),
                 0);
    command
        ->add_option("--finished", flags.finished,
                     "also what has ended so long ago or less; 0: nothing")
        ->type_name("DURATION");
  }
  if (what == What::kJobs) {
    command->add_option("--kind", flags.get.kind, "only of this kind")
        ->type_name("match|bind|cleanup|notice");
    command->add_option("--tag", flags.get.tag, "only with this tag")
        ->type_name("TEXT");
  }
  command->callback([&flags, &chosen, what] {
    flags.get.what = what;
    flags.get.scope =
        flags.all_namespaces ? NamespaceScope() : flags.namespace_name;
    if (flags.finished == "0")
      flags.get.finished = std::chrono::milliseconds(0);
    else if (!flags.finished.empty())
      flags.get.finished = DurationOf("--finished", flags.finished);
    if (flags.get.until_done) flags.get.watch = true;
    chosen = flags.get;
  });
}

void AddGetCommands(CLI::App& app, GetFlags& flags, Command& chosen) {
  CLI::App* get = AddCommand(app, "get",
                             "list groups, nodes, queues, accounts, pools, "
                             "maintenance, estimates, jobs, loops or the audit "
                             "log");
  get->require_subcommand(1);
  using What = GetOptions::What;
  const auto add = [&](What what, const char* name,
                       const std::vector<std::string>& aliases,
                       const char* about) {
    AddGetCommand(*get, what, name, aliases, about, flags, chosen);
  };
  add(What::kGroups, "groups", {"group", "g"},
      "groups: provisional, pending, bound and lately finished");
  add(What::kNodes, "nodes", {"node", "no"},
      "nodes and what is in use on them");
  add(What::kQueues, "queues", {"queue", "q"},
      "scheduling queues and how many groups are in them");
  add(What::kAccounts, "accounts", {"account"},
      "accounts, their quotas and what their groups hold");
  add(What::kPools, "pools", {"pool"},
      "pools of the cluster (licences), and who holds them");
  add(What::kMaintenance, "maintenance", {"drains"},
      "maintenance of nodes that is announced");
  add(What::kEstimates, "estimates", {"estimate"},
      "how wrong it was when groups would start");
  add(What::kJobs, "jobs", {"job"}, "jobs of the work queue");
  add(What::kLoops, "loops", {"loop"},
      "what the threads of each replica do, and how late they are");
  add(What::kAudit, "audit", {}, "who has changed what, the newest first");
}

}  // namespace fluxnetes::services
