#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cluster/text/quantity.h"
#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/listing/top_queries.h"

namespace fluxnetes::services {
namespace {

constexpr int kBarLength = 10;
constexpr std::int64_t kTopLimit = 500;

// Returns 0 if there is nothing to use.
double ShareOf(std::int64_t used, std::int64_t all) {
  return all > 0 ? static_cast<double>(used) / static_cast<double>(all) : 0;
}

// "####...... 42%"
Cell BarCell(std::int64_t used, std::int64_t all) {
  const double share = ShareOf(used, all);
  const auto full = static_cast<int>(
      std::clamp(std::lround(share * kBarLength), 0L, long{kBarLength}));
  const std::string text = fmt::format("{:#<{}}{:.<{}} {:3.0f}%", "", full, "",
                                       kBarLength - full, 100 * share);
  return {text, share >= 0.9   ? Colour::kRed
                : share >= 0.6 ? Colour::kYellow
                               : Colour::kGreen};
}

void AddItem(Listing& listing, nlohmann::ordered_json item) {
  if (listing.items) listing.items->push_back(std::move(item));
}

void WantItems(const GetOptions& options, Listing& listing) {
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<nlohmann::ordered_json>(
        nlohmann::ordered_json::array());
}

}  // namespace

Listing ListTopNodesFor(sql::Transaction& transaction,
                        const GetOptions& options) {
  Listing listing{"NodeUseList",
                  "nodes",
                  Table({"NODE", "CPU", ">USED", "MEMORY", ">?USED", ">?PODS",
                         ">GROUPS", "STATUS"}),
                  {},
                  {},
                  {},
                  false};
  WantItems(options, listing);
  for (const sql::Row row : transaction.Run(queries::kTopNodes)) {
    const auto name = row.Get<std::string>("node_name");
    const auto why = row.Find<std::string>("unschedulable");
    const auto cpu = row.Get<std::int64_t>("cpu_milli");
    const auto used_cpu = row.Get<std::int64_t>("used_cpu_milli");
    const auto memory = row.Get<std::int64_t>("memory_bytes");
    const auto used_memory = row.Get<std::int64_t>("used_memory_bytes");
    const auto pods = row.Get<std::int64_t>("used_pods");
    const auto groups = row.Get<std::int64_t>("groups");
    listing.names.push_back(name);
    listing.fingerprints.push_back(fmt::format("{} {} {} {} {}", used_cpu,
                                               used_memory, pods, groups,
                                               why.value_or("")));
    listing.table.Add(
        {name, BarCell(used_cpu, cpu),
         fmt::format("{}/{}", cluster::FormatCpu(used_cpu),
                     cluster::FormatCpu(cpu)),
         BarCell(used_memory, memory),
         fmt::format("{}/{}", cluster::FormatBytes(used_memory),
                     cluster::FormatBytes(memory)),
         std::to_string(pods), std::to_string(groups),
         why ? Cell(*why, Colour::kRed) : Cell("ready", Colour::kGreen)});
    AddItem(listing,
            {{"name", name},
             {"unschedulable",
              why ? nlohmann::ordered_json(*why) : nlohmann::ordered_json()},
             {"cpuMilli", {{"used", used_cpu}, {"allocatable", cpu}}},
             {"memoryBytes", {{"used", used_memory}, {"allocatable", memory}}},
             {"pods",
              {{"used", pods}, {"allocatable", row.Get<std::int64_t>("pods")}}},
             {"groups", groups}});
  }
  return listing;
}

Listing ListTopGroupsFor(sql::Transaction& transaction,
                         const GetOptions& options, sql::Timestamp now) {
  Listing listing{"GroupUseList",
                  "groups",
                  Table({"GROUP", "STATE", ">SHARE", ">CPU", ">MEMORY",
                         ">?PODS", ">NODES", "?QUEUE", "RUNS", "ENDS"}),
                  {},
                  {},
                  {},
                  false};
  WantItems(options, listing);
  const std::int64_t limit = options.limit.value_or(kTopLimit);
  const bool cut = limit > 0;
  for (const sql::Row row : transaction.Run(
           queries::kTopGroups, options.scope, options.queue,
           cut ? sql::Parameter(limit + 1) : sql::Parameter(std::nullopt))) {
    if (cut && std::ssize(listing.names) == limit) {
      listing.more = true;
      break;
    }
    const std::string name = row.Get<std::string>("namespace") + "/" +
                             row.Get<std::string>("group_name");
    const auto state = row.Get<std::string>("state");
    const auto shown = row.Get<std::string>("shown_state");
    const auto cpu = row.Get<std::int64_t>("cpu_milli");
    const auto memory = row.Get<std::int64_t>("memory_bytes");
    const auto start = row.Get<sql::Timestamp>("starts_at");
    const auto end = row.Find<sql::Timestamp>("ends_at");
    const auto share = row.Find<double>("share");
    const auto pods = row.Get<std::int64_t>("pods");
    const auto nodes = row.Get<std::int64_t>("nodes");
    const auto queue = row.Get<std::string>("queue");
    listing.names.push_back(name);
    listing.fingerprints.push_back(
        fmt::format("{} {} {} {}", shown, cpu, memory, pods));
    listing.table.Add(
        {name,
         {shown, shown == "bound" ? Colour::kGreen : Colour::kCyan},
         share ? fmt::format("{:.1f}%", 100 * *share) : "",
         cluster::FormatCpu(cpu),
         cluster::FormatBytes(memory),
         std::to_string(pods),
         std::to_string(nodes),
         queue,
         Age(start, now),
         end ? Relative(*end, now) : ""});
    AddItem(listing, {{"group", name},
                      {"id", row.Get<std::int64_t>("id")},
                      {"state", state},
                      {"shownState", shown},
                      {"queue", queue},
                      {"share", share ? nlohmann::ordered_json(*share)
                                      : nlohmann::ordered_json()},
                      {"cpuMilli", cpu},
                      {"memoryBytes", memory},
                      {"pods", pods},
                      {"nodes", nodes},
                      {"startedAt", Rfc3339(start)},
                      {"deadline", end ? nlohmann::ordered_json(Rfc3339(*end))
                                       : nlohmann::ordered_json()}});
  }
  return listing;
}

}  // namespace fluxnetes::services
