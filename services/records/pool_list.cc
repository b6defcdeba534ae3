#include "services/records/pool_list.h"

#include <nlohmann/json.hpp>

#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

using HolderJson = nlohmann::json;

sql::Timestamp SecondIn(const HolderJson& seconds) {
  return sql::Timestamp(std::chrono::seconds(seconds.get<std::int64_t>()));
}

PoolHolder HolderIn(const HolderJson& holder) {
  PoolHolder result;
  const HolderJson& group = holder.at("group");
  if (!group.is_null()) result.group = group.get<std::string>();
  result.id = holder.at("id").get<std::int64_t>();
  result.amount = holder.at("amount").get<std::int64_t>();
  result.reserved = holder.at("kind") == "reserved";
  result.start = SecondIn(holder.at("starts_at"));
  if (const HolderJson& end = holder.at("ends_at"); !end.is_null())
    result.end = SecondIn(end);
  return result;
}

}  // namespace

std::vector<PoolRow> ReadPoolRows(sql::Transaction& transaction,
                                  const std::optional<std::string>& name) {
  std::vector<PoolRow> pools;
  for (const sql::Row row : transaction.Run(queries::kListPools, name)) {
    PoolRow& pool = pools.emplace_back();
    pool.name = row.Get<std::string>("pool");
    pool.total = row.Get<std::int64_t>("total");
    pool.held = row.Get<std::int64_t>("held");
    pool.reserved = row.Get<std::int64_t>("reserved");
    pool.free = row.Get<std::int64_t>("free");
    pool.description = row.Find<std::string>("description");
    for (const HolderJson& holder :
         HolderJson::parse(row.Get<std::string>("holders")))
      pool.holders.push_back(HolderIn(holder));
  }
  return pools;
}

}  // namespace fluxnetes::services
