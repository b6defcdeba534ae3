#include "sql/connection/connection.h"

#include <fmt/format.h>
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

std::string Trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

using Settings = std::map<std::string, std::string>;

Settings Parse(const std::string& connection) {
  // libpq's own message would repeat the string with its password.
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
  // An unescaped password in a URI is parsed as a port, and would be shown.
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

std::unique_ptr<Session> Open(const PoolOptions& options) {
  const std::string text = ConnectionString(options);
  try {
    return std::make_unique<Session>(text);
  } catch (const pqxx::failure& error) {
    throw Error(Kind::kUnavailable, "", "", Trimmed(error.what()));
  }
}

std::string FieldOf(const PGresult* answer, int field) {
  const char* text = PQresultErrorField(answer, field);
  return text == nullptr ? "" : text;
}

// Parameters in the form of libpq; they refer to the original ones.
struct Arguments {
  explicit Arguments(const std::vector<Parameter>& parameters) {
    values.reserve(parameters.size());
    for (const Parameter& parameter : parameters) {
      const auto& bytes = parameter.text();
      if (bytes && !parameter.is_binary() && bytes->find('\0') != bytes->npos)
        throw std::invalid_argument("text with a zero byte cannot be stored");
      values.push_back(bytes ? bytes->data() : nullptr);
      lengths.push_back(bytes ? static_cast<int>(bytes->size()) : 0);
      formats.push_back(parameter.is_binary() ? 1 : 0);
    }
  }
  int size() const { return static_cast<int>(values.size()); }

  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
};

// To a role without permission on it, a schema looks as if it did not exist.
std::string Hint(const std::string& schema, const Error& error) {
  if (!StartsWith(error.sqlstate(), "42")) return "";
  return fmt::format(
      " (is the schema \"{}\" migrated to this program's version, and may this "
      "role use it?)",
      schema);
}

}  // namespace

std::string QuoteIdentifier(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + "\"";
}

std::string SettingsOf(const PoolOptions& options, std::string_view set) {
  // Off: what a planner with old statistics chooses for tables that it takes
  // for small. A table that no index fits is read as a whole all the same.
  return fmt::format(
      "{0} search_path = {1}, public; {0} statement_timeout = {2}; "
      "{0} idle_in_transaction_session_timeout = {3}; "
      "{0} timezone = 'UTC'; {0} datestyle = 'ISO'; "
      "{0} client_min_messages = warning; {0} jit = off; "
      "{0} enable_seqscan = off; {0} enable_bitmapscan = off; "
      "{0} enable_mergejoin = off; {0} enable_hashjoin = {4}; "
      "{0} enable_material = {4}; {0} enable_memoize = {4}; "
      "{0} enable_indexonlyscan = {4}; {0} plan_cache_mode = {5}",
      set, QuoteIdentifier(options.schema), options.statement_timeout.count(),
      options.idle_transaction_timeout.count(),
      options.by_index_only ? "off" : "on",
      options.by_index_only ? "force_generic_plan" : "force_custom_plan");
}

void ThrowAsError() {
  try {
    throw;
  } catch (const pqxx::failure& error) {
    throw Error(Kind::kConnection, "", "", Trimmed(error.what()));
  }
}

Connection::Connection(const PoolOptions& options)
    : session_(Open(options)), schema_(options.schema) {
  if (!options.transaction_pooling) Execute(SettingsOf(options, "SET"));
}

void Connection::Prepare(const Query& query) {
  const auto known = prepared_.find(query.name);
  if (known != prepared_.end()) {
    if (known->second.data() != query.text.data() &&
        known->second != query.text)
      throw std::logic_error(
          fmt::format("two queries are named {}", query.name));
    return;
  }
  try {
    Checked(PQprepare(session_->raw(), std::string(query.name).c_str(),
                      std::string(query.text).c_str(), 0, nullptr));
  } catch (const Error& error) {
    throw Error(error.kind(), error.sqlstate(), "",
                fmt::format("cannot prepare the query {}: {}{}", query.name,
                            error.what(), Hint(schema_, error)));
  }
  prepared_.emplace(query.name, query.text);
}

Answer Connection::Checked(PGresult* raw) {
  Answer answer(raw);
  switch (PQresultStatus(raw)) {
    case PGRES_EMPTY_QUERY:
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_COPY_IN:
      return answer;
    default:
      break;
  }
  const std::string sqlstate = FieldOf(raw, PG_DIAG_SQLSTATE);
  const char* message = raw == nullptr ? PQerrorMessage(session_->raw())
                                       : PQresultErrorMessage(raw);
  // Without a code the error is not the server's: the connection is lost.
  throw Error(
      sqlstate.empty() ? Kind::kConnection : KindOf(sqlstate), sqlstate,
      StartsWith(sqlstate, "23") ? FieldOf(raw, PG_DIAG_CONSTRAINT_NAME) : "",
      Trimmed(message));
}

Answer Connection::Execute(const std::string& text) {
  return Checked(PQexec(session_->raw(), text.c_str()));
}

Answer Connection::Execute(const std::string& text,
                           const std::vector<Parameter>& parameters) {
  const Arguments arguments(parameters);
  return Checked(PQexecParams(session_->raw(), text.c_str(), arguments.size(),
                              nullptr, arguments.values.data(),
                              arguments.lengths.data(),
                              arguments.formats.data(), 0));
}

Answer Connection::ExecutePrepared(const Query& query,
                                   const std::vector<Parameter>& parameters) {
  const Arguments arguments(parameters);
  return Checked(
      PQexecPrepared(session_->raw(), std::string(query.name).c_str(),
                     arguments.size(), arguments.values.data(),
                     arguments.lengths.data(), arguments.formats.data(), 0));
}

void Connection::Copy(const std::string& statement,
                      const std::function<bool(std::string&)>& next) {
  constexpr std::size_t kPiece = 65'536;
  Execute(statement);
  const auto put = [&](const std::string& bytes) {
    return PQputCopyData(session_->raw(), bytes.data(),
                         static_cast<int>(bytes.size())) > 0;
  };
  // The signature, no flags, no extension (PostgreSQL's manual, COPY, "Binary
  // Format").
  std::string buffer("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
  try {
    bool good = true;
    while (good && next(buffer)) {
      if (buffer.size() < kPiece) continue;
      good = put(buffer);  // if false, the end of the COPY has the reason
      buffer.clear();
    }
    buffer += "\xFF\xFF";
    if (good) put(buffer);
  } catch (...) {
    PQputCopyEnd(session_->raw(), "a row could not be made");
    while (PGresult* answer = PQgetResult(session_->raw())) PQclear(answer);
    throw;
  }
  PQputCopyEnd(session_->raw(), nullptr);
  const Answer copied = Checked(PQgetResult(session_->raw()));
  while (PGresult* more = PQgetResult(session_->raw())) Checked(more);
}

bool Connection::IsBroken() const {
  if (PQstatus(session_->raw()) != CONNECTION_OK) return true;
  pollfd connected{PQsocket(session_->raw()), POLLIN, 0};
  return poll(&connected, 1, 0) != 0;
}

}  // namespace fluxnetes::sql
