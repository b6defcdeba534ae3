// The metrics of a process's connection pools: those of each pool by its name,
// and those of statements, which are summed over the pools that run them.
//
// One thread.
// Tests: tests/services/monitoring/pool_metrics_test.cc.
#pragma once

#include <map>
#include <string>

#include "services/monitoring/metrics_page.h"
#include "sql/connection/pool_counts.h"

namespace fluxnetes::services {

class PoolMetrics {
 public:
  explicit PoolMetrics(MetricsPage& page) : page_(page) {}

  // `most`: the connections that the pool opens at most.
  void Add(const std::string& name, int most, const sql::PoolCounts& counts);
  // Call it once, after all pools were added.
  void AddStatements();

 private:
  MetricsPage& page_;
  std::map<std::string, sql::StatementCounts> statements_;
};

}  // namespace fluxnetes::services
