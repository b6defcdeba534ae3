#include "sql/connection/transaction.h"

#include <fmt/format.h>

#include <optional>
#include <stdexcept>
#include <utility>

#include "sql/connection/connection.h"
#include "sql/connection/result_data.h"
#include "sql/values/binary_form.h"

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

std::string BeginWithSettings(const PoolOptions& options, Isolation isolation,
                              Durability durability) {
  std::string begin = Begin(isolation);
  // Behind a proxy nobody would notice a crash that undoes the transaction.
  if (durability == Durability::kNoWait && !options.transaction_pooling)
    begin += "; SET LOCAL synchronous_commit = off";
  if (options.transaction_pooling)
    begin += "; " + SettingsOf(options, "SET LOCAL");
  return begin;
}

// A read-only server was demoted; a new connection may reach the writable one.
bool IsUseless(const Error& error) {
  return error.kind() == Error::Kind::kConnection || error.InDoubt() ||
         error.sqlstate() == "25006";
}

// A borrowed connection; unusable after a failure.
class Loan {
 public:
  explicit Loan(Pool& pool) : connection_(pool) {}

  Connection& connection() { return *connection_.operator->(); }
  void Discard() { connection_.Discard(); }
  void Close() { connection_.Close(); }

  // Runs the step. `committing`: the step makes changes permanent, so after a
  // lost connection its outcome is unknown.
  template <typename Step>
  auto Do(bool committing, Step step) {
    try {
      return step(connection());
    } catch (const Error& error) {
      if (IsUseless(error)) Discard();
      if (committing && error.kind() == Error::Kind::kConnection)
        throw Error(Error::Kind::kInDoubt, error.sqlstate(), "", error.what());
      throw;
    }
  }

 private:
  PooledConnection connection_;
};

}  // namespace

struct Transaction::State {
  State(Pool& pool, StatementTally& statements)
      : tally(statements),
        session(pool),
        prepared(!pool.options().transaction_pooling) {}

  template <typename Step>
  auto Do(std::string_view name, Step step) {
    if (!open) throw std::logic_error("the transaction has ended or failed");
    open = false;  // unless the step succeeds
    StatementTally::Run run(tally, name);
    auto result = session.Do(false, step);
    run.Succeeded();
    open = true;
    return result;
  }

  StatementTally& tally;
  Loan session;
  const bool prepared;  // whether queries are prepared
  bool open = true;
  bool committed = false;
  std::vector<std::function<void(bool known)>> after_commit;
};

Transaction::Transaction(Pool& pool, Isolation isolation, Durability durability)
    : state_(std::make_unique<State>(pool, PooledConnection::TallyOf(pool))) {
  const std::string begin =
      BeginWithSettings(pool.options(), isolation, durability);
  state_->Do(StatementTally::kBegin,
             [&](Connection& connection) { return connection.Execute(begin); });
}

Transaction::~Transaction() {
  if (state_->committed) return;
  try {
    state_->session.connection().Execute("ROLLBACK");
  } catch (const std::exception&) {
    state_->session.Discard();  // closing the connection rolls back too
  }
}

Result Transaction::RunPrepared(const Query& query,
                                const std::vector<Parameter>& parameters) {
  return MakeResult(state_->Do(query.name, [&](Connection& connection) {
    if (!state_->prepared)
      return connection.Execute(std::string(query.text), parameters);
    connection.Prepare(query);
    return connection.ExecutePrepared(query, parameters);
  }));
}

Result Transaction::RunUnprepared(std::string_view text,
                                  const std::vector<Parameter>& parameters) {
  return MakeResult(
      state_->Do(StatementTally::kScript, [&](Connection& connection) {
        return connection.Execute(std::string(text), parameters);
      }));
}

Result Transaction::RunScript(std::string_view text) {
  return MakeResult(
      state_->Do(StatementTally::kScript, [&](Connection& connection) {
        return connection.Execute(std::string(text));
      }));
}

void Transaction::Copy(
    std::string_view table, const std::vector<std::string>& columns,
    std::size_t rows, const std::function<void(std::size_t, CopyRow&)>& write) {
  std::string statement = fmt::format("COPY {} (", QuoteIdentifier(table));
  for (const std::string& column : columns) {
    if (&column != &columns.front()) statement += ", ";
    statement += QuoteIdentifier(column);
  }
  statement += ") FROM STDIN (FORMAT binary)";
  const auto fields = static_cast<int>(columns.size());
  std::size_t row = 0;
  const auto next = [&](std::string& to) {
    if (row == rows) return false;
    AppendNumber(to, static_cast<std::uint64_t>(fields), 2);
    CopyRow fresh(to);
    write(row++, fresh);
    if (fresh.fields() != fields)
      throw std::logic_error("a row of COPY has a field for each column");
    return true;
  };
  state_->Do(StatementTally::kCopy, [&](Connection& connection) {
    connection.Copy(statement, next);
    return true;
  });
}

void Transaction::Commit() {
  if (!state_->open || state_->committed)
    throw std::logic_error("the transaction has ended or failed");
  state_->open = false;
  StatementTally::Run run(state_->tally, StatementTally::kCommit);
  try {
    state_->session.Do(true, [](Connection& connection) {
      return connection.Execute("COMMIT");
    });
  } catch (const Error& error) {
    if (error.InDoubt())
      for (const auto& step : state_->after_commit) step(false);
    throw;
  }
  run.Succeeded();
  state_->committed = true;
  for (const auto& step : state_->after_commit) step(true);
}

void Transaction::AfterCommit(std::function<void(bool known)> step) {
  state_->after_commit.push_back(std::move(step));
}

Result RunPreparedAlone(Pool& pool, const Query& query,
                        const std::vector<Parameter>& parameters) {
  if (pool.options().transaction_pooling) {
    Transaction transaction(pool);
    Result result = transaction.RunPrepared(query, parameters);
    transaction.Commit();
    return result;
  }
  Loan session(pool);
  StatementTally::Run run(PooledConnection::TallyOf(pool), query.name);
  session.Do(false, [&](Connection& connection) {
    connection.Prepare(query);
    return true;
  });
  auto answer = session.Do(true, [&](Connection& connection) {
    return connection.ExecutePrepared(query, parameters);
  });
  run.Succeeded();
  return MakeResult(std::move(answer));
}

void RunOutside(Pool& pool, std::string_view statement,
                std::chrono::milliseconds lock_timeout, Interrupt* interrupt) {
  const bool own_session = !pool.options().transaction_pooling;
  if (!own_session && lock_timeout.count() > 0)
    throw std::logic_error(
        "a lock time-out outside of a transaction needs a session");
  Loan session(pool);
  session.Close();  // because its lock timeout was changed
  session.Do(true, [&](Connection& connection) {
    if (own_session)
      connection.Execute(
          fmt::format("SET lock_timeout = {}", lock_timeout.count()));
    const Interruptible interruptible(
        interrupt, [&] { connection.session().cancel_query(); });
    return connection.Execute(std::string(statement));
  });
}

}  // namespace fluxnetes::sql
