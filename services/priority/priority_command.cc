#include "services/priority/priority_command.h"

#include <fmt/format.h>

#include <ostream>

#include "services/console/display_text.h"
#include "services/records/group_changes.h"
#include "services/records/group_name.h"

namespace fluxnetes::services {

ExitCode RunPriority(const PriorityOptions& options, sql::Pool& pool,
                     Console& console) {
  using workers::PriorityOutcome;
  const GroupName name = ParseGroupName(options.name, options.namespace_name);
  const std::string shown = Printable(name.Text());
  const auto change =
      SetPriority(pool, ProcessActor(), name,
                  {.priority = options.priority, .reason = options.reason});
  switch (change.outcome) {
    case PriorityOutcome::kDone:
      if (change.priority)
        console.out << fmt::format("group/{} has the priority {}\n", shown,
                                   *change.priority);
      else
        console.out << fmt::format("group/{} has the priority of its pods\n",
                                   shown);
      return ExitCode::kOk;
    case PriorityOutcome::kStarted:
      console.err << fmt::format(
          "error: group \"{}\" runs already, or has its nodes: its priority no "
          "longer counts\n",
          shown);
      return ExitCode::kFailed;
    case PriorityOutcome::kTooHigh:
    case PriorityOutcome::kUnknown:
      break;
  }
  console.err << fmt::format(
      "error: no unfinished group named \"{}\"\n"
      "`fluxnetes get groups -A` lists those that there are.\n",
      shown);
  return ExitCode::kNotFound;
}

}  // namespace fluxnetes::services
