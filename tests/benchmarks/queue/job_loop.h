// The life cycle of jobs step by step, in batches, through the library or by
// the same statements in a bare libpq loop, so that one benchmark measures
// both.
//
// Each is used by one thread. Any failure throws and ends the benchmark.
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
  // Every result must be accepted.
  virtual void Finish(const std::vector<Leased>& leased) = 0;
};

// Adds the queries that every connection prepares.
sql::PoolOptions WithQueries(sql::PoolOptions options);

inline constexpr const char* kQueue = "benchmark";
// 256 bytes.
const std::string& Arguments();

// Uses a client of its own.
std::unique_ptr<JobLoop> LibraryLoop(const sql::PoolOptions& options);

// Sends prebuilt binary parameters, and reads no more of a result than it
// needs. Without history, finished jobs are deleted.
std::unique_ptr<JobLoop> BareLoop(const sql::PoolOptions& options,
                                  bool history = true);

}  // namespace fluxnetes::benchmark
