// The parsed command line as plain values: one struct per command.
// command_line.h fills them, the commands take them.
// Tests: tests/services/grammar/command_line_test.cc.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "services/console/output.h"

namespace fluxnetes::services {

// One namespace, or all (nullopt).
using NamespaceScope = std::optional<std::string>;

struct GetOptions {
  enum class What {
    kGroups,
    kNodes,
    kQueues,
    kAccounts,
    kPools,
    kJobs,
    kMaintenance,
    kEstimates,
    kLoops,
    kAudit,
    kTopNodes,
    kTopGroups
  };
  What what = What::kGroups;
  std::string name;  // empty: all; a group may be NAMESPACE/NAME
  NamespaceScope scope = "default";
  OutputFormat output = OutputFormat::kTable;
  bool headers = true;
  bool watch = false;
  bool until_done = false;
  std::int64_t at_least = 0;  // groups, before all can be done; 0: not known
  std::vector<std::string> states;  // empty: any
  std::optional<std::string> queue;
  std::optional<std::string> kind;  // of jobs
  std::optional<std::string> tag;   // of jobs
  // Of groups and changes: with this in name, reason, object or detail.
  std::optional<std::string> search;
  std::optional<std::string> order;   // of groups: "start"; nullopt: the line
  bool descending = false;            // in that order
  std::optional<std::int64_t> limit;  // 0: none; nullopt: the output's default
  std::int64_t after = 0;             // id of the last one of the previous page
  std::optional<std::chrono::milliseconds> finished;  // how old at most
};

struct DescribeOptions {
  bool node = false;  // else a group
  std::string name;
  std::string namespace_name = "default";
  std::optional<std::int64_t> generation;
  OutputFormat output = OutputFormat::kTable;
};

struct ExplainOptions {
  std::string name;
  std::string namespace_name = "default";
  OutputFormat output = OutputFormat::kTable;
};

struct TimelineOptions {
  enum class By { kEither, kGroups, kNodes };
  By by = By::kEither;  // kEither: groups if they are few
  NamespaceScope scope;
  std::optional<std::string> queue;
  std::optional<std::chrono::milliseconds> horizon;  // how far ahead
  OutputFormat output = OutputFormat::kTable;
};

// Finished groups.
struct HistoryOptions {
  NamespaceScope scope = "default";
  std::optional<std::string> queue;
  std::vector<std::string> results;                 // empty: any
  std::chrono::milliseconds since{24 * 3'600'000};  // how old at most
  std::int64_t limit = 100;                         // of the latest; 0: all
  OutputFormat output = OutputFormat::kTable;
  bool headers = true;
};

// What groups held over time.
struct UsageOptions {
  std::vector<std::string> by = {"account"};
  std::string since;  // a month or a day; empty: from the first one
  std::string until;  // a month or a day, without it; empty: to now
  bool daily = false;
  NamespaceScope scope;
  std::optional<std::string> queue;
  std::optional<std::string> account;
  std::optional<std::string> user;
  bool csv = false;
  OutputFormat output = OutputFormat::kTable;
  bool headers = true;
};

struct TopOptions {
  enum class What { kNodes, kGroups };
  What what = What::kNodes;
  NamespaceScope scope;
  std::optional<std::string> queue;
  bool once = false;  // do not refresh, also on a terminal
  OutputFormat output = OutputFormat::kTable;
};

struct SqueueOptions {
  NamespaceScope scope;
  std::optional<std::string> queue;
  std::vector<std::string> states;  // Slurm's: PD, R, ...; empty: any
  bool headers = true;
};

struct CancelOptions {
  std::vector<std::string> names;
  std::string namespace_name = "default";
  std::string reason;
};

struct HoldOptions {
  bool release = false;
  std::vector<std::string> names;
  std::string namespace_name = "default";
  std::string reason;
};

struct PriorityOptions {
  std::string name;
  std::string namespace_name = "default";
  std::optional<std::int32_t> priority;  // nullopt: that of the pods
  std::string reason;
};

struct DrainOptions {
  bool undo = false;
  std::vector<std::string> words;  // names of nodes, or KEY=VALUE
  std::string from;                // empty: now
  std::string until;               // empty: until it is undone
  std::string reason;
  std::optional<std::int64_t> id;  // to undo, instead of words
};

struct QueueOptions {
  enum class Verb { kList, kPause, kResume, kSet, kCreate, kDelete, kApply };
  Verb verb = Verb::kList;
  std::string name;
  std::vector<std::string> settings;  // KEY=VALUE
  std::string file;                   // to apply; "-": standard input
  OutputFormat output = OutputFormat::kTable;
};

struct AccountOptions {
  enum class Verb { kSet, kCreate, kDelete };
  Verb verb = Verb::kSet;
  std::string name;
  std::vector<std::string> settings;  // KEY=VALUE
};

struct PoolOptions {
  enum class Verb { kList, kSet, kDelete };
  Verb verb = Verb::kList;
  std::string name;
  std::int64_t total = 0;
  std::optional<std::string> description;  // to set; empty: none
  OutputFormat output = OutputFormat::kTable;
};

struct JobsOptions {
  enum class Verb { kShow, kRetry, kCancel, kDelete, kStats };
  Verb verb = Verb::kShow;
  std::vector<std::int64_t> ids;
  // A filter instead of ids.
  std::optional<std::string> queue;
  std::optional<std::string> kind;
  std::optional<std::string> tag;
  std::vector<std::string> states;
  std::optional<std::chrono::milliseconds> finished;  // how old at most
  std::optional<std::int64_t> limit;
  std::chrono::milliseconds window{60'000};  // for the figures
  OutputFormat output = OutputFormat::kTable;
};

struct MigrateOptions {
  enum class Verb { kUp, kStatus, kValidate };
  Verb verb = Verb::kUp;
  OutputFormat output = OutputFormat::kTable;
};

struct SubmitOptions {
  std::vector<std::string> files;  // a directory, a file, or "-"
  std::string namespace_name = "default";
  bool dry_run = false;
  OutputFormat output = OutputFormat::kTable;
};

struct DeleteOptions {
  std::string kind;                // "Job" or "Pod"
  std::vector<std::string> names;  // NAME or NAMESPACE/NAME
  std::string namespace_name = "default";
};

struct SimulateOptions {
  // The workload: a trace, manifests, or generated jobs.
  std::string trace;               // a file, or "-"
  std::vector<std::string> files;  // a directory, a file, or "-"
  std::string lublin;              // "jobs=5000,load=0.8"
  std::uint32_t seed = 1;
  bool snapshot = false;  // starts from the database's records
  // The nodes and queues.
  std::string nodes;  // a number, or a file
  std::optional<std::int64_t> cpus_per_node;
  std::vector<std::string> add_nodes;  // "10:like=NODE"
  std::string policy;
  std::vector<std::string> queues;  // "NAME:KEY=VALUE,..."
  std::vector<std::string> pools;   // "NAME=TOTAL"
  std::string namespace_name = "default";
  std::optional<std::chrono::milliseconds> overrun;
  // Output files.
  std::string csv;
  std::string gantt;
  std::string utilisation;
  std::string waits;
  OutputFormat output = OutputFormat::kTable;
};

// Where a jobspec would be placed.
struct MatchOptions {
  std::string file;                  // or "-"
  std::string nodes;                 // a file, instead of the database
  std::optional<std::int32_t> pods;  // for a range of the jobspec
  std::string queue;                 // empty: as the jobspec says
  std::string namespace_name = "default";
  OutputFormat output = OutputFormat::kTable;
};

struct ServeOptions {
  bool print_config = false;
};
struct WebOptions {
  std::string url;     // of the pages, for the browser; empty: web.listen
  bool print = false;  // opens no browser
};
struct SimulatedClusterOptions {};
struct VersionOptions {
  OutputFormat output = OutputFormat::kTable;
};
struct DoctorOptions {
  OutputFormat output = OutputFormat::kTable;
};
struct BenchOptions {
  std::chrono::milliseconds time{2'000};  // of each measurement
  OutputFormat output = OutputFormat::kTable;
};
struct ManOptions {
  std::vector<std::string> command;  // empty: the program
  std::string directory;             // empty: standard output
  bool markdown = false;             // all commands, for docs/commands.md
};
struct CompletionOptions {
  std::string shell;
};
struct HelpOptions {
  std::string text;
};

using Command =
    std::variant<HelpOptions, GetOptions, DescribeOptions, ExplainOptions,
                 TimelineOptions, HistoryOptions, UsageOptions, TopOptions,
                 SqueueOptions, CancelOptions, HoldOptions, PriorityOptions,
                 DrainOptions, QueueOptions, AccountOptions, PoolOptions,
                 JobsOptions, MigrateOptions, SubmitOptions, DeleteOptions,
                 SimulateOptions, MatchOptions, ServeOptions,
                 SimulatedClusterOptions, VersionOptions, CompletionOptions,
                 DoctorOptions, ManOptions, BenchOptions, WebOptions>;

struct Invocation {
  std::optional<std::string> config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // key, value
  Command command;
};

}  // namespace fluxnetes::services
