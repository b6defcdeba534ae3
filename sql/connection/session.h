// A session with PostgreSQL: libpqxx's connection, and the libpq connection in
// it, by which statements run. libpqxx 6 takes parameters in text form only and
// counts references for each field that is read; arrays in binary form, and
// results that are read where they lie, cost both sides less than half.
//
// Of this folder only. One thread.
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

  // Null once libpqxx has let go of it; libpq answers that with an error.
  PGconn* raw() const { return policy_.raw(); }

 private:
  // What libpqxx asks to connect and to part; sees the connection pass.
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
