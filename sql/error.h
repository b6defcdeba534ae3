// What can go wrong between us and PostgreSQL. The two questions that a caller
// has are answered on the object, instead of by a taxonomy: may the same work
// be tried again, and is it possible that it has happened all the same?
#pragma once

#include <stdexcept>
#include <string>

namespace fluxnetes::sql {

class Error : public std::runtime_error {
 public:
  enum class Kind {
    kStatement,   // PostgreSQL refused it: constraint, syntax, rights
    kRolledBack,  // serialization failure, deadlock, lock time-out: try again
    kConnection,  // the connection broke before the commit was sent
    kInDoubt,     // it broke while the commit was under way
    kUnavailable  // no connection can be had, the server is starting or full
  };

  Error(Kind kind, std::string sqlstate, std::string constraint,
        const std::string& what)
      : std::runtime_error(what),
        kind_(kind),
        sqlstate_(std::move(sqlstate)),
        constraint_(std::move(constraint)) {}

  Kind kind() const { return kind_; }

  // The same work may be tried again at once or later: nothing of it happened.
  bool MayRetry() const {
    return kind_ != Kind::kStatement && kind_ != Kind::kInDoubt;
  }

  // It may or may not have happened; only reading the database tells.
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
