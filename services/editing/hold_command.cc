#include "services/editing/hold_command.h"

#include <ostream>

#include "services/console/display_text.h"
#include "services/records/group_changes.h"
#include "services/records/group_name.h"

namespace fluxnetes::services {
namespace {

workers::HoldOutcome Apply(const HoldOptions& options, const GroupName& name,
                           sql::Pool& pool, sql::Timestamp now) {
  return options.release
             ? ReleaseGroup(pool, ProcessActor(), name, now)
             : HoldGroup(pool, ProcessActor(), name, options.reason, now);
}

}  // namespace

ExitCode RunHold(const HoldOptions& options, sql::Pool& pool,
                 Console& console) {
  using workers::HoldOutcome;
  ExitCode code = ExitCode::kOk;
  bool unknown = false;
  for (const std::string& text : options.names) {
    const GroupName name = ParseGroupName(text, options.namespace_name);
    const std::string shown = Printable(name.Text());
    switch (Apply(options, name, pool, console.now())) {
      case HoldOutcome::kDone:
        console.out << "group/" << shown
                    << (options.release ? " released" : " held") << '\n';
        break;
      case HoldOutcome::kNotHeld:
        console.out << "group/" << shown << " is not held\n";
        break;
      case HoldOutcome::kStarted:
        console.err << "error: group \"" << shown
                    << "\" runs already, or has its nodes: it cannot be held; "
                       "`fluxnetes cancel group` ends it\n";
        if (code == ExitCode::kOk) code = ExitCode::kFailed;
        break;
      case HoldOutcome::kUnknown:
        console.err << "error: no unfinished group named \"" << shown << "\"\n";
        code = ExitCode::kNotFound;
        unknown = true;
        break;
    }
  }
  if (unknown)
    console.err << "`fluxnetes get groups -A` lists those that there are.\n";
  return code;
}

}  // namespace fluxnetes::services
