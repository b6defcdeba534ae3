#include "services/records/group_start.h"

#include <fmt/format.h>

#include "services/console/time_text.h"

namespace fluxnetes::services {

std::string StartInWords(const GroupRow& group, sql::Timestamp now) {
  if (group.estimated_start) {
    const std::string when =
        fmt::format("{} UTC ({})", ShortTime(*group.estimated_start),
                    Relative(*group.estimated_start, now));
    if (group.estimate == "reserved")
      return when + " at the latest, if what runs keeps to its deadlines";
    return fmt::format("{}{}, if it goes as planned: {}",
                       group.estimate == "approximate" ? "about " : "", when,
                       group.rests_on.value_or(""));
  }
  if (group.reservation == "drain")
    return "cannot be said: what runs has no end; its nodes are kept free for "
           "it as they empty";
  if (group.phase == "held")
    return "when it is released: `fluxnetes release group`";
  if (group.phase == "deferred" && group.start_after)
    return fmt::format("not before {} UTC ({})", ShortTime(*group.start_after),
                       Relative(*group.start_after, now));
  if (group.rests_on) return "not known: " + *group.rests_on;
  if (group.state == "pending") return "not planned yet: others are before it";
  return {};
}

}  // namespace fluxnetes::services
