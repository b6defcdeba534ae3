// The loops of a scheduler, each with a thread of its own: whether they work,
// their metrics, and the rows of replica_loops that say what they do.
//
// One thread adds, starts and stops them; the rest is for any thread once they
// are started.
// Tests: tests/services/serve/status_pgtest.cc.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "services/config/log.h"
#include "services/monitoring/health.h"
#include "services/monitoring/metrics_page.h"
#include "sql/connection/pool.h"
#include "workers/loops/loop.h"

namespace fluxnetes::services {

class LoopSet {
 public:
  // Logs when a loop begins to fail, and when it works again.
  explicit LoopSet(const Log& log) : log_(log) {}

  // Returns the loop, for those who ring it. It lives as long as the set.
  workers::Loop& Add(workers::LoopOptions options, workers::Loop::Step step);
  void Start();
  void Stop();

  // Fails if a step takes longer than any step should.
  HealthCheck Stuck() const;
  // Fails also if a loop has been failing for too long to recover by itself.
  HealthCheck Failing() const;
  // The metrics of all loops; loops of one name count together.
  void AddTo(MetricsPage& page) const;
  // Writes what they do as loops of this client of the work queue. Throws
  // sql::Error.
  void Report(sql::Pool& pool, std::int64_t client) const;

 private:
  const Log& log_;
  std::vector<std::unique_ptr<workers::Loop>> loops_;
};

}  // namespace fluxnetes::services
