#include "services/editing/maintenance_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include "cluster/files/field_check.h"
#include "cluster/text/timestamp.h"
#include "services/console/display_text.h"
#include "services/console/time_text.h"
#include "services/database/audit.h"
#include "services/editing/editing_queries.h"
#include "sql/connection/transaction.h"
#include "workers/pods/topology_labels.h"

namespace fluxnetes::services {
namespace {

// Nodes by name or by labels.
struct NodeChoice {
  std::vector<std::string> nodes;
  nlohmann::json labels = nlohmann::json::object();
};

NodeChoice ParseNodes(std::vector<std::string> words) {
  if (!words.empty() && (words[0] == "node" || words[0] == "nodes"))
    words.erase(words.begin());
  NodeChoice choice;
  for (const std::string& word : words) {
    const std::size_t equal = word.find('=');
    if (equal == std::string::npos) {
      if (word.empty())
        throw Failure(ExitCode::kUsage, "a node cannot have an empty name",
                      "`fluxnetes get nodes` lists those that there are.");
      choice.nodes.push_back(word);
      continue;
    }
    const std::string key = workers::KeyOfLevel(word.substr(0, equal), {});
    if (!cluster::IsQualifiedName(key))
      throw Failure(ExitCode::kUsage,
                    fmt::format("'{}' names no label of nodes", word),
                    "Right would be KEY=VALUE, such as zone=a or "
                    "example.com/row=7.");
    if (!choice.labels.emplace(key, word.substr(equal + 1)).second)
      throw Failure(ExitCode::kUsage,
                    fmt::format("the label {} is given twice", key),
                    "Right would be each once: nodes have one value of it.");
  }
  if (choice.nodes.empty() == choice.labels.empty())
    throw Failure(ExitCode::kUsage,
                  choice.nodes.empty()
                      ? "no node is named"
                      : "nodes are named by name and by labels",
                  "Right would be names of nodes, or labels that they all "
                  "have, as KEY=VALUE.");
  std::sort(choice.nodes.begin(), choice.nodes.end());
  choice.nodes.erase(std::unique(choice.nodes.begin(), choice.nodes.end()),
                     choice.nodes.end());
  return choice;
}

// Parses "30m", "2h", "3d". The limit is larger than that of a setting's
// duration.
std::optional<std::chrono::seconds> ParseAhead(std::string_view text) {
  constexpr std::pair<char, int> kUnits[] = {
      {'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  constexpr int kLongest = 365 * 86'400;
  int number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc() || last - end != 1 || number <= 0)
    return std::nullopt;
  for (const auto& [unit, seconds] : kUnits)
    if (*end == unit && number <= kLongest / seconds)
      return std::chrono::seconds(number * seconds);
  return std::nullopt;
}

// Parses "now", "+2h", or a time in Kubernetes' form.
sql::Timestamp ParseMoment(const std::string& flag, const std::string& text,
                           sql::Timestamp now) {
  if (text == "now") return now;
  if (text.starts_with("+")) {
    if (const auto ahead = ParseAhead(std::string_view(text).substr(1)))
      return now + *ahead;
  } else if (const auto time = cluster::ParseTimestamp(text)) {
    return *time;
  }
  throw Failure(ExitCode::kUsage,
                fmt::format("'{}' is no time for --{}", text, flag),
                "Right would be now, +30m, +2h or +3d, up to a year, or "
                "2026-01-31T12:00:00Z.");
}

// Returns "rack=r7,zone=a", in order of keys.
std::string LabelsText(const NodeChoice& choice) {
  std::string text;
  for (const auto& [key, value] : choice.labels.items())
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", key,
                        value.get<std::string>());
  return text;
}

// Returns the names for the audit log.
std::vector<std::string> ObjectsOf(const NodeChoice& choice) {
  if (!choice.labels.empty()) return {"nodes/" + LabelsText(choice)};
  std::vector<std::string> objects;
  for (const std::string& node : choice.nodes)
    objects.push_back("node/" + node);
  return objects;
}

// Withdraws maintenance; returns its names for messages.
std::vector<std::string> Undo(const DrainOptions& options,
                              const NodeChoice& choice,
                              sql::Transaction& transaction,
                              sql::Timestamp now) {
  if (options.id) {
    if (transaction.Run(queries::kUndrainById, *options.id).affected() == 0)
      return {};
    return {std::to_string(*options.id)};
  }
  if (!choice.labels.empty()) {
    if (transaction.Run(queries::kUndrainSelector, choice.labels.dump(), now)
            .affected() == 0)
      return {};
    return {LabelsText(choice)};
  }
  std::vector<std::string> undone;
  for (const sql::Row row :
       transaction.Run(queries::kFindDrained, choice.nodes, now))
    undone.push_back(row.Get<std::string>("node"));
  transaction.Run(queries::kDropDrainsOf, choice.nodes, now);
  transaction.Run(queries::kShrinkDrains, choice.nodes, now);
  return undone;
}

std::vector<std::string> UndoneObjects(const DrainOptions& options,
                                       const NodeChoice& choice,
                                       const std::vector<std::string>& undone) {
  const std::string kind = options.id              ? "maintenance/"
                           : choice.labels.empty() ? "node/"
                                                   : "nodes/";
  std::vector<std::string> objects;
  for (const std::string& name : undone) objects.push_back(kind + name);
  return objects;
}

std::string When(sql::Timestamp from, std::optional<sql::Timestamp> until) {
  return fmt::format(
      "from {} UTC {}", ShortTime(from),
      until ? "until " + ShortTime(*until) + " UTC" : "until it is undone");
}

// The names of nodes, or "KEY=VALUE" for each label.
std::vector<std::string> WordsOf(const NodeChoice& choice) {
  std::vector<std::string> words = choice.nodes;
  for (const auto& [key, value] : choice.labels.items())
    words.push_back(fmt::format("{}={}", key, value.get<std::string>()));
  return words;
}

void ReadAffected(sql::Transaction& transaction, Drained& drained) {
  constexpr int kGroupsNamed = 100;
  const sql::Result counts =
      transaction.Run(queries::kCountDrained, drained.id);
  drained.known_nodes = counts[0].Get<std::int64_t>("nodes");
  drained.group_count = counts[0].Get<std::int64_t>("groups");
  if (drained.group_count == 0) return;
  for (const sql::Row row :
       transaction.Run(queries::kListInTheWay, drained.id, kGroupsNamed))
    drained.groups.push_back(row.Get<std::string>("namespace") + "/" +
                             row.Get<std::string>("group_name"));
}

}  // namespace

Drained Drain(const DrainOptions& options, const Actor& actor, sql::Pool& pool,
              sql::Timestamp now, bool dry_run) {
  const NodeChoice choice = ParseNodes(options.words);
  Drained drained;
  drained.words = WordsOf(choice);
  drained.from =
      options.from.empty() ? now : ParseMoment("from", options.from, now);
  if (!options.until.empty())
    drained.until = ParseMoment("until", options.until, now);
  if (drained.until && *drained.until <= std::max(drained.from, now))
    throw Failure(ExitCode::kUsage,
                  fmt::format("maintenance {} would be over before it begins, "
                              "or is over already",
                              When(drained.from, drained.until)),
                  "Right would be --until after --from, and in the future.");
  sql::Transaction transaction(pool);
  const auto made = transaction.Run(
      queries::kDrainNodes,
      choice.nodes.empty() ? std::nullopt : std::optional(choice.nodes),
      choice.labels.empty() ? std::nullopt
                            : std::optional(choice.labels.dump()),
      drained.from, drained.until,
      options.reason.empty() ? std::nullopt : std::optional(options.reason),
      now);
  drained.id = made[0].Get<std::int64_t>("id");
  ReadAffected(transaction, drained);
  if (dry_run) return drained;  // and the transaction is rolled back
  RecordChanges(
      transaction, actor, "drain", ObjectsOf(choice),
      fmt::format("maintenance/{} {}{}{}", drained.id,
                  When(drained.from, drained.until),
                  options.reason.empty() ? "" : ": ", options.reason));
  transaction.Commit();
  return drained;
}

Undrained Undrain(const DrainOptions& options, const Actor& actor,
                  sql::Pool& pool, sql::Timestamp now) {
  if (options.id && !options.words.empty())
    throw Failure(ExitCode::kUsage, "nodes are named beside --id",
                  "Right would be either of them.");
  const NodeChoice choice =
      options.id ? NodeChoice() : ParseNodes(options.words);
  Undrained result;
  result.asked = choice.nodes;
  if (options.id) result.asked = {std::to_string(*options.id)};
  if (!choice.labels.empty()) result.asked = {LabelsText(choice)};
  sql::Transaction transaction(pool);
  result.undone = Undo(options, choice, transaction, now);
  RecordChanges(transaction, actor, "undrain",
                UndoneObjects(options, choice, result.undone));
  transaction.Commit();
  return result;
}

ExitCode RunDrain(const DrainOptions& options, sql::Pool& pool,
                  Console& console) {
  const Drained drained = Drain(options, ProcessActor(), pool, console.now(),
                                /*dry_run=*/false);
  const std::int64_t known = drained.known_nodes;
  console.out << fmt::format(
      "maintenance/{} of {} {}\n", drained.id,
      known == 1 ? "1 node" : fmt::format("{} nodes", known),
      When(drained.from, drained.until));
  const std::int64_t groups = drained.group_count;
  if (groups > 0)
    console.out << fmt::format(
        "{} there need not have ended by then, and {} left alone.\n",
        groups == 1 ? "1 group" : fmt::format("{} groups", groups),
        groups == 1 ? "is" : "are");
  const bool by_labels = drained.words[0].find('=') != std::string::npos;
  if (known < (by_labels ? 1 : std::ssize(drained.words)))
    console.err << "warning: not all of them are nodes that the scheduler "
                   "knows; `fluxnetes get nodes` lists those\n";
  return ExitCode::kOk;
}

ExitCode RunUndrain(const DrainOptions& options, sql::Pool& pool,
                    Console& console) {
  const auto [asked, undone] =
      Undrain(options, ProcessActor(), pool, console.now());
  for (const std::string& name : undone)
    console.out << (options.id ? "maintenance/" : "node/") << Printable(name)
                << " undrained\n";
  ExitCode code = ExitCode::kOk;
  for (const std::string& name : asked) {
    if (std::ranges::find(undone, name) != undone.end()) continue;
    console.err << "error: no maintenance of \"" << Printable(name)
                << "\" is announced\n";
    code = ExitCode::kNotFound;
  }
  if (code != ExitCode::kOk)
    console.err << "`fluxnetes get maintenance` lists what is.\n";
  return code;
}

}  // namespace fluxnetes::services
