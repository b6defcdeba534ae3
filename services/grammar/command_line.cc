#include "services/grammar/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>

#include "services/config/settings.h"
#include "services/console/exit_code.h"
#include "services/grammar/cluster_commands.h"
#include "services/grammar/command_grammar.h"
#include "services/grammar/get_commands.h"
#include "services/grammar/group_commands.h"
#include "services/grammar/node_commands.h"
#include "services/grammar/row_commands.h"
#include "services/grammar/simulate_flags.h"
#include "services/grammar/tool_commands.h"
#include "services/grammar/view_commands.h"

namespace fluxnetes::services {
namespace {

constexpr auto kAbout =
    "fluxnetes schedules batch work on Kubernetes: whole gangs or nothing.";

constexpr auto kFooter = R"(
Settings are read from a file (--config, FLUXNETES_CONFIG,
.fluxnetes/config.yaml, /etc/fluxnetes/config.yaml), from the environment and
from flags, each stronger than the one before; see
`fluxnetes serve --print-config`.

Exit codes:
)";

std::string Footer() {
  std::string text = kFooter;
  for (const auto& [code, about] : kExitCodes)
    text += fmt::format("  {:<4} {}\n", static_cast<int>(code), about);
  text.pop_back();
  return text;
}

// The CLI11 application and the structs it fills, for one parse.
class Grammar {
 public:
  explicit Grammar(const CalledAs& called);

  Invocation Parse(std::vector<std::string> arguments);
  CommandTree Describe() const { return Describe(app_); }

 private:
  void AddSettings();
  void AddServe();
  void AddMigrate();
  void AddSubmit();
  void AddSimulate();
  void AddJobs();
  void AddJobFilters(CLI::App& command);
  void AddSmall();

  static CommandTree Describe(const CLI::App& app);

  template <typename Options>
  void Choose(CLI::App* app, Options& options) {
    app->callback([this, &options] { invocation_.command = options; });
  }

