#include "services/records/group_start.h"

#include <fmt/format.h>

#include "services/console/time_text.h"

namespace fluxnetes::services {

std::string StartInWords(const GroupRow& group, sql::Timestamp now) {
  if (!Waits(group)) return {};
  if (group.estimated_start) {
    const std::string when =
        fmt::format("{} UTC ({})", ShortTime(*group.estimated_start),
                    Relative(*group.estimated_start, now));
    if (*group.estimated_start <= now)
      return "due since " + when + ": what it waits for takes longer";
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
  if (group.phase == "recalled")
    return "not known: its places are being taken back first";
  if (group.phase == "deferred" && group.start_after)
    return fmt::format("not before {} UTC ({})", ShortTime(*group.start_after),
                       Relative(*group.start_after, now));
  if (group.rests_on) return "not known: " + *group.rests_on;
  if (group.state != "pending") return {};
  return group.position > 1 ? "not planned yet: others are before it"
                            : "not planned yet";
}

std::string StartInShort(const std::optional<sql::Timestamp>& start,
                         const std::optional<std::string>& estimate,
                         sql::Timestamp now) {
  if (!start) return {};
  if (*start <= now) return "due";
  const std::string text = Relative(*start, now);
  const bool about = estimate == "approximate" && text.starts_with("in ");
  return about ? "in ~" + text.substr(3) : text;
}

}  // namespace fluxnetes::services
