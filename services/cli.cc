#include "services/cli.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "queue/catalogue.h"
#include "queue/store/work_queue.h"
#include "services/config/cluster_access.h"
#include "services/config/config.h"
#include "services/console/display_text.h"
#include "services/console/output.h"
#include "services/console/secret.h"
#include "services/console/terminal.h"
#include "services/database/audit_queries.h"
#include "services/database/database.h"
#include "services/database/ended_groups_queries.h"
#include "services/doctor/bench.h"
#include "services/doctor/doctor.h"
#include "services/editing/account_command.h"
#include "services/editing/cancel_command.h"
#include "services/editing/editing_queries.h"
#include "services/editing/hold_command.h"
#include "services/editing/job_command.h"
#include "services/editing/maintenance_command.h"
#include "services/editing/migrate_command.h"
#include "services/editing/pool_command.h"
#include "services/editing/queue_command.h"
#include "services/explain/describe.h"
#include "services/explain/describe_node.h"
#include "services/explain/explain.h"
#include "services/explain/explain_queries.h"
#include "services/explain/timeline_command.h"
#include "services/explain/timeline_queries.h"
#include "services/grammar/command_line.h"
#include "services/listing/get.h"
#include "services/listing/history.h"
#include "services/listing/listing_queries.h"
#include "services/listing/squeue.h"
#include "services/listing/squeue_queries.h"
#include "services/listing/top.h"
#include "services/listing/top_queries.h"
#include "services/manual/completion.h"
#include "services/manual/man_command.h"
#include "services/manual/plugin_completion.h"
#include "services/manual/version.h"
#include "services/match/match.h"
#include "services/priority/priority_command.h"
#include "services/records/group_pages_queries.h"
#include "services/records/line_queries.h"
#include "services/records/records_queries.h"
#include "services/serve/serve.h"
#include "services/simulate/simulate.h"
#include "services/simulate/simulation_queries.h"
#include "services/simulated_api/simulated_command.h"
#include "services/submit/delete_command.h"
#include "services/submit/submit.h"
#include "services/usage/usage_command.h"
#include "services/usage/usage_queries.h"
#include "services/web/web_command.h"
#include "services/web/web_sessions_queries.h"
#include "sql/error.h"
#include "workers/catalogue.h"

namespace fluxnetes::services {
namespace {

// kubectl finds a plugin "fluxnetes" by this name.
constexpr auto kPlugin = "kubectl-fluxnetes";
// kubectl finds the plugin's completion by this name.
constexpr auto kPluginCompletion = "kubectl_complete-fluxnetes";

// Runs one command; has an overload for each struct of options.h.
class Runner {
 public:
  Runner(const ConfigSources& sources, const EffectiveConfig& effective,
         Console& console)
      : sources_(sources),
        effective_(effective),
        config_(effective.config),
        console_(console) {}

  ExitCode operator()(const HelpOptions& options) {
    console_.out << options.text;
    return ExitCode::kOk;
  }
  ExitCode operator()(const VersionOptions& options) {
    return RunVersion(options, console_);
  }
  ExitCode operator()(const CompletionOptions& options) {
    console_.out << CompletionScript(DescribeCommandLine(), options.shell);
    return ExitCode::kOk;
  }
  ExitCode operator()(const ManOptions& options) {
    return RunMan(options, DescribeCommandLine(), console_);
  }
  ExitCode operator()(const BenchOptions& options) {
    return RunBench(options, config_, *Database(), console_);
  }
  ExitCode operator()(const DoctorOptions& options) {
    return RunDoctor(options, sources_, console_);
  }
  ExitCode operator()(const GetOptions& options) {
    return RunGet(options, *Database(), console_);
  }
  ExitCode operator()(const DescribeOptions& options) {
    return options.node ? RunDescribeNode(options, *Database(), console_)
                        : RunDescribe(options, *Database(), console_);
  }
  ExitCode operator()(const ExplainOptions& options) {
    return RunExplain(options, *Database(), console_);
  }
  ExitCode operator()(const TimelineOptions& options) {
    return RunTimeline(options, *Database(), console_);
  }
  ExitCode operator()(const HistoryOptions& options) {
    return RunHistory(options, *Database(), console_);
  }
  ExitCode operator()(const UsageOptions& options) {
    return RunUsage(options, *Database(), console_);
  }
  ExitCode operator()(const TopOptions& options) {
    return RunTop(options, *Database(), console_);
  }
  ExitCode operator()(const SqueueOptions& options) {
    return RunSqueue(options, *Database(), console_);
  }
  ExitCode operator()(const QueueOptions& options) {
    return RunQueue(options, *Database(), console_);
  }
  ExitCode operator()(const AccountOptions& options) {
    return RunAccount(options, *Database(), console_);
  }
  ExitCode operator()(const PoolOptions& options) {
    return RunPool(options, *Database(), console_);
  }
  ExitCode operator()(const JobsOptions& options) {
    return RunJobs(options, *Database(), console_);
  }
  ExitCode operator()(const MigrateOptions& options) {
    return RunMigrate(options, config_, console_);
  }
  ExitCode operator()(const ServeOptions& options) {
    if (options.print_config) {
      console_.out << PrintConfig(effective_);
      return ExitCode::kOk;
    }
    return RunServe(config_);
  }
  ExitCode operator()(const CancelOptions& options) {
    return RunCancel(options, *Database(), console_);
  }
  ExitCode operator()(const PriorityOptions& options) {
    return RunPriority(options, *Database(), console_);
  }
  ExitCode operator()(const HoldOptions& options) {
    return RunHold(options, *Database(), console_);
  }
  ExitCode operator()(const DrainOptions& options) {
    return options.undo ? RunUndrain(options, *Database(), console_)
                        : RunDrain(options, *Database(), console_);
  }
  ExitCode operator()(const SubmitOptions& options) {
    return RunSubmit(
        options, config_, [this]() -> sql::Pool& { return *Database(); },
        console_);
  }
  ExitCode operator()(const DeleteOptions& options) {
    return RunDelete(options, config_, console_);
  }
  ExitCode operator()(const SimulateOptions& options) {
    return RunSimulate(options, config_,
                       options.snapshot ? Database().get() : nullptr, console_);
  }
  ExitCode operator()(const MatchOptions& options) {
    return RunMatch(options, options.nodes.empty() ? Database().get() : nullptr,
                    console_);
  }
  ExitCode operator()(const WebOptions& options) {
    pool_ = OpenDatabase(config_, {queries::kAllWebSessions});
    return RunWeb(options, config_, *pool_, console_);
  }
  ExitCode operator()(const SimulatedClusterOptions&) {
    return RunSimulatedCluster(config_, console_);
  }

