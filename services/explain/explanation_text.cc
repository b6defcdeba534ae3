#include "services/explain/explanation_text.h"

#include <fmt/format.h>

#include "services/console/time_text.h"

namespace fluxnetes::services {
namespace {

constexpr auto kNever =
    "can never fit the cluster as it is, and is tried again when nodes are "
    "added or change";

// Of a group of which some pods have run: "runs with 3 of its 4 pods, and 1
// waits".
std::string WaitsAgainInWords(const GroupRow& group) {
  const std::string rest =
      fmt::format("{} wait{}", group.waiting, group.waiting == 1 ? "s" : "");
  std::string text =
      group.bound > 0
          ? fmt::format("runs with {} of its {} pods, and {}", group.bound,
                        group.size, rest)
          : fmt::format("has run, and of its {} pods {}", group.size, rest);
  if (group.state == "unsatisfiable")
    return fmt::format("{}: what waits {}", text, kNever);
  if (!group.position) return text;
  return fmt::format("{}, position {} in queue {}", text, *group.position,
                     group.queue);
}

std::string WaitsInWords(const GroupRow& group, sql::Timestamp now) {
  const std::string since = Age(group.submitted_at, now);
  if (group.phase == "recalled")
    return "lost a pod when it had its nodes: these are taken back";
  if (group.has_started) return WaitsAgainInWords(group);
  if (group.state == "unsatisfiable") return kNever;
  if (group.phase == "held") return "is held, and has waited " + since;
  if (group.phase == "deferred")
    return "may not start yet, and has waited " + since;
  if (!group.position)
    return fmt::format("has waited {} in queue {}", since, group.queue);
  return fmt::format("has waited {}, position {} in queue {}", since,
                     *group.position, group.queue);
}

}  // namespace

std::string SummaryOf(const GroupRow& group, sql::Timestamp now) {
  if (group.result)
    return fmt::format("is over: {} {}", *group.result,
                       Relative(*group.ended_at, now));
  if (group.state == "provisional")
    return fmt::format("has waited {} for its pods: {} of {} have arrived",
                       Age(group.submitted_at, now), group.arrived, group.size);
  if (group.state == "refused") return "is refused: none of its pods is taken";
  if (group.shown_state == "ending")
    return "does not wait: it is ending, and its pods are deleted";
  if (group.state == "allocated") return "does not wait: it has its nodes";
  if (group.state == "bound")
    return "does not wait: bound " + Relative(*group.bound_at, now);
  return WaitsInWords(group, now);
}

std::vector<std::string> KnownHelp(const GroupDetail& detail) {
  const GroupRow& group = detail.group;
  const std::string name = group.namespace_name + "/" + group.name;
  std::vector<std::string> help;
  if (group.state == "provisional" && group.size > group.arrived)
    help.push_back(fmt::format(
        "{} more pod{} of the group: look at what makes them if they do not "
        "come",
        group.size - group.arrived,
        group.size - group.arrived == 1 ? "" : "s"));
  if (group.phase == "held")
    help.push_back(fmt::format("`fluxnetes release group {}`", name));
  for (const MemberRow& member : detail.members) {
    if (member.state == "refused")
      help.push_back(fmt::format("pod {} made right: {}", member.name,
                                 member.note.value_or("")));
    if (member.state == "gated")
      help.push_back(fmt::format(
          "the scheduling gates of pod {} taken off, by who put them there",
          member.name));
  }
  return help;
}

}  // namespace fluxnetes::services
