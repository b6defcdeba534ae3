#include "services/grammar/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/console/exit_code.h"
#include "tests/services/support/command_run.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Options>
Options Parsed(const std::vector<std::string>& arguments) {
  return std::get<Options>(ParseCommandLine(arguments).command);
}

TEST(CommandLine, GetReadsItsFlags) {
  const auto get =
      Parsed<GetOptions>({"get", "groups", "-n", "a", "-o", "json", "--state",
                          "pending,bound", "--queue", "q", "--limit", "5",
                          "--after", "7", "--finished", "2m", "-w"});
  EXPECT_EQ(get.what, GetOptions::What::kGroups);
  EXPECT_EQ(get.scope, "a");
  EXPECT_EQ(get.output, OutputFormat::kJson);
  EXPECT_THAT(get.states, ElementsAre("pending", "bound"));
  EXPECT_EQ(get.queue, "q");
  EXPECT_EQ(get.limit, 5);
  EXPECT_EQ(get.after, 7);
  EXPECT_EQ(get.finished, std::chrono::minutes(2));
  EXPECT_TRUE(get.watch);
}

TEST(CommandLine, DefaultsAreThoseOfKubectl) {
  const auto get = Parsed<GetOptions>({"get", "groups"});
  EXPECT_EQ(get.scope, "default");
  EXPECT_EQ(get.output, OutputFormat::kTable);
  EXPECT_FALSE(get.watch);
  EXPECT_EQ(Parsed<GetOptions>({"get", "groups", "-A"}).scope, std::nullopt);
}

TEST(CommandLine, ShortNamesStandForTheLong) {
  using What = GetOptions::What;
  EXPECT_EQ(Parsed<GetOptions>({"get", "g"}).what, What::kGroups);
  EXPECT_EQ(Parsed<GetOptions>({"get", "no"}).what, What::kNodes);
  EXPECT_EQ(Parsed<GetOptions>({"get", "queue"}).what, What::kQueues);
  EXPECT_EQ(Parsed<GetOptions>({"get", "job"}).what, What::kJobs);
}

TEST(CommandLine, SettingsMayStandAnywhere) {
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"database.schema", "s"}};
  EXPECT_EQ(ParseCommandLine({"--schema", "s", "get", "nodes"}).settings,
            expected);
  EXPECT_EQ(ParseCommandLine({"get", "nodes", "--schema", "s"}).settings,
            expected);
  EXPECT_EQ(ParseCommandLine({"get", "nodes", "--schema=s"}).settings,
            expected);
  EXPECT_EQ(ParseCommandLine({"get", "nodes", "--config", "f"}).config_file,
            "f");
}

TEST(CommandLine, OtherCommandsReadTheirArguments) {
  EXPECT_EQ(Parsed<DescribeOptions>({"describe", "group", "a/b"}).name, "a/b");
  EXPECT_THAT(Parsed<CancelOptions>({"cancel", "group", "a", "b"}).names,
              ElementsAre("a", "b"));
  const auto queue = Parsed<QueueOptions>(
      {"queue", "set", "q", "queue_depth=5", "paused=true"});
  EXPECT_EQ(queue.verb, QueueOptions::Verb::kSet);
  EXPECT_THAT(queue.settings, ElementsAre("queue_depth=5", "paused=true"));
  const auto account =
      Parsed<AccountOptions>({"account", "create", "a", "weight=2"});
  EXPECT_EQ(account.verb, AccountOptions::Verb::kCreate);
  EXPECT_EQ(account.name, "a");
  EXPECT_THAT(account.settings, ElementsAre("weight=2"));
  const auto submit =
      Parsed<SubmitOptions>({"submit", "-f", "a.yaml", "-f", "-", "--dry-run"});
  EXPECT_THAT(submit.files, ElementsAre("a.yaml", "-"));
  EXPECT_TRUE(submit.dry_run);
  const auto gone =
      Parsed<DeleteOptions>({"delete", "jobs", "a/train", "b", "-n", "c"});
  EXPECT_EQ(gone.kind, "Job");
  EXPECT_THAT(gone.names, ElementsAre("a/train", "b"));
  EXPECT_EQ(gone.namespace_name, "c");
  EXPECT_EQ(Parsed<DeleteOptions>({"delete", "pod", "p"}).kind, "Pod");
  EXPECT_EQ(Parsed<MigrateOptions>({"migrate", "status"}).verb,
            MigrateOptions::Verb::kStatus);
  EXPECT_TRUE(Parsed<ServeOptions>({"serve", "--print-config"}).print_config);
}

TEST(CommandLine, SlipsAreUsageErrorsWithAHint) {
  CommandRun run;
  for (const char* arguments :
       {"gt groups", "get", "get pods", "get groups --wtach",
        "get groups -o xml", "get groups --limit -1", "get groups --limit x",
        "get groups --finished soon", "describe group", "queue set q",
        "account set a", "account create", "submit", "completion tcsh",
        "migrate down", "get nodes a b", "delete", "delete job",
        "delete node n"}) {
    EXPECT_EQ(run(arguments), ExitCode::kUsage) << arguments;
    EXPECT_THAT(run.err(), HasSubstr("error: ")) << arguments;
    EXPECT_THAT(run.err(), HasSubstr("--help")) << arguments;
    EXPECT_EQ(run.out(), "") << arguments;
  }
}