  CLI::App app_;
  Invocation invocation_;
  std::map<std::string, std::string> settings_;
  std::string config_;
  std::string finished_;
  GetFlags get_;
  DescribeOptions describe_;
  ExplainOptions explain_;
  ViewOptions view_;
  CancelOptions cancel_;
  HoldOptions hold_;
  PriorityOptions priority_;
  DrainOptions drain_;
  QueueOptions queue_;
  AccountOptions account_;
  PoolOptions pool_;
  JobsOptions jobs_;
  std::string window_;
  MigrateOptions migrate_;
  SubmitOptions submit_;
  DeleteOptions delete_;
  SimulateOptions simulate_;
  std::string overrun_;
  MatchOptions match_;
  ServeOptions serve_;
  SimulatedClusterOptions simulated_;
  VersionOptions version_;
  CompletionOptions completion_;
  ToolOptions tool_;
};

Grammar::Grammar(const CalledAs& called) : app_(kAbout, called.program) {
  for (std::string* name :
       {&describe_.namespace_name, &explain_.namespace_name,
        &cancel_.namespace_name, &hold_.namespace_name, &submit_.namespace_name,
        &delete_.namespace_name, &simulate_.namespace_name,
        &match_.namespace_name, &view_.history_namespace, &get_.namespace_name})
    *name = called.namespace_name;
  app_.footer(Footer());
  app_.set_version_flag("--version", "")->description("print the version");
  app_.require_subcommand(0, 1);
  app_.fallthrough();
  app_.option_defaults()->always_capture_default(false);
  app_.add_option("--config", config_, "configuration file")->type_name("FILE");
  AddSettings();
  AddServe();
  AddMigrate();
  AddSubmit();
  AddDeleteCommand(app_, delete_, invocation_.command);
  AddSimulate();
  AddMatchCommand(app_, match_, invocation_.command);
  AddGetCommands(app_, get_, invocation_.command);
  AddDescribeCommand(app_, describe_, invocation_.command);
  AddExplainCommand(app_, explain_, invocation_.command);
  AddTimelineCommand(app_, view_, invocation_.command);
  AddHistoryCommand(app_, view_, invocation_.command);
  AddUsageCommand(app_, view_, invocation_.command);
  AddTopCommand(app_, view_, invocation_.command);
  AddSqueueCommand(app_, view_, invocation_.command);
  AddCancelCommand(app_, cancel_, invocation_.command);
  AddHoldCommands(app_, hold_, invocation_.command);
  AddPriorityCommand(app_, priority_, invocation_.command);
  AddDrainCommands(app_, drain_, invocation_.command);
  AddQueueCommands(app_, queue_, invocation_.command);
  AddAccountCommands(app_, account_, invocation_.command);
  AddPoolCommands(app_, pool_, invocation_.command);
  AddJobs();
  AddDoctorCommand(app_, tool_, invocation_.command);
  AddBenchCommand(app_, tool_, invocation_.command);
  AddManCommand(app_, tool_, invocation_.command);
  AddWebCommand(app_, tool_, invocation_.command);
  AddSmall();
}

void Grammar::AddSettings() {
  for (const Setting& setting : Settings())
    app_.add_option("--" + std::string(setting.flag),
                    settings_[std::string(setting.key)],
                    fmt::format("{} [{}]", setting.about, setting.variable))
        ->type_name(std::string(setting.value))
        ->group("Settings");
}

void Grammar::AddServe() {
  CLI::App* serve = AddCommand(app_, "serve", "run the scheduler");
  serve->add_flag("--print-config", serve_.print_config,
                  "print the effective configuration and where each value is "
                  "from, and end");
  Choose(serve, serve_);
}

void Grammar::AddMigrate() {
  CLI::App* migrate =
      AddCommand(app_, "migrate", "make or check the database schema");
  migrate->require_subcommand(1);
  const auto add = [&](const char* name, const char* about,
                       MigrateOptions::Verb verb) {
    CLI::App* command = AddCommand(*migrate, name, about);
    command->callback([this, verb] {
      migrate_.verb = verb;
      invocation_.command = migrate_;
    });
    return command;
  };
  add("up", "bring the schema to this program's version",
      MigrateOptions::Verb::kUp);
  AddOutput(*add("status", "list the migrations and when they were applied",
                 MigrateOptions::Verb::kStatus),
            migrate_.output, "table|json|yaml");
  add("validate", "check that the schema is the one that this program needs",
      MigrateOptions::Verb::kValidate);
}

void Grammar::AddSubmit() {
  CLI::App* submit =
      AddCommand(app_, "submit", "send manifests to the cluster");
  submit
      ->add_option("-f,--filename", submit_.files,
                   "a manifest, a directory of them, or - for standard input")
      ->type_name("FILE")
      ->required();
  submit
      ->add_option("-n,--namespace", submit_.namespace_name,
                   "of objects that name none")
      ->type_name("NAMESPACE");
  submit->add_flag("--dry-run", submit_.dry_run, "check the manifests only");
  AddOutput(*submit, submit_.output, "table|name");
  Choose(submit, submit_);
}

void Grammar::AddSimulate() {
  CLI::App* simulate = AddCommand(
      app_, "simulate", "run the scheduler's decisions in virtual time");
  AddSimulateFlags(*simulate, simulate_);
  simulate
      ->add_option("--overrun", overrun_,
                   "groups are ended so long after their duration (default: "
                   "when it is over)")
      ->type_name("DURATION");
  AddOutput(*simulate, simulate_.output, "table|json|yaml");
  simulate->callback([this] {
    if (!overrun_.empty())
      simulate_.overrun = DurationOf("--overrun", overrun_);
    invocation_.command = simulate_;
  });
}

void Grammar::AddJobFilters(CLI::App& command) {
  command.add_option("--queue", jobs_.queue, "instead of ids: of this queue")
      ->type_name("TEXT");
  command.add_option("--kind", jobs_.kind, "instead of ids: of this kind")
      ->type_name("match|bind|cleanup|notice");
  command.add_option("--tag", jobs_.tag, "instead of ids: with this tag")
      ->type_name("TEXT");
  command
      .add_option("--state", jobs_.states, "instead of ids: in these states")
      ->delimiter(',')
      ->type_name("STATE,...");
  command
      .add_option("--finished", finished_,
                  "also what has ended so long ago or less")
      ->type_name("DURATION");
  CheckAtLeast(*command
                    .add_option("--limit", jobs_.limit,
                                "at most so many, the oldest (default: 10000)")
                    ->type_name("N"),
               1);
}

void Grammar::AddJobs() {
  CLI::App* jobs =
      AddCommand(app_, "jobs", "see and change jobs of the work queue");
  jobs->require_subcommand(1);
  AddGetCommand(*jobs, GetOptions::What::kJobs, "list", {},
                "list jobs (as get jobs)", get_, invocation_.command);
  using Verb = JobsOptions::Verb;
  const auto add = [&](const char* name, const char* about, Verb verb) {
    CLI::App* command = AddCommand(*jobs, name, about);
    if (verb != Verb::kStats) {
      CLI::Option* ids = command->add_option("JOB", jobs_.ids, "which jobs");
      ids->type_name("");
      CheckAtLeast(*ids, 1);
      if (verb == Verb::kShow)
        ids->required();
      else
        AddJobFilters(*command);
    }
    command->callback([this, verb] {
      jobs_.verb = verb;
      if (!finished_.empty())
        jobs_.finished = DurationOf("--finished", finished_);
      if (!window_.empty()) jobs_.window = DurationOf("--window", window_);
      invocation_.command = jobs_;
    });
    return command;
  };
  AddOutput(
      *add("show", "show jobs in full, with all their errors", Verb::kShow),
      jobs_.output, "table|json|yaml");
  add("retry", "let jobs run now: waiting, parked and finished ones",
      Verb::kRetry);
  add("cancel", "end jobs; running ones are asked to stop", Verb::kCancel);
  add("delete", "remove jobs that do not run", Verb::kDelete);
  CLI::App* stats = add("stats", "figures per work queue", Verb::kStats);
  stats->add_option("--queue", jobs_.queue, "only of this queue")
      ->type_name("TEXT");
  stats
      ->add_option("--window", window_,
                   "over what has ended so long ago or less (default: 1m)")
      ->type_name("DURATION");
  AddOutput(*stats, jobs_.output, "table|json|yaml");
}

void Grammar::AddSmall() {
  CLI::App* simulated =
      AddCommand(app_, "simulated-cluster",
                 "run a cluster of nothing but its API (--nodes, "
                 "--listen)");
  Choose(simulated, simulated_);
  CLI::App* version = AddCommand(app_, "version", "print the version");
  AddOutput(*version, version_.output, "table|json|yaml");
  Choose(version, version_);
  CLI::App* completion =
      AddCommand(app_, "completion", "print shell completion");
  completion->add_option("shell", completion_.shell, "which shell")
      ->type_name("bash|zsh|fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
  completion->footer(
      "\nbash: source <(fluxnetes completion bash)\n"
      "zsh:  fluxnetes completion zsh > \"${fpath[1]}/_fluxnetes\"\n"
      "fish: fluxnetes completion fish | source\n"
      "kubectl: ln -s \"$(command -v fluxnetes)\" "
      "~/.local/bin/kubectl_complete-fluxnetes");
  Choose(completion, completion_);
}

// Returns the command being parsed, as typed for its help.
std::string PathOf(const CLI::App& app) {
  std::string path = app.get_name();
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  return path;
}

// Returns the help of the innermost command given.
std::string HelpOf(const CLI::App& app) {
  std::string before;
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) {
    before += (before.empty() ? "" : " ") + at->get_name();
    at = at->get_subcommands().front();
  }
  return at->help(before);
}

Invocation Grammar::Parse(std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 expects them
  try {
    app_.parse(arguments);
  } catch (const CLI::CallForHelp&) {
    return {{}, {}, HelpOptions{HelpOf(app_)}};
  } catch (const CLI::CallForVersion&) {
    return {{}, {}, VersionOptions{}};
  } catch (const CLI::Error& error) {
    throw Failure(ExitCode::kUsage, Complaint(app_, error),
                  fmt::format("See '{} --help'.", PathOf(app_)));
  } catch (const std::invalid_argument& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  fmt::format("See '{} --help'.", PathOf(app_)));
  }
  if (app_.get_subcommands().empty())
    invocation_.command = HelpOptions{app_.help()};
  if (!config_.empty()) invocation_.config_file = config_;
  for (const Setting& setting : Settings())
    if (app_.get_option("--" + std::string(setting.flag))->count() > 0)
      invocation_.settings.emplace_back(setting.key,
                                        settings_[std::string(setting.key)]);
  return invocation_;
}

CommandTree Grammar::Describe(const CLI::App& app) {
  CommandTree tree{app.get_name(),   app.get_description(), {}, {}, {},
                   app.get_aliases()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      tree.arguments.push_back(
          {option->get_type_name().empty() ? option->get_name(true)
                                           : option->get_type_name(),
           option->get_description(), option->get_required(),
           option->get_items_expected_max() > 1});
      continue;
    }
    CommandTree::Flag flag;
    for (const std::string& name : option->get_snames())
      flag.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames())
      flag.names.push_back("--" + name);
    if (option->get_type_size() > 0) flag.value = option->get_type_name();
    flag.about = option->get_description();
    if (option->get_group() != "Options") flag.group = option->get_group();
    tree.flags.push_back(std::move(flag));
  }
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App*) { return true; }))
    tree.commands.push_back(Describe(*command));
  return tree;
}

}  // namespace

Invocation ParseCommandLine(const std::vector<std::string>& arguments,
                            const CalledAs& called) {
  return Grammar(called).Parse(arguments);
}

CommandTree DescribeCommandLine(const CalledAs& called) {
  return Grammar(called).Describe();
}

}  // namespace fluxnetes::services
