// A failure of PostgreSQL or of the connection to it. Instead of a taxonomy the
// object answers the two questions of a caller: may the same work be retried,
// and may it have happened all the same?
// Tests: tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <stdexcept>
#include <string>

namespace fluxnetes::sql {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    kStatement,   // PostgreSQL refused it: constraint, syntax, permission
    kRolledBack,  // serialization failure, deadlock, lock timeout: retry
    kConnection,  // the connection broke before the commit was sent
    kInDoubt,     // it broke while the commit was in flight
    kUnavailable  // no connection is free, or the server is starting or full
  };

  Error(Kind kind, std::string sqlstate, std::string constraint,
        const std::string& what)
      : std::runtime_error(what),
        kind_(kind),
        sqlstate_(std::move(sqlstate)),
        constraint_(std::move(constraint)) {}

  Kind kind() const { return kind_; }

  // The same work may be retried at once or later: none of it happened.
  bool MayRetry() const {
    return kind_ != Kind::kStatement && kind_ != Kind::kInDoubt;
  }

  // It may or may not have happened; only reading the database tells which.
  bool InDoubt() const { return kind_ == Kind::kInDoubt; }

  // Five characters (PostgreSQL documentation, appendix A); empty if none.
  const std::string& sqlstate() const { return sqlstate_; }
  // The name of the violated constraint; empty if none.
  const std::string& constraint() const { return constraint_; }

 private:
  Kind kind_;
  std::string sqlstate_;
  std::string constraint_;
};

}  // namespace fluxnetes::sql
