#include "sql/connection.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <algorithm>
#include <map>
#include <stdexcept>

namespace fluxnetes::sql {
namespace {

using Kind = Error::Kind;

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

Kind KindOf(std::string_view sqlstate) {
  if (StartsWith(sqlstate, "08") || sqlstate == "57P01" ||
      sqlstate == "57P02" || sqlstate == "57P05")
    return Kind::kConnection;
  if (StartsWith(sqlstate, "53") || sqlstate == "57P03" || sqlstate == "25006")
    return Kind::kUnavailable;
  if (StartsWith(sqlstate, "40") || sqlstate == "55P03" || sqlstate == "57014")
    return Kind::kRolledBack;
  return Kind::kStatement;
}

// libpqxx 6 hands on the message only; PostgreSQL puts the name in quotes.
std::string ConstraintIn(std::string_view sqlstate, std::string_view message) {
  if (!StartsWith(sqlstate, "23")) return "";
  constexpr std::string_view kBefore = "constraint \"";
  const auto begin = message.find(kBefore);
  if (begin == message.npos) return "";
  const auto name = message.substr(begin + kBefore.size());
  return std::string(name.substr(0, name.find('"')));
}

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

// libpqxx 6 knows some by their type only.
std::string SqlstateOf(const pqxx::sql_error& error) {
  if (dynamic_cast<const pqxx::insufficient_privilege*>(&error) != nullptr)
    return "42501";
  return error.sqlstate();
}

std::string SqlstateOf(const pqxx::transaction_rollback& error) {
  if (dynamic_cast<const pqxx::serialization_failure*>(&error) != nullptr)
    return "40001";
  if (dynamic_cast<const pqxx::deadlock_detected*>(&error) != nullptr)
    return "40P01";
  return "40000";
}

using Settings = std::map<std::string, std::string>;

Settings Parse(const std::string& connection) {
  // libpq's own message would repeat the string, password and all.
  char* message = nullptr;
  PQconninfoOption* parsed = PQconninfoParse(connection.c_str(), &message);
  PQfreemem(message);
  if (parsed == nullptr)
    throw std::invalid_argument(
        "the connection string is not valid; it must read like "
        "\"host=HOST dbname=NAME user=USER\" or "
        "\"postgresql://USER@HOST/NAME\"");
  Settings settings;
  for (auto* option = parsed; option->keyword != nullptr; ++option)
    if (option->val != nullptr) settings[option->keyword] = option->val;
  PQconninfoFree(parsed);
  // A password that is not escaped in a URI is taken for a port, and shown.
  if (settings["port"].find_first_not_of("0123456789,") != std::string::npos)
    throw std::invalid_argument(
        "the port in the connection string is not a number; in a URI, special "
        "characters of a password are written %XX");
  return settings;
}

std::string ConnectionString(const PoolOptions& options) {
  Settings settings = Parse(options.connection);
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(options.connect_timeout);
  settings.insert(
      {"connect_timeout", std::to_string(std::max<long>(2, seconds.count()))});
  settings.insert({"application_name", options.application_name});
  settings.insert({"keepalives_idle", "10"});
  settings.insert({"keepalives_interval", "5"});
  settings.insert({"keepalives_count", "3"});
  settings.insert({"tcp_user_timeout", "30000"});
  settings["client_encoding"] = "UTF8";
  std::string text;
  for (const auto& [keyword, value] : settings) {
    if (value.empty()) continue;
    text += keyword + "='";
    for (const char c : value) {
      if (c == '\'' || c == '\\') text.push_back('\\');
      text.push_back(c);
    }
    text += "' ";
  }
  return text;
}

pqxx::connection Open(const PoolOptions& options) {
  const std::string text = ConnectionString(options);
  try {
    return pqxx::connection(text);
  } catch (const pqxx::failure& error) {
    throw Error(Kind::kUnavailable, "", "", Trimmed(error.what()));
  }
}

// A schema that a role may not use looks to it as if it were not there.
std::string Hint(const PoolOptions& options, const pqxx::sql_error& error) {
  if (!StartsWith(SqlstateOf(error), "42")) return "";
  return fmt::format(
      " (is the schema \"{}\" migrated to this program's version, and may this "
      "role use it?)",
      options.schema);
}

}  // namespace

void ThrowAsError(bool committing) {
  const Kind lost = committing ? Kind::kInDoubt : Kind::kConnection;
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const pqxx::in_doubt_error& error) {
    throw Error(Kind::kInDoubt, "", "", Trimmed(error.what()));
  } catch (const pqxx::sql_error& error) {
    const std::string sqlstate = SqlstateOf(error);
    const Kind kind = KindOf(sqlstate);
    throw Error(kind == Kind::kConnection ? lost : kind, sqlstate,
                ConstraintIn(sqlstate, error.what()), Trimmed(error.what()));
  } catch (const pqxx::transaction_rollback& error) {
    throw Error(Kind::kRolledBack, SqlstateOf(error), "",
                Trimmed(error.what()));
  } catch (const pqxx::failure& error) {
    // A broken connection, often but not always said by its own type.
    throw Error(lost, "", "", Trimmed(error.what()));
  } catch (const pqxx::pqxx_exception& error) {
    throw std::logic_error(Trimmed(error.base().what()));
  }
}

std::string QuoteIdentifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

std::string SettingsOf(const PoolOptions& options, std::string_view set) {
  return fmt::format(
      "{0} search_path = {1}, public; {0} statement_timeout = {2}; "
      "{0} idle_in_transaction_session_timeout = {3}; "
      "{0} timezone = 'UTC'; {0} datestyle = 'ISO'; "
      "{0} client_min_messages = warning; {0} jit = off; "
      "{0} enable_seqscan = {4}; {0} enable_hashjoin = {4}; "
      "{0} enable_mergejoin = {4}; {0} enable_material = {4}; "
      "{0} enable_memoize = {4}; {0} enable_indexonlyscan = {4}; "
      "{0} plan_cache_mode = {5}",
      set, QuoteIdentifier(options.schema), options.statement_timeout.count(),
      options.idle_transaction_timeout.count(),
      options.by_index_only ? "off" : "on",
      options.by_index_only ? "force_generic_plan" : "auto");
}

Connection::Connection(const PoolOptions& options) : raw_(Open(options)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  raw_.inhibit_reactivation(true);
#pragma GCC diagnostic pop
  if (options.transaction_pooling) return;
  try {
    Configure(options);
    PrepareAll(options);
  } catch (...) {
    ThrowAsError();
  }
}

void Connection::Configure(const PoolOptions& options) {
  pqxx::nontransaction(raw_).exec(SettingsOf(options, "SET"));
}

void Connection::PrepareAll(const PoolOptions& options) {
  for (const auto& catalogue : options.catalogues) {
    for (const Query& query : catalogue) {
      const std::string name(query.name);
      raw_.prepare(name, std::string(query.text));
      try {
        raw_.prepare_now(name);
      } catch (const pqxx::sql_error& error) {
        throw Error(KindOf(error.sqlstate()), error.sqlstate(), "",
                    fmt::format("cannot prepare the query {}: {}{}", name,
                                Trimmed(error.what()), Hint(options, error)));
      }
    }
  }
}

bool Connection::IsBroken() const {
  if (!raw_.is_open()) return true;
  pollfd socket{raw_.sock(), POLLIN, 0};
  return poll(&socket, 1, 0) != 0;
}

}  // namespace fluxnetes::sql
