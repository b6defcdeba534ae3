// The grammar of the commands that show all groups or nodes at once: `fluxnetes
// timeline`, `history`, `usage`, `top` and `squeue`.
// Tests: tests/services/records/views_pgtest.cc.
#pragma once

#include <string>

#include "services/grammar/options.h"

namespace CLI {
class App;
}  // namespace CLI

namespace fluxnetes::services {

// Options of these commands; some are completed only after parsing.
struct ViewOptions {
  TimelineOptions timeline;
  HistoryOptions history;
  UsageOptions usage;
  TopOptions top;
  SqueueOptions squeue;
  std::string namespace_name;  // empty: all
  std::string history_namespace = "default";
  bool all_namespaces = false;
  std::string duration;
  std::string by;
};

// When one of these commands is parsed, its options become `chosen`; both must
// outlive the application.
void AddTimelineCommand(CLI::App& app, ViewOptions& options, Command& chosen);
void AddHistoryCommand(CLI::App& app, ViewOptions& options, Command& chosen);
void AddUsageCommand(CLI::App& app, ViewOptions& options, Command& chosen);
void AddTopCommand(CLI::App& app, ViewOptions& options, Command& chosen);
void AddSqueueCommand(CLI::App& app, ViewOptions& options, Command& chosen);

}  // namespace fluxnetes::services
