#include "services/editing/account_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>

#include "services/database/audit.h"
#include "services/editing/account_settings.h"
#include "services/editing/editing_queries.h"
#include "services/editing/row_settings.h"
#include "sql/connection/transaction.h"
#include "sql/error.h"

namespace fluxnetes::services {
namespace {

using Verb = AccountOptions::Verb;

Failure NoAccount(const std::string& name) {
  return Failure(
      ExitCode::kNotFound, fmt::format("no account named \"{}\"", name),
      "`fluxnetes get accounts` lists those that there are; `fluxnetes "
      "account create` makes one.");
}

// Returns the given value of a key, which must be present.
std::string GivenFor(const std::string& key, const AccountOptions& options) {
  const auto given =
      std::ranges::find_if(options.settings, [&](const std::string& setting) {
        return setting.starts_with(key + "=");
      });
  return given->substr(key.size() + 1);
}

Failure NotAllowed(const std::string& key, const AccountOptions& options) {
  return Failure(
      ExitCode::kUsage,
      fmt::format("{}: '{}' is not allowed", key, GivenFor(key, options)),
      fmt::format("Right would be {}.", RightAccountSetting(key)));
}

Failure NotWithoutParent(const AccountOptions& options) {
  if (options.verb != Verb::kDelete)
    return NoAccount(GivenFor("parent", options));
  return Failure(
      ExitCode::kFailed,
      fmt::format("the account \"{}\" has others below it and stays",
                  options.name),
      "`fluxnetes get accounts` shows them; delete them first, or give them "
      "another parent.");
}

// Translates an error of the database; nullopt: an edit of accounts should not
// cause it.
std::optional<Failure> ExplainAccount(const sql::Error& error,
                                      const AccountOptions& options) {
  const std::string& broken = error.constraint();
  if (broken == "accounts_name_check")
    return Failure(
        ExitCode::kUsage,
        fmt::format("'{}' cannot be the name of an account", options.name),
        "Right would be up to 63 letters, digits, -, _ and ., as in the value "
        "of a label.");
  if (broken == "accounts_label_of_pods") return NotAllowed("label", options);
  if (broken == "accounts_weight_above_0") return NotAllowed("weight", options);
  if (broken == "accounts_quota_of_quantities")
    return NotAllowed("quota", options);
  if (broken == "accounts_parent_there") return NotWithoutParent(options);
  if (broken == "accounts_not_below_itself")
    return Failure(
        ExitCode::kFailed,
        fmt::format("the account \"{}\" cannot be below itself", options.name),
        "Right would be a parent that is not below it; `fluxnetes get "
        "accounts` shows the tree.");
  if (broken == "accounts_selector")
    return Failure(
        ExitCode::kFailed,
        fmt::format("\"{}\" would select the same groups as another account",
                    options.name),
        "Right would be another label, namespace or queue; `fluxnetes get "
        "accounts` shows whose each is.");
  return std::nullopt;
}

void EditAccount(sql::Transaction& transaction, const AccountOptions& options) {
  const std::string patch = ParseAccountSettings(options.settings);
  if (transaction.Run(queries::kEditAccount, options.name, patch).affected() ==
      0)
    throw NoAccount(options.name);
}

void CreateAccount(sql::Transaction& transaction,
                   const AccountOptions& options) {
  if (transaction.Run(queries::kCreateAccount, options.name).affected() == 0)
    throw Failure(
        ExitCode::kFailed,
        fmt::format("the account \"{}\" is there already", options.name),
        fmt::format("`fluxnetes account set {} KEY=VALUE` changes it.",
                    options.name));
  EditAccount(transaction, options);
}

const char* VerbOf(Verb verb) {
  if (verb == Verb::kCreate) return "create";
  return verb == Verb::kSet ? "set" : "delete";
}

// Returns what was done, for the message "account/NAME created".
const char* ApplyAccount(sql::Transaction& transaction,
                         const AccountOptions& options) {
  switch (options.verb) {
    case Verb::kCreate:
      CreateAccount(transaction, options);
      return "created";
    case Verb::kSet:
      EditAccount(transaction, options);
      return "changed";
    case Verb::kDelete:
      if (transaction.Run(queries::kDeleteAccount, options.name).affected() ==
          0)
        throw NoAccount(options.name);
      return "deleted";
  }
  throw std::logic_error("no such change of an account");
}

}  // namespace

std::string ChangeAccount(sql::Transaction& transaction, const Actor& actor,
                          const AccountOptions& options,
                          const std::string& reason) {
  const char* done = nullptr;
  try {
    done = ApplyAccount(transaction, options);
  } catch (const sql::Error& error) {
    if (const auto failure = ExplainAccount(error, options)) throw *failure;
    throw;
  }
  RecordChange(transaction, actor,
               {.verb = VerbOf(options.verb),
                .object = "account/" + options.name,
                .detail = DetailOf(options.settings, reason)});
  return done;
}

ExitCode RunAccount(const AccountOptions& options, sql::Pool& pool,
                    Console& console) {
  sql::Transaction transaction(pool);
  const std::string done = ChangeAccount(transaction, ProcessActor(), options);
  transaction.Commit();
  console.out << "account/" << options.name << ' ' << done << '\n';
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
