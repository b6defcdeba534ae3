#include "services/records/group_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "services/console/time_text.h"
#include "services/records/group_start.h"
#include "sql/faults.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kNodesShown = 3;
constexpr std::size_t kNodesShownWide = 16;

std::string BoundCell(const GroupRow& group) {
  if (group.state == "refused") return {};
  if (group.state == "provisional") return fmt::format("0/{}", group.size);
  if (group.state == "finished")
    return fmt::format("{}/{}", group.bound_at ? group.size : 0, group.size);
  if (group.max_size)
    return fmt::format("{}/{}-{}", group.bound + group.grown, group.size,
                       *group.max_size);
  return fmt::format("{}/{}", group.bound + group.succeeded + group.failed,
                     group.size);
}

// A group that waits has no start yet, even if some of its pods have.
std::string StartCell(const GroupRow& group, sql::Timestamp now) {
  if (Waits(group) && !sql::BugPlanted("start-of-first-binding"))
    return StartInShort(group.estimated_start, group.estimate, now);
  return group.bound_at ? Relative(*group.bound_at, now) : "";
}

}  // namespace

Colour ColourOf(const GroupRow& group) {
  if (group.result)
    return group.result == "succeeded" ? Colour::kDim : Colour::kRed;
  if (group.shown_state == "ending") return Colour::kRed;
  if (group.state == "bound") return Colour::kGreen;
  if (group.state == "allocated") return Colour::kCyan;
  if (group.state == "pending") return Colour::kYellow;
  if (group.state == "unsatisfiable" || group.state == "refused")
    return Colour::kRed;
  return Colour::kNone;
}

std::string ShownNodes(const std::vector<std::string>& nodes,
                       std::size_t most) {
  const std::size_t shown = std::min(nodes.size(), most);
  std::string text = fmt::format(
      "{}", fmt::join(nodes.begin(),
                      nodes.begin() + static_cast<std::ptrdiff_t>(shown), ","));
  if (nodes.size() > most) text += fmt::format(",…({})", nodes.size());
  return text;
}

Table GroupTable(std::span<const GroupRow> groups, const GroupTableForm& form) {
  std::vector<std::string> headings;
  if (form.namespaces) headings.emplace_back("NAMESPACE");
  headings.insert(headings.end(), {"NAME", "STATE", ">?BOUND", "?QUEUE",
                                   ">POSITION", "START", "?AGE", "?NODES"});
  const bool elastic = std::ranges::any_of(
      groups, [](const GroupRow& group) { return group.gang.has_value(); });
  if (elastic) headings.emplace_back("GANG");
  if (form.wide)
    headings.insert(headings.end(), {">PRIORITY", "DEADLINE", ">ID"});
  const bool pools =
      form.wide && std::ranges::any_of(groups, [](const GroupRow& group) {
        return !group.pools.empty();
      });
  if (pools) headings.emplace_back("POOLS");
  headings.emplace_back("REASON");
  Table table(std::move(headings));
  for (const GroupRow& group : groups) {
    std::vector<Cell> cells;
    if (form.namespaces) cells.emplace_back(group.namespace_name);
    cells.emplace_back(group.name);
    cells.emplace_back(group.shown_state, ColourOf(group));
    cells.emplace_back(BoundCell(group));
    cells.emplace_back(group.queue);
    cells.emplace_back(group.position ? std::to_string(*group.position) : "");
    cells.emplace_back(StartCell(group, form.now));
    cells.emplace_back(Age(group.submitted_at, form.now));
    cells.emplace_back(
        ShownNodes(group.nodes, form.wide ? kNodesShownWide : kNodesShown));
    if (elastic) cells.emplace_back(group.gang.value_or(""));
    if (form.wide) {
      cells.emplace_back(group.priority ? std::to_string(*group.priority) : "");
      cells.emplace_back(group.deadline ? Relative(*group.deadline, form.now)
                                        : "");
      cells.emplace_back(std::to_string(group.id));
    }
    if (pools) cells.emplace_back(PoolsText(group.pools));
    cells.emplace_back(group.reason.value_or(""));
    table.Add(std::move(cells));
  }
  return table;
}

}  // namespace fluxnetes::services