TEST(CommandLine, WhatARefusedOutputMayBeIsSaid) {
  CommandRun run;
  run("get groups -o xml");
  EXPECT_THAT(run.err(), HasSubstr("'xml' is not allowed; right would be one "
                                   "of table|wide|json|yaml|name"));
}

TEST(CommandLine, WhatWasWrongIsNamedAsTheReferenceNamesIt) {
  CommandRun run;
  const std::pair<const char*, const char*> kSlips[] = {
      {"gt groups", "'gt' is no command; right would be one of serve, "},
      {"get", "get what? Right would be one of groups, nodes, "},
      {"get pods", "'pods' is no command; right would be one of groups, "},
      {"queue renew q", "'renew' is no command; right would be one of list, "},
      {"describe group", "GROUP is required"},
      {"cancel group", "GROUP is required"},
      {"queue set q", "SETTING is required"},
      {"jobs show x",
       "JOB: 'x' is not allowed; right would be a whole "
       "number, 1 or more\n"},
      {"get groups --limit -1",
       "--limit: '-1' is not allowed; right would be "
       "a whole number, 0 or more\n"},
      {"history --limit 1.5", "--limit: '1.5' is not allowed"},
      {"get groups --after x", "--after: 'x' is not allowed"},
      {"get groups --finished 10",
       "--finished: '10' is not allowed; right "
       "would be a duration up to 24h, like "
       "500ms, 5s, 2m or 1h\n"},
      {"history --since 1y",
       "--since: '1y' is not allowed; right would be a "
       "duration up to 8784h, like 500ms, 5s, 2m, 1h or "
       "3d\n"},
      {"get nodes a b", "not expected: b"}};
  for (const auto& [arguments, complaint] : kSlips) {
    EXPECT_EQ(run(arguments), ExitCode::kUsage) << arguments;
    EXPECT_THAT(run.err(), HasSubstr(complaint)) << arguments;
  }
}

TEST(CommandLine, HelpNamesArgumentsAsTheReferenceDoes) {
  CommandRun run;
  run("queue set --help");
  EXPECT_THAT(run.out(), HasSubstr("queue set [OPTIONS] QUEUE SETTING..."));
}

TEST(CommandLine, HelpIsNoError) {
  CommandRun run;
  for (const char* arguments :
       {"", "--help", "get --help", "get groups --help", "queue set -h"}) {
    EXPECT_EQ(run(arguments), ExitCode::kOk) << arguments;
    EXPECT_THAT(run.out(), HasSubstr("Usage: fluxnetes")) << arguments;
  }
  run("--help");
  EXPECT_THAT(run.out(), HasSubstr("Exit codes:"));
  EXPECT_THAT(run.out(), HasSubstr("FLUXNETES_DATABASE"));
}

TEST(CommandLine, BrokenConfigurationIsTold) {
  CommandRun run(Environment{{"FLUXNETES_LOG_LEVEL", "loud"}});
  EXPECT_EQ(run("get groups"), ExitCode::kUsage);
  EXPECT_THAT(run.err(), HasSubstr("error: FLUXNETES_LOG_LEVEL: log.level: "
                                   "'loud' is not allowed"));
  EXPECT_EQ(run("version"), ExitCode::kOk);
}

TEST(CommandLine, EffectiveConfigurationIsPrintedWithoutASecret) {
  CommandRun run(Environment{{"FLUXNETES_DATABASE", "host=h password=geheim"}});
  EXPECT_EQ(run("serve --print-config --log-level debug"), ExitCode::kOk);
  EXPECT_THAT(run.out(), HasSubstr("\"host=h password=***\"  "
                                   "# FLUXNETES_DATABASE"));
  EXPECT_THAT(run.out(), HasSubstr("level: debug  # --log-level"));
}

TEST(CommandLine, VersionIsPrinted) {
  CommandRun run;
  EXPECT_EQ(run("version"), ExitCode::kOk);
  EXPECT_THAT(run.out(), HasSubstr("fluxnetes 0."));
  const std::string version = run.out();
  EXPECT_EQ(run("--version"), ExitCode::kOk);
  EXPECT_EQ(run.out(), version);
  EXPECT_EQ(run("version -o json"), ExitCode::kOk);
  EXPECT_THAT(run.out(), HasSubstr("\"schema\": "));
}

TEST(Cli, OutputThatCannotBeWrittenIsAFailure) {
  CommandRun run;
  EXPECT_EQ(run("version"), ExitCode::kOk);
  run.FillOutput();
  EXPECT_EQ(run("version"), ExitCode::kFailed);
  EXPECT_THAT(run.err(), HasSubstr("could not be written whole"));
}

}  // namespace
}  // namespace fluxnetes::services