 private:
  const std::unique_ptr<sql::Pool>& Database() {
    pool_ = OpenDatabase(
        config_,
        {queries::kAllAudit, queries::kAllEditing, queries::kAllEndedGroups,
         queries::kAllExplain, queries::kAllGroupPages, queries::kAllLine,
         queries::kAllListing, queries::kAllRecords, queries::kAllSimulation,
         queries::kAllSqueue, queries::kAllTimeline, queries::kAllTop,
         queries::kAllUsage, queue::Catalogue(), workers::Catalogue()});
    return pool_;
  }

  const ConfigSources& sources_;
  const EffectiveConfig& effective_;
  const Config& config_;
  Console& console_;
  std::unique_ptr<sql::Pool> pool_;
};

ExitCode Report(const Failure& failure, Console& console) {
  console.out << std::flush;
  console.err << "error: " << Printable(failure.what()) << '\n';
  if (!failure.next().empty()) console.err << failure.next() << '\n';
  return failure.code();
}

ExitCode Report(const ConfigError& error, Console& console) {
  std::istringstream lines(error.what());
  for (std::string line; std::getline(lines, line);)
    console.err << "error: " << Printable(line) << '\n';
  console.err << "`fluxnetes --help` lists the settings.\n";
  return ExitCode::kUsage;
}

// A command without a configuration works with a broken one too.
bool NeedsConfig(const Command& command) {
  return !std::holds_alternative<HelpOptions>(command) &&
         !std::holds_alternative<VersionOptions>(command) &&
         !std::holds_alternative<ManOptions>(command) &&
         !std::holds_alternative<DoctorOptions>(command) &&
         !std::holds_alternative<CompletionOptions>(command);
}

// If the database is away, no names are offered.
ExitCode CompletePlugin(const std::vector<std::string>& words,
                        Console& console) {
  const PluginOffers offers = PluginOffersFor(DescribeCommandLine(), words);
  std::ostringstream names;
  std::ostringstream problems;
  if (!offers.names.empty()) {
    Console quiet{.in = console.in,
                  .out = names,
                  .err = problems,
                  .size = [] { return std::pair(0, 0); },
                  .now = console.now,
                  .environment = console.environment,
                  .wait = console.wait};
    RunCommandLine(offers.names, quiet);
  }
  console.out << PluginAnswer(offers, names.str(),
                              words.empty() ? "" : words.back())
              << std::flush;
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunCommandLine(const std::vector<std::string>& arguments,
                        Console& console, const std::string& program) {
  if (std::filesystem::path(program).filename() == kPluginCompletion)
    return CompletePlugin(arguments, console);
  CalledAs called;
  if (std::filesystem::path(program).filename() == kPlugin)
    called.program = "kubectl fluxnetes";
  EffectiveConfig effective;
  try {
    Invocation invocation = ParseCommandLine(arguments, called);
    const ConfigSources sources{.file = invocation.config_file,
                                .environment = console.environment,
                                .flags = invocation.settings};
    if (NeedsConfig(invocation.command)) {
      effective = LoadConfig(sources);
      if (called.program != CalledAs().program) {
        called.namespace_name =
            ContextNamespace(effective.config, console.environment);
        invocation = ParseCommandLine(arguments, called);
      }
    }
    const ExitCode code =
        std::visit(Runner(sources, effective, console), invocation.command);
    if (!console.out.flush())
      throw Failure(ExitCode::kFailed, "the output could not be written whole",
                    "Is the disk full, or what reads it gone?");
    return code;
  } catch (const Failure& failure) {
    return Report(failure, console);
  } catch (const ConfigError& error) {
    return Report(error, console);
  } catch (const sql::Error& error) {
    return Report(Explain(error, effective.config), console);
  } catch (const std::exception& error) {
    return Report(Failure(ExitCode::kFailed, MaskPasswords(error.what())),
                  console);
  }
}

int RunCommandLine(int argc, char** argv) {
  Console console = ProcessConsole();
  return static_cast<int>(
      RunCommandLine(std::vector<std::string>(argv + 1, argv + argc), console,
                     argc > 0 ? argv[0] : ""));
}

}  // namespace fluxnetes::services
