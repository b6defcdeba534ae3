#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cluster/text/quantity.h"
#include "services/listing/listing.h"
#include "services/listing/listing_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

// Returns "namespace=a queue=gpu"; empty: only the groups of accounts below it.
std::string WhoseText(const sql::Row& row) {
  std::string text;
  for (const char* what : {"label", "namespace", "queue"}) {
    if (const auto value = row.Find<std::string>(what))
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", what, *value);
  }
  return text;
}

// Returns "cpu 40, memory 100Gi".
std::string QuotaText(const OrderedJson& quota) {
  std::string text;
  for (const auto& [resource, amount] : quota.items())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", resource,
                        amount.get<std::string>());
  return text;
}

// Returns the amounts in `holds` other than cpu, memory and pods.
OrderedJson OtherOf(const OrderedJson& holds) {
  OrderedJson other = holds;
  for (const char* known : {"cpu_milli", "memory_bytes", "pods"})
    other.erase(known);
  return other;
}

// Returns "cpu 2, memory 1Gi, pods 1, nvidia.com/gpu 1".
std::string HoldsText(const OrderedJson& holds) {
  if (holds.empty()) return {};
  std::string text = fmt::format(
      "cpu {}, memory {}, pods {}",
      cluster::FormatCpu(holds["cpu_milli"].get<std::int64_t>()),
      cluster::FormatBytes(holds["memory_bytes"].get<std::int64_t>()),
      holds["pods"].dump());
  const OrderedJson other = OtherOf(holds);
  for (const auto& [resource, amount] : other.items())
    text += fmt::format(", {} {}", resource, amount.dump());
  return text;
}

OrderedJson HoldsToJson(const OrderedJson& holds) {
  return {{"cpuMilli", holds.value("cpu_milli", std::int64_t{0})},
          {"memoryBytes", holds.value("memory_bytes", std::int64_t{0})},
          {"pods", holds.value("pods", std::int64_t{0})},
          {"other", OtherOf(holds)}};
}

OrderedJson AccountToJson(const sql::Row& row) {
  const auto text = [&](const char* column) {
    const auto value = row.Find<std::string>(column);
    return value ? OrderedJson(*value) : OrderedJson();
  };
  return {
      {"name", row.Get<std::string>("account")},
      {"parent", text("parent")},
      {"label", text("label")},
      {"namespace", text("namespace")},
      {"queue", text("queue")},
      {"weight", row.Get<double>("weight")},
      {"quota", OrderedJson::parse(row.Get<std::string>("quota"))},
      {"borrows", row.Get<bool>("borrows")},
      {"holds", HoldsToJson(OrderedJson::parse(row.Get<std::string>("holds")))},
      {"pending", row.Get<std::int64_t>("pending")}};
}

std::vector<Cell> CellsOfAccount(const sql::Row& row) {
  const auto depth = static_cast<std::size_t>(row.Get<std::int32_t>("depth"));
  return {std::string(2 * depth, ' ') + row.Get<std::string>("account"),
          row.Find<std::string>("parent").value_or(""),
          WhoseText(row),
          fmt::format("{}", row.Get<double>("weight")),
          QuotaText(OrderedJson::parse(row.Get<std::string>("quota"))),
          row.Get<bool>("borrows") ? "yes" : "no",
          std::to_string(row.Get<std::int64_t>("pending")),
          HoldsText(OrderedJson::parse(row.Get<std::string>("holds")))};
}

}  // namespace

Listing ListAccountsFor(sql::Transaction& transaction,
                        const GetOptions& options) {
  Listing listing{"AccountList",
                  "accounts",
                  Table({"NAME", "?PARENT", "WHOSE", ">WEIGHT", "QUOTA",
                         "?BORROWS", ">PENDING", "HOLDS"}),
                  {},
                  {},
                  {},
                  false};
  if (WantsDocuments(options.output))
    listing.items = std::make_shared<OrderedJson>(OrderedJson::array());
  const std::optional<std::string> name =
      options.name.empty() ? std::nullopt : std::optional(options.name);
  for (const sql::Row row : transaction.Run(queries::kListAccounts, name)) {
    std::vector<Cell> cells = CellsOfAccount(row);
    std::string fingerprint;
    for (const Cell& cell : cells) fingerprint += cell.text + "\n";
    listing.names.push_back(row.Get<std::string>("account"));
    listing.fingerprints.push_back(std::move(fingerprint));
    listing.table.Add(std::move(cells));
    if (listing.items) listing.items->push_back(AccountToJson(row));
  }
  return listing;
}

}  // namespace fluxnetes::services
