#include "services/grammar/group_commands.h"

#include <CLI/CLI.hpp>

#include "services/grammar/command_grammar.h"

namespace fluxnetes::services {
namespace {

CLI::App* AddGroupNoun(CLI::App& verb, const char* about) {
  verb.require_subcommand(1);
  CLI::App* group = AddCommand(verb, "group", about);
  group->alias("groups");
  return group;
}

void AddNamespaceOfName(CLI::App& group, std::string& namespace_name) {
  group.add_option("-n,--namespace", namespace_name, "if the name has none")
      ->type_name("NAMESPACE");
}

// Adds a verb for one group by name.
template <typename Options>
CLI::App* AddGroupVerb(CLI::App& verb, const char* about, Options& options,
                       Command& chosen) {
  CLI::App* group = AddGroupNoun(verb, about);
  group->add_option("GROUP", options.name, "NAME or NAMESPACE/NAME")
      ->type_name("")
      ->required();
  AddNamespaceOfName(*group, options.namespace_name);
  AddOutput(*group, options.output, "table|json|yaml");
  group->callback([&options, &chosen] { chosen = options; });
  return group;
}

// Adds a verb for several groups by name.
CLI::App* AddGroupsVerb(CLI::App& verb, const char* about,
                        std::vector<std::string>& names,
                        std::string& namespace_name) {
  CLI::App* group = AddGroupNoun(verb, about);
  group->add_option("GROUP", names, "NAME or NAMESPACE/NAME")
      ->type_name("")
      ->required();
  AddNamespaceOfName(*group, namespace_name);
  return group;
}

void AddHoldVerb(CLI::App& app, bool release, HoldOptions& options,
                 Command& chosen) {
  CLI::App* verb =
      release ? AddCommand(app, "release", "let a group start that was held")
              : AddCommand(app, "hold", "keep a group from starting");
  CLI::App* group = AddGroupsVerb(
      *verb,
      release ? "release groups, also those held by the label fluxnetes.hold"
              : "hold groups that have not started; they keep their age",
      options.names, options.namespace_name);
  if (!release)
    group->add_option("--reason", options.reason, "for those who wait")
        ->type_name("TEXT");
  group->callback([&options, &chosen, release] {
    options.release = release;
    chosen = options;
  });
}

}  // namespace

void AddDescribeCommand(CLI::App& app, DescribeOptions& options,
                        Command& chosen) {
  CLI::App* describe = AddCommand(app, "describe", "show one thing in full");
  CLI::App* group =
      AddGroupVerb(*describe, "timeline, members, nodes, and why a group waits",
                   options, chosen);
  CheckAtLeast(
      *group
           ->add_option("--generation", options.generation,
                        "the group of this id, where several have the name")
           ->type_name("ID"),
      1);
  CLI::App* node = AddCommand(
      *describe, "node", "what of a node is in use, its groups, maintenance");
  node->alias("nodes");
  node->add_option("NODE", options.name, "NAME")->type_name("")->required();
  AddOutput(*node, options.output, "table|json|yaml");
  node->callback([&options, &chosen] {
    options.node = true;
    chosen = options;
  });
}

void AddExplainCommand(CLI::App& app, ExplainOptions& options,
                       Command& chosen) {
  CLI::App* explain =
      AddCommand(app, "explain", "say why a group waits and what would help");
  AddGroupVerb(*explain,
               "what a group stands behind, which nodes it cannot use and "
               "why, and what would let it start earlier",
               options, chosen);
}

void AddCancelCommand(CLI::App& app, CancelOptions& options, Command& chosen) {
  CLI::App* cancel =
      AddCommand(app, "cancel", "end a group and delete its pods");
  CLI::App* group = AddGroupsVerb(*cancel, "cancel groups, in whatever state",
                                  options.names, options.namespace_name);
  group->add_option("--reason", options.reason, "for the history")
      ->type_name("TEXT");
  group->callback([&options, &chosen] { chosen = options; });
}

void AddHoldCommands(CLI::App& app, HoldOptions& options, Command& chosen) {
  AddHoldVerb(app, /*release=*/false, options, chosen);
  AddHoldVerb(app, /*release=*/true, options, chosen);
}

void AddPriorityCommand(CLI::App& app, PriorityOptions& options,
                        Command& chosen) {
  CLI::App* group = AddCommand(
      app, "priority",
      "set the priority of a group that waits, in place of that of its pods");
  group->add_option("GROUP", options.name, "NAME or NAMESPACE/NAME")
      ->type_name("")
      ->required();
  CLI::Option* value =
      group->add_option("VALUE", options.priority, "a higher one goes first")
          ->type_name("");
  CLI::Option* pods =
      group->add_flag("--of-pods")->description("take back what was set");
  pods->excludes(value);
  AddNamespaceOfName(*group, options.namespace_name);
  group->add_option("--reason", options.reason, "for the audit log")
      ->type_name("TEXT");
  group->callback([&options, &chosen, pods] {
    if (!options.priority && pods->count() == 0)
      throw CLI::RequiredError("VALUE or --of-pods");
    chosen = options;
  });
}

}  // namespace fluxnetes::services
