// A connection by libpq alone, with parameters in PostgreSQL's binary form: the
// upper bound of the speed.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/connection/pool.h"

namespace fluxnetes::benchmark {

// Scalars are in text form, arrays in binary form.
struct BareParameter {
  std::string value;
  bool binary = false;
};

BareParameter Text(std::string value);
BareParameter TextArray(const std::vector<std::string>& values);
BareParameter JsonArray(const std::vector<std::string>& values);
// Integers of 2, 4 or 8 bytes.
BareParameter SmallintArray(const std::vector<std::int64_t>& values);
BareParameter IntegerArray(const std::vector<std::int64_t>& values);
BareParameter BigintArray(const std::vector<std::int64_t>& values);

using BareResult = std::unique_ptr<PGresult, decltype(&PQclear)>;

class BareConnection {
 public:
  // Opens it with the schema and the settings of a pool's connections.
  explicit BareConnection(const sql::PoolOptions& options);

  void Execute(const std::string& sql);
  void Prepare(std::string_view name, std::string_view sql);
  // Returns the result in binary form.
  BareResult Run(std::string_view name,
                 const std::vector<BareParameter>& parameters);

  PGconn* raw() { return raw_.get(); }

 private:
  BareResult Checked(PGresult* result);

  std::unique_ptr<PGconn, decltype(&PQfinish)> raw_;
};

std::int64_t BigintOf(const BareResult& result, int row, int column);
int IntegerOf(const BareResult& result, int row, int column);

}  // namespace fluxnetes::benchmark
