#include "services/grammar/view_commands.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {
namespace {

constexpr std::chrono::hours kLongestLook{24 * 366};

// Covers all namespaces unless one is given.
void AddNamespaceFilter(CLI::App& command, std::string& namespace_name) {
  command
      .add_option("-n,--namespace", namespace_name,
                  "only of this namespace (default: of all)")
      ->type_name("NAMESPACE");
}

void AddQueueFilter(CLI::App& command, std::optional<std::string>& queue,
                    const char* flags) {
  command.add_option(flags, queue, "only of this queue")->type_name("QUEUE");
}

void AddNoHeaders(CLI::App& command, bool& headers, const char* flags) {
  command.add_flag_callback(
      flags, [&headers] { headers = false; }, "leave the headings out");
}

NamespaceScope ScopeOf(const std::string& namespace_name) {
  return namespace_name.empty() ? NamespaceScope() : namespace_name;
}

void AddTopOf(CLI::App& top, TopOptions::What what, ViewOptions& options,
              Command& chosen) {
  const bool groups = what == TopOptions::What::kGroups;
  CLI::App* command =
      groups ? AddCommand(top, "groups", "groups by the share that they hold")
             : AddCommand(top, "nodes", "nodes by how full they are");
  command->alias(groups ? "group" : "node");
  if (groups) {
    AddNamespaceFilter(*command, options.namespace_name);
    AddQueueFilter(*command, options.top.queue, "--queue");
  }
  command->add_flag("--once", options.top.once,
                    "show it once, also on a terminal");
  AddOutput(*command, options.top.output, "table|json|yaml|name");
  command->callback([what, &options, &chosen] {
    options.top.what = what;
    options.top.scope = ScopeOf(options.namespace_name);
    chosen = options.top;
  });
}

}  // namespace

void AddTimelineCommand(CLI::App& app, ViewOptions& options, Command& chosen) {
  CLI::App* timeline = AddCommand(
      app, "timeline", "draw what runs and what is reserved, from now on");
  AddNamespaceFilter(*timeline, options.namespace_name);
  AddQueueFilter(*timeline, options.timeline.queue, "--queue");
  timeline
      ->add_option("--by", options.by,
                   "a line for each group or for each node (default: groups, "
                   "if they are few)")
      ->type_name("groups|nodes")
      ->check(CLI::IsMember({"groups", "nodes"}).description(""));
  timeline
      ->add_option("--until", options.duration,
                   "so far ahead (default: to the last end that is known)")
      ->type_name("DURATION");
  AddOutput(*timeline, options.timeline.output, "table|json|yaml");
  timeline->callback([&options, &chosen] {
    TimelineOptions& asked = options.timeline;
    asked.scope = ScopeOf(options.namespace_name);
    if (options.by == "groups") asked.by = TimelineOptions::By::kGroups;
    if (options.by == "nodes") asked.by = TimelineOptions::By::kNodes;
    if (!options.duration.empty())
      asked.horizon = DurationOf("--until", options.duration, kLongestLook);
    chosen = asked;
  });
}

void AddHistoryCommand(CLI::App& app, ViewOptions& options, Command& chosen) {
  CLI::App* history = AddCommand(
      app, "history", "list groups that are over, and how long they waited");
  history
      ->add_option("-n,--namespace", options.history_namespace,
                   "of this namespace")
      ->type_name("NAMESPACE");
  history->add_flag("-A,--all-namespaces", options.all_namespaces,
                    "of all namespaces");
  AddQueueFilter(*history, options.history.queue, "--queue");
  history
      ->add_option("--result", options.history.results,
                   "only with these results: succeeded, failed, timed-out, "
                   "preempted, cancelled")
      ->delimiter(',')
      ->type_name("RESULT,...");
  history
      ->add_option("--since", options.duration,
                   "what ended so long ago or less (default: 24h)")
      ->type_name("DURATION");
  CheckAtLeast(
      *history
           ->add_option("--limit", options.history.limit,
                        "at most so many, the last ones; 0: all (default: 100)")
           ->type_name("N"),
      0);
  AddNoHeaders(*history, options.history.headers, "--no-headers");
  AddOutput(*history, options.history.output, "table|wide|json|yaml");
  history->callback([&options, &chosen] {
    HistoryOptions& asked = options.history;
    if (options.all_namespaces)
      asked.scope.reset();
    else
      asked.scope = options.history_namespace;
    if (!options.duration.empty())
      asked.since = DurationOf("--since", options.duration, kLongestLook);
    chosen = asked;
  });
}

void AddUsageCommand(CLI::App& app, ViewOptions& options, Command& chosen) {
  UsageOptions& asked = options.usage;
  CLI::App* usage =
      AddCommand(app, "usage", "list what groups held over months or days");
  usage
      ->add_option("--by", asked.by,
                   "sum up by some of account, user, queue, namespace "
                   "(default: account)")
      ->delimiter(',')
      ->type_name("KEY,...");
  usage
      ->add_option("--since", asked.since,
                   "from this month or day on: 2026-11, 2026-11-27")
      ->type_name("DATE");
  usage
      ->add_option("--until", asked.until,
                   "up to this month or day, without it (default: now)")
      ->type_name("DATE");
  usage->add_flag("--daily", asked.daily, "a row for each day");
  AddNamespaceFilter(*usage, options.namespace_name);
  AddQueueFilter(*usage, asked.queue, "--queue");
  usage->add_option("--account", asked.account, "of this account")
      ->type_name("ACCOUNT");
  usage->add_option("--user", asked.user, "of this user")->type_name("USER");
  usage->add_flag("--csv", asked.csv, "print CSV (RFC 4180)");
  AddNoHeaders(*usage, asked.headers, "--no-headers");
  AddOutput(*usage, asked.output, "table|json|yaml");
  usage->callback([&options, &chosen] {
    options.usage.scope = ScopeOf(options.namespace_name);
    chosen = options.usage;
  });
}

void AddTopCommand(CLI::App& app, ViewOptions& options, Command& chosen) {
  CLI::App* top =
      AddCommand(app, "top", "show what is in use, and go on showing it");
  top->require_subcommand(1);
  AddTopOf(*top, TopOptions::What::kNodes, options, chosen);
  AddTopOf(*top, TopOptions::What::kGroups, options, chosen);
}

void AddSqueueCommand(CLI::App& app, ViewOptions& options, Command& chosen) {
  CLI::App* squeue =
      AddCommand(app, "squeue", "list groups as Slurm's squeue lists jobs");
  squeue
      ->add_option("-u,--user,-n,--namespace", options.namespace_name,
                   "only of this namespace")
      ->type_name("NAMESPACE");
  AddQueueFilter(*squeue, options.squeue.queue, "-p,--partition,--queue");
  squeue
      ->add_option("-t,--states", options.squeue.states,
                   "only in these states: PD, CF, R, CG")
      ->delimiter(',')
      ->type_name("STATE,...")
      ->check(CLI::IsMember({"PD", "CF", "R", "CG"}).description(""));
  AddNoHeaders(*squeue, options.squeue.headers, "--noheader,--no-headers");
  squeue->callback([&options, &chosen] {
    options.squeue.scope = ScopeOf(options.namespace_name);
    chosen = options.squeue;
  });
}

}  // namespace fluxnetes::services
