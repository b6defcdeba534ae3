// The life of a job step by step, in batches, through the library or by the
// same statements in a bare libpq loop: so that one measurement runs on both.
//
// One thread each. Whatever fails throws and ends the benchmark.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sql/connection/pool.h"

namespace fluxnetes::benchmark {

struct Leased {
  std::int64_t id;
  int attempt;
};

class JobLoop {
 public:
  virtual ~JobLoop() = default;
  virtual void Insert(int count) = 0;
  virtual std::vector<Leased> Lease(int limit) = 0;
  // All of them must be accepted.
  virtual void Finish(const std::vector<Leased>& leased) = 0;
};

// What every connection is opened with.
sql::PoolOptions WithQueries(sql::PoolOptions options);

inline constexpr const char* kQueue = "benchmark";
// 256 bytes.
const std::string& Arguments();

// With a client of its own.
std::unique_ptr<JobLoop> LibraryLoop(const sql::PoolOptions& options);

// Sends parameters in binary form that were made before, and reads no more of
// an answer than it needs. Without history a finished job is gone.
std::unique_ptr<JobLoop> BareLoop(const sql::PoolOptions& options,
                                  bool history = true);

}  // namespace fluxnetes::benchmark
