#include "services/editing/cancel_command.h"

#include <fmt/format.h>

#include <ostream>

#include "services/console/display_text.h"
#include "services/records/group_changes.h"
#include "services/records/group_name.h"

namespace fluxnetes::services {
namespace {

// Explains why nothing was cancelled; returns true if that is no error.
bool Explain(const GroupName& name, sql::Pool& pool, Console& console) {
  if (IsUnfinished(pool, name)) {
    console.out << "group/" << Printable(name.Text())
                << " is being cancelled already\n";
    return true;
  }
  console.err << "error: no unfinished group named \"" << Printable(name.Text())
              << "\"\n";
  return false;
}

}  // namespace

ExitCode RunCancel(const CancelOptions& options, sql::Pool& pool,
                   Console& console) {
  const std::string reason =
      options.reason.empty() ? "cancelled by a user" : options.reason;
  ExitCode code = ExitCode::kOk;
  for (const std::string& text : options.names) {
    const GroupName name = ParseGroupName(text, options.namespace_name);
    if (CancelGroup(pool, ProcessActor(), name, reason, console.now()) > 0)
      console.out << "group/" << Printable(name.Text()) << " cancelled\n";
    else if (!Explain(name, pool, console))
      code = ExitCode::kNotFound;
  }
  if (code != ExitCode::kOk)
    console.err << "`fluxnetes get groups -A` lists those that there are.\n";
  return code;
}

}  // namespace fluxnetes::services
