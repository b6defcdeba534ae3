#include "services/cli.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "queue/catalogue.h"
#include "queue/store/work_queue.h"
#include "services/account_command.h"
#include "services/accounts_queries.h"
#include "services/audit_queries.h"
#include "services/bench.h"
#include "services/cancel_command.h"
#include "services/cluster_access.h"
#include "services/command_line.h"
#include "services/completion.h"
#include "services/config.h"
#include "services/database.h"
#include "services/describe.h"
#include "services/display_text.h"
#include "services/doctor.h"
#include "services/explain.h"
#include "services/explain_queries.h"
#include "services/get.h"
#include "services/group_pages_queries.h"
#include "services/history.h"
#include "services/history_queries.h"
#include "services/hold_command.h"
#include "services/job_command.h"
#include "services/line_queries.h"
#include "services/maintenance_command.h"
#include "services/man_command.h"
#include "services/migrate_command.h"
#include "services/output.h"
#include "services/plugin_completion.h"
#include "services/queries.h"
#include "services/queue_command.h"
#include "services/secret.h"
#include "services/serve.h"
#include "services/simulate.h"
#include "services/simulated_command.h"
#include "services/simulation_queries.h"
#include "services/squeue.h"
#include "services/squeue_queries.h"
#include "services/submit.h"
#include "services/terminal.h"
#include "services/timeline_command.h"
#include "services/timeline_queries.h"
#include "services/top.h"
#include "services/top_queries.h"
#include "services/version.h"
#include "sql/error.h"
#include "workers/catalogue.h"

namespace fluxnetes::services {
namespace {

// The name by which kubectl finds a plugin "fluxnetes".
constexpr auto kPlugin = "kubectl-fluxnetes";
// And what completes it.
constexpr auto kPluginCompletion = "kubectl_complete-fluxnetes";

// Runs one command; an overload for each of options.h.
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
    return RunDescribe(options, *Database(), console_);
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
  ExitCode operator()(const HoldOptions& options) {
    return RunHold(options, *Database(), console_);
  }
  ExitCode operator()(const DrainOptions& options) {
    return options.undo ? RunUndrain(options, *Database(), console_)
                        : RunDrain(options, *Database(), console_);
  }
  ExitCode operator()(const SubmitOptions& options) {
    return RunSubmit(options, config_, console_);
  }
  ExitCode operator()(const SimulateOptions& options) {
    return RunSimulate(options, config_,
                       options.snapshot ? Database().get() : nullptr, console_);
  }
  ExitCode operator()(const SimulatedClusterOptions&) {
    return RunSimulatedCluster(config_, console_);
  }

 private:
  const std::unique_ptr<sql::Pool>& Database() {
    pool_ = OpenDatabase(
        config_,
        {queries::kAll, queries::kAllAccounts, queries::kAllAudit,
         queries::kAllExplain, queries::kAllGroupPages, queries::kAllHistory,
         queries::kAllLine, queries::kAllSimulation, queries::kAllSqueue,
         queries::kAllTimeline, queries::kAllTop, queue::Catalogue(),
         workers::Catalogue()});
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

// Commands that need no configuration work with a broken one too.
bool NeedsConfig(const Command& command) {
  return !std::holds_alternative<HelpOptions>(command) &&
         !std::holds_alternative<VersionOptions>(command) &&
         !std::holds_alternative<ManOptions>(command) &&
         !std::holds_alternative<DoctorOptions>(command) &&
         !std::holds_alternative<CompletionOptions>(command);
}

// Names that cannot be had, for want of a database, are not offered.
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
