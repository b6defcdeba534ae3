#include "workers/store/account_rows.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "workers/store/match_queries.h"

namespace fluxnetes::workers {
namespace {

Account AccountIn(const sql::Row& row) {
  Account account;
  account.name = row.Get<std::string>("name");
  account.parent = row.Get<std::string>("parent");
  account.label = row.Find<std::string>("label");
  account.namespace_name = row.Find<std::string>("namespace");
  account.queue = row.Find<std::string>("queue");
  account.weight = row.Get<double>("weight");
  const auto quota = nlohmann::json::parse(row.Get<std::string>("quota"));
  for (const auto& [resource, amount] : quota.items())
    account.quota[resource] = AmountOf(resource, amount.get<std::string>());
  account.borrows = row.Get<bool>("borrows");
  return account;
}

}  // namespace

std::vector<Account> ReadAccounts(sql::Transaction& transaction) {
  std::vector<Account> accounts;
  for (const sql::Row row : transaction.Run(queries::kReadAccounts))
    accounts.push_back(AccountIn(row));
  return accounts;
}

UsedByAccounts ReadUse(sql::Transaction& transaction,
                       const std::vector<std::string>& queues) {
  UsedByAccounts read;
  for (const sql::Row row : transaction.Run(queries::kReadAccountUse, queues)) {
    read.uses.push_back(
        {{row.Get<std::string>("queue"), row.Get<std::string>("namespace"),
          row.Get<std::string>("account")},
         row.Get<double>("used")});
    read.at = std::max(read.at, row.Get<std::int64_t>("as_of"));
  }
  return read;
}

std::optional<std::vector<AccountHolds>> ReadOtherHolds(
    sql::Transaction& transaction, const std::vector<std::string>& queues) {
  const sql::Result rows = transaction.Run(queries::kReadOtherHolds, queues);
  if (rows.empty()) return std::nullopt;
  std::map<Payer, AccountHolds> read;
  for (const sql::Row row : rows) {
    const auto resource = row.Find<std::string>("resource");
    if (!resource) continue;  // the queue's groups hold nothing
    const Payer payer{row.Get<std::string>("queue"),
                      row.Get<std::string>("namespace"),
                      row.Get<std::string>("account")};
    AccountHolds& holds = read[payer];
    holds.payer = payer;
    holds.amounts[*resource] = row.Get<std::int64_t>("amount");
  }
  std::vector<AccountHolds> holds;
  for (auto& [payer, each] : read) holds.push_back(std::move(each));
  return holds;
}

bool HasQuotas(const std::vector<Account>& accounts) {
  return std::ranges::any_of(
      accounts, [](const Account& account) { return !account.quota.empty(); });
}

}  // namespace fluxnetes::workers
