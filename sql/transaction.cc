#include "sql/transaction.h"

#include <fmt/format.h>

#include <optional>
#include <pqxx/tablewriter>
#include <stdexcept>
#include <utility>

#include "sql/connection.h"
#include "sql/result_data.h"

namespace fluxnetes::sql {
namespace {

const char* Begin(Isolation isolation) {
  switch (isolation) {
    case Isolation::kReadCommitted:
      return "BEGIN";
    case Isolation::kRepeatableRead:
      return "BEGIN ISOLATION LEVEL REPEATABLE READ";
    case Isolation::kReadOnly:
      return "BEGIN READ ONLY";
  }
  throw std::logic_error("no such isolation");
}

// A null pointer is NULL to libpqxx; PostgreSQL's text holds no zero byte.
std::vector<const char*> Pointers(const std::vector<Parameter>& parameters) {
  std::vector<const char*> pointers;
  pointers.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    const auto& text = parameter.text();
    if (text && text->find('\0') != text->npos)
      throw std::invalid_argument("text with a zero byte cannot be stored");
    pointers.push_back(text ? text->c_str() : nullptr);
  }
  return pointers;
}

// A line of COPY in text form (PostgreSQL documentation, COPY).
std::string CopyLine(const std::vector<Parameter>& row) {
  std::string line;
  for (const Parameter& field : row) {
    if (&field != &row.front()) line.push_back('\t');
    if (!field.text()) {
      line += "\\N";
      continue;
    }
    for (const char c : *field.text()) {
      switch (c) {
        case '\\':
          line += "\\\\";
          break;
        case '\n':
          line += "\\n";
          break;
        case '\r':
          line += "\\r";
          break;
        case '\t':
          line += "\\t";
          break;
        default:
          line.push_back(c);
      }
    }
  }
  return line;
}

pqxx::result ExecUnprepared(pqxx::transaction_base& session,
                            std::string_view text,
                            const std::vector<Parameter>& parameters) {
  const auto pointers = Pointers(parameters);
  return session.exec_params(std::string(text),
                             pqxx::prepare::make_dynamic_params(pointers));
}

pqxx::result ExecPrepared(pqxx::transaction_base& session, const Query& query,
                          const std::vector<Parameter>& parameters) {
  const auto pointers = Pointers(parameters);
  return session.exec_prepared(std::string(query.name),
                               pqxx::prepare::make_dynamic_params(pointers));
}

std::string BeginWithSettings(const PoolOptions& options, Isolation isolation) {
  if (!options.transaction_pooling) return Begin(isolation);
  return std::string(Begin(isolation)) + "; " +
         SettingsOf(options, "SET LOCAL");
}

// A server that takes no changes was demoted; who connects anew may be led to
// the one that does.
bool IsUseless(const Error& error) {
  return error.kind() == Error::Kind::kConnection || error.InDoubt() ||
         error.sqlstate() == "25006";
}

// A connection on loan and what runs on it; of no use after a failure.
class Session {
 public:
  explicit Session(Pool& pool) : connection_(pool) {
    try {
      session_.emplace(connection_->raw());
    } catch (...) {
      Discard();
      ThrowAsError();
    }
  }

  pqxx::transaction_base& raw() { return *session_; }
  void Discard() { connection_.Discard(); }

  // Runs the step; `committing`: it makes something last.
  template <typename Step>
  auto Do(bool committing, Step step) {
    try {
      return step(raw());
    } catch (...) {
      try {
        ThrowAsError(committing);
      } catch (const Error& error) {
        if (IsUseless(error)) Discard();
        throw;
      }
    }
  }

 private:
  PooledConnection connection_;
  std::optional<pqxx::nontransaction> session_;
};

}  // namespace

struct Transaction::State {
  explicit State(Pool& pool)
      : session(pool), prepared(!pool.options().transaction_pooling) {}

  template <typename Step>
  auto Do(Step step) {
    if (!open) throw std::logic_error("the transaction has ended or failed");
    open = false;  // unless the step succeeds
    auto result = session.Do(false, step);
    open = true;
    return result;
  }

  Session session;
  const bool prepared;  // the queries are
  bool open = true;
  bool committed = false;
};

Transaction::Transaction(Pool& pool, Isolation isolation)
    : state_(std::make_unique<State>(pool)) {
  const std::string begin = BeginWithSettings(pool.options(), isolation);
  state_->Do([&](auto& session) { return session.exec(begin); });
}

Transaction::~Transaction() {
  if (state_->committed) return;
  try {
    state_->session.raw().exec("ROLLBACK");
  } catch (const std::exception&) {
    state_->session.Discard();  // closing it undoes as well
  }
}

Result Transaction::RunPrepared(const Query& query,
                                const std::vector<Parameter>& parameters) {
  if (!state_->prepared) return RunUnprepared(query.text, parameters);
  return MakeResult(state_->Do(
      [&](auto& session) { return ExecPrepared(session, query, parameters); }));
}

Result Transaction::RunUnprepared(std::string_view text,
                                  const std::vector<Parameter>& parameters) {
  return MakeResult(state_->Do([&](auto& session) {
    return ExecUnprepared(session, text, parameters);
  }));
}

Result Transaction::RunScript(std::string_view text) {
  return MakeResult(state_->Do(
      [&](auto& session) { return session.exec(std::string(text)); }));
}

void Transaction::Copy(std::string_view table,
                       const std::vector<std::string>& columns,
                       const std::vector<std::vector<Parameter>>& rows) {
  state_->Do([&](auto& session) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    // stream_to takes tuples only, and the number of columns is not known here.
    pqxx::tablewriter writer(session, std::string(table), columns.begin(),
                             columns.end());
#pragma GCC diagnostic pop
    for (const auto& row : rows) writer.write_raw_line(CopyLine(row));
    writer.complete();
    return true;
  });
}

void Transaction::Commit() {
  if (!state_->open || state_->committed)
    throw std::logic_error("the transaction has ended or failed");
  state_->open = false;
  state_->session.Do(true,
                     [](auto& session) { return session.exec("COMMIT"); });
  state_->committed = true;
}

Result RunPreparedAlone(Pool& pool, const Query& query,
                        const std::vector<Parameter>& parameters) {
  if (pool.options().transaction_pooling) {
    Transaction transaction(pool);
    const Result result = transaction.RunPrepared(query, parameters);
    transaction.Commit();
    return result;
  }
  Session session(pool);
  return MakeResult(session.Do(
      true, [&](auto& raw) { return ExecPrepared(raw, query, parameters); }));
}

void RunOutside(Pool& pool, std::string_view statement,
                std::chrono::milliseconds lock_timeout, Interrupt* interrupt) {
  const bool own_session = !pool.options().transaction_pooling;
  if (!own_session && lock_timeout.count() > 0)
    throw std::logic_error(
        "a lock time-out outside of a transaction needs a session");
  Session session(pool);
  session.Discard();  // with its time-out
  session.Do(true, [&](auto& raw) {
    if (own_session)
      raw.exec(fmt::format("SET lock_timeout = {}", lock_timeout.count()));
    const Interruptible interruptible(interrupt,
                                      [&] { raw.conn().cancel_query(); });
    return raw.exec(std::string(statement));
  });
}

}  // namespace fluxnetes::sql
