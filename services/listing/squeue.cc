#include "services/listing/squeue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <ostream>

#include "services/console/table.h"
#include "services/listing/squeue_queries.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {
namespace {

constexpr std::size_t kMostDigits = 9;  // of the number at a name's end

// Formats a run time as Slurm does: "5-03:20:01", "3:20:01", "0:07".
std::string ClockTime(std::chrono::seconds time) {
  const std::int64_t all = std::max<std::int64_t>(time.count(), 0);
  const std::int64_t days = all / 86'400, hours = all / 3'600 % 24,
                     minutes = all / 60 % 60, seconds = all % 60;
  if (days > 0)
    return fmt::format("{}-{:02}:{:02}:{:02}", days, hours, minutes, seconds);
  if (hours > 0) return fmt::format("{}:{:02}:{:02}", hours, minutes, seconds);
  return fmt::format("{}:{:02}", minutes, seconds);
}

std::string CodeOf(const std::string& shown) {
  if (shown == "ending") return "CG";
  if (shown == "bound") return "R";
  if (shown == "bound in part") return "RS";
  if (shown == "allocated") return "CF";
  return "PD";
}

// Returns Slurm's reason code, if it has one.
std::string SlurmReason(const sql::Row& row) {
  const std::string kind = row.Find<std::string>("reason_kind").value_or("");
  if (kind == "provisional") return "PodsMissing";
  if (kind == "unsatisfiable") return "BadConstraints";
  if (kind == "ending") return "None";
  if (kind == "held") return "JobHeldUser";
  if (kind == "deferred") return "BeginTime";
  if (row.Get<bool>("paused")) return "PartitionInactive";
  if (kind == "room" || kind == "own" || kind == "recalled") return "Resources";
  if (kind == "quota") return "AssocGrpLimit";
  return "Priority";
}

struct HostName {
  std::string stem;
  std::int64_t number = 0;
  std::size_t digits = 0;  // 0: no number at the end
};

HostName SplitHost(const std::string& name) {
  std::size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9' &&
         name.size() - at < kMostDigits)
    --at;
  HostName host{name.substr(0, at), 0, name.size() - at};
  if (host.digits > 0)
    std::from_chars(name.data() + at, name.data() + name.size(), host.number);
  return host;
}

}  // namespace

std::string HostList(const std::vector<std::string>& nodes) {
  // Only numbers of one width are merged: n08 is not n8.
  std::map<std::pair<std::string, std::size_t>, std::vector<std::int64_t>>
      stems;
  for (const std::string& node : nodes) {
    const HostName host = SplitHost(node);
    const bool padded = host.digits > 1 && node[host.stem.size()] == '0';
    stems[{host.stem, host.digits == 0 ? 0
                      : padded         ? host.digits
                                       : 1}]
        .push_back(host.number);
  }
  std::string text;
  for (auto& [key, numbers] : stems) {
    const auto& [stem, digits] = key;
    text += (text.empty() ? "" : ",") + stem;
    if (digits == 0) continue;
    std::ranges::sort(numbers);
    std::string ranges;
    for (std::size_t i = 0; i < numbers.size();) {
      std::size_t last = i;
      while (last + 1 < numbers.size() &&
             numbers[last + 1] == numbers[last] + 1)
        ++last;
      ranges += fmt::format("{}{:0{}}", ranges.empty() ? "" : ",", numbers[i],
                            digits);
      if (last > i) ranges += fmt::format("-{:0{}}", numbers[last], digits);
      i = last + 1;
    }
    text += numbers.size() == 1 ? ranges : "[" + ranges + "]";
  }
  return text;
}

ExitCode RunSqueue(const SqueueOptions& options, sql::Pool& pool,
                   Console& console) {
  Table table({">JOBID", "PARTITION", "NAME", "USER", "ST", ">TIME", ">NODES",
               "NODELIST(REASON)"});
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  for (const sql::Row row :
       transaction.Run(queries::kListSqueue, options.scope, options.queue)) {
    const auto nodes = row.Get<std::vector<std::string>>("nodes");
    const std::string code = CodeOf(row.Get<std::string>("shown_state"));
    // What a group that waits holds meanwhile is kept for its pods.
    const auto start =
        code == "PD" ? std::nullopt : row.Find<sql::Timestamp>("starts_at");
    if (!options.states.empty() &&
        std::ranges::find(options.states, code) == options.states.end())
      continue;
    table.Add({std::to_string(row.Get<std::int64_t>("id")),
               row.Get<std::string>("queue"),
               row.Get<std::string>("group_name"),
               row.Get<std::string>("namespace"), code,
               ClockTime(start ? std::chrono::floor<std::chrono::seconds>(
                                     console.now() - *start)
                               : std::chrono::seconds(0)),
               std::to_string(start ? static_cast<int>(nodes.size())
                                    : row.Get<int>("group_size")),
               start ? HostList(nodes) : "(" + SlurmReason(row) + ")"});
  }
  console.out << table.Text({.columns = console.size().first,
                             .colour = false,
                             .header = options.headers});
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
