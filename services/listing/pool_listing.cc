#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "services/console/time_text.h"
#include "services/listing/listing.h"
#include "services/records/pool_list.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

// "a/train 2, b/eval 1 (reserved)".
std::string HoldersText(const std::vector<PoolHolder>& holders) {
  std::string text;
  for (const PoolHolder& each : holders)
    text += fmt::format("{}{} {}{}", text.empty() ? "" : ", ",
                        each.group.empty() ? "a group" : each.group,
                        each.amount, each.reserved ? " (reserved)" : "");
  return text;
}

OrderedJson HolderDocument(const PoolHolder& holder) {
  return {{"group",
           holder.group.empty() ? OrderedJson() : OrderedJson(holder.group)},
          {"id", holder.id},
          {"kind", holder.reserved ? "reserved" : "held"},
          {"amount", holder.amount},
          {"startsAt", Rfc3339(holder.start)},
          {"endsAt",
           holder.end ? OrderedJson(Rfc3339(*holder.end)) : OrderedJson()}};
}

OrderedJson PoolDocument(const PoolRow& pool) {
  OrderedJson holders = OrderedJson::array();
  for (const PoolHolder& holder : pool.holders)
    holders.push_back(HolderDocument(holder));
  return {{"name", pool.name},
          {"total", pool.total},
          {"held", pool.held},
          {"reserved", pool.reserved},
          {"free", pool.free},
          {"description",
           pool.description ? OrderedJson(*pool.description) : OrderedJson()},
          {"holders", std::move(holders)}};
}

}  // namespace

Listing ListPoolsFor(sql::Transaction& transaction, const GetOptions& options) {
  Listing listing{"PoolList",
                  "pools",
                  Table({"NAME", ">TOTAL", ">HELD", ">RESERVED", ">FREE",
                         "HOLDERS", "?DESCRIPTION"}),
                  {},
                  {},
                  {},
                  false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  const auto name =
      options.name.empty() ? std::nullopt : std::optional(options.name);
  for (const PoolRow& pool : ReadPoolRows(transaction, name)) {
    std::vector<Cell> cells = {pool.name,
                               std::to_string(pool.total),
                               std::to_string(pool.held),
                               std::to_string(pool.reserved),
                               std::to_string(pool.free),
                               HoldersText(pool.holders),
                               pool.description.value_or("")};
    std::string fingerprint;
    for (const Cell& cell : cells) fingerprint += cell.text + "\n";
    listing.names.push_back(pool.name);
    listing.fingerprints.push_back(std::move(fingerprint));
    listing.table.Add(std::move(cells));
    if (listing.items) listing.items->push_back(PoolDocument(pool));
  }
  return listing;
}

}  // namespace fluxnetes::services
