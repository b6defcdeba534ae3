// A session with PostgreSQL: libpqxx's connection, and the libpq connection in
// it, which executes the statements. libpqxx 6 takes parameters in text form
// only and counts references for each field read; binary arrays and results
// read in place cost both sides less than half.
//
// For this folder only. Used by one thread.
// Tests: tests/sql/connection/transaction_pgtest.cc.
#pragma once

#include <libpq-fe.h>

#include <pqxx/pqxx>
#include <string>

namespace fluxnetes::sql {

class Session final : public pqxx::connection_base {
 public:
  // Connects. Throws pqxx::failure.
  explicit Session(const std::string& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Null once libpqxx has closed it; libpq answers a null with an error.
  PGconn* raw() const { return policy_.raw(); }

 private:
  // Connects and disconnects for libpqxx, and keeps the libpq connection.
  class Policy final : public pqxx::connect_direct {
   public:
    using pqxx::connect_direct::connect_direct;
    PGconn* raw() const { return raw_; }

    handle do_startconnect(handle raw) override {
      return raw_ = connect_direct::do_startconnect(raw);
    }
    handle do_completeconnect(handle raw) override {
      return raw_ = connect_direct::do_completeconnect(raw);
    }
    handle do_dropconnect(handle raw) noexcept override {
      return raw_ = connect_direct::do_dropconnect(raw);
    }
    handle do_disconnect(handle raw) noexcept override {
      return raw_ = connect_direct::do_disconnect(raw);
    }

   private:
    PGconn* raw_ = nullptr;
  };

  Policy policy_;
};

}  // namespace fluxnetes::sql
