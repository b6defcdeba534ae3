// Accounts as messages, and the difference that a change of settings makes.
//
// Functions; thread-safe. Throws sql::Error and Failure.
// Tests: tests/services/operation/account_messages_pgtest.cc.
#pragma once

#include <google/protobuf/map.h>

#include <optional>
#include <string>

#include "fluxnetes/v1/account.pb.h"
#include "services/database/audit.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Adds all accounts, or the one of this name, in the order of the tree.
void FillAccounts(google::protobuf::RepeatedPtrField<v1::Account>& accounts,
                  sql::Transaction& transaction,
                  const std::optional<std::string>& name);

// Changes an account, or with `dry_run` looks what would change. Commits.
void SetAccountFor(const v1::SetAccountRequest& request,
                   v1::SetAccountResponse& response, const Actor& actor,
                   sql::Transaction& transaction);

using SettingMap = google::protobuf::Map<std::string, std::string>;

// Adds each setting whose value is another one afterwards, in order of name.
void FillChanges(google::protobuf::RepeatedPtrField<v1::SettingChange>& changes,
                 const SettingMap& before, const SettingMap& after);

}  // namespace fluxnetes::services
