#include "services/operation/account_messages.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "services/editing/account_command.h"
#include "services/listing/listing_queries.h"

namespace fluxnetes::services {
namespace {

using OrderedJson = nlohmann::ordered_json;

void FillHoldings(v1::Holdings& message, const OrderedJson& holds) {
  for (const auto& [resource, amount] : holds.items()) {
    const auto count = amount.get<std::int64_t>();
    if (resource == "cpu_milli") {
      message.set_cpu_milli(count);
    } else if (resource == "memory_bytes") {
      message.set_memory_bytes(count);
    } else if (resource == "pods") {
      message.set_pods(count);
    } else {
      (*message.mutable_other())[resource] = count;
    }
  }
}

void FillAccount(v1::Account& message, const sql::Row& row) {
  message.set_name(row.Get<std::string>("account"));
  message.set_parent(row.Find<std::string>("parent").value_or(""));
  message.set_depth(row.Get<std::int32_t>("depth"));
  message.set_weight(row.Get<double>("weight"));
  message.set_borrows(row.Get<bool>("borrows"));
  message.set_pending(row.Get<std::int64_t>("pending"));
  FillHoldings(*message.mutable_holds(),
               OrderedJson::parse(row.Get<std::string>("holds")));
  const auto limits = OrderedJson::parse(row.Get<std::string>("quota"));
  std::string quota;
  for (const auto& [resource, amount] : limits.items()) {
    const std::string text = amount.get<std::string>();
    (*message.mutable_quota())[resource] = text;
    quota += fmt::format("{}{}={}", quota.empty() ? "" : ",", resource, text);
  }
  SettingMap& settings = *message.mutable_settings();
  for (const char* key : {"parent", "label", "namespace", "queue"})
    if (const auto value = row.Find<std::string>(key)) settings[key] = *value;
  settings["weight"] = fmt::format("{}", message.weight());
  settings["borrows"] = message.borrows() ? "true" : "false";
  if (!quota.empty()) settings["quota"] = quota;
}

v1::Account ReadAccount(sql::Transaction& transaction,
                        const std::string& name) {
  const sql::Result rows = transaction.Run(queries::kListAccounts, name);
  v1::Account account;
  if (!rows.empty()) FillAccount(account, rows[0]);
  return account;
}

}  // namespace

void FillAccounts(google::protobuf::RepeatedPtrField<v1::Account>& accounts,
                  sql::Transaction& transaction,
                  const std::optional<std::string>& name) {
  for (const sql::Row row : transaction.Run(queries::kListAccounts, name))
    FillAccount(*accounts.Add(), row);
}

void FillChanges(google::protobuf::RepeatedPtrField<v1::SettingChange>& changes,
                 const SettingMap& before, const SettingMap& after) {
  std::set<std::string> names;
  for (const SettingMap* settings : {&before, &after})
    for (const auto& [name, value] : *settings) names.insert(name);
  const auto value_of = [](const SettingMap& settings,
                           const std::string& name) {
    const auto found = settings.find(name);
    return found == settings.end() ? std::string() : found->second;
  };
  for (const std::string& name : names) {
    const std::string was = value_of(before, name);
    const std::string is = value_of(after, name);
    if (was == is) continue;
    v1::SettingChange& change = *changes.Add();
    change.set_name(name);
    change.set_before(was);
    change.set_after(is);
  }
}

void SetAccountFor(const v1::SetAccountRequest& request,
                   v1::SetAccountResponse& response, const Actor& actor,
                   sql::Transaction& transaction) {
  AccountOptions options;
  options.verb = AccountOptions::Verb::kSet;
  options.name = request.name();
  for (const auto& [key, value] : request.settings())
    options.settings.push_back(key + "=" + value);
  const v1::Account before = ReadAccount(transaction, options.name);
  ChangeAccount(transaction, actor, options, request.reason());
  *response.mutable_account() = ReadAccount(transaction, options.name);
  FillChanges(*response.mutable_changes(), before.settings(),
              response.account().settings());
  if (!request.dry_run()) transaction.Commit();
}

}  // namespace fluxnetes::services
