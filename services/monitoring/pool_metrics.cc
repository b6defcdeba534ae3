#include "services/monitoring/pool_metrics.h"

namespace fluxnetes::services {

void PoolMetrics::Add(const std::string& name, int most,
                      const sql::PoolCounts& counts) {
  page_.Add(metrics::kStatement, counts.statements, {name});
  page_.Add(metrics::kConnections, counts.in_use, {name, "in_use"});
  page_.Add(metrics::kConnections, counts.idle, {name, "idle"});
  page_.Add(metrics::kConnectionsMax, most, {name});
  page_.Add(metrics::kConnectionsOpened, static_cast<double>(counts.opened),
            {name});
  page_.Add(metrics::kConnectionsBroken, static_cast<double>(counts.broken),
            {name});
  page_.Add(metrics::kConnectionWait, counts.waits, {name});
  for (const sql::StatementCounts& statement : counts.by_name) {
    auto& sum = statements_[std::string(statement.name)];
    sum.calls += statement.calls;
    sum.failures += statement.failures;
    sum.slow += statement.slow;
    sum.seconds += statement.seconds;
  }
}

void PoolMetrics::AddStatements() {
  for (const auto& [name, counts] : statements_) {
    page_.Add(metrics::kStatements, static_cast<double>(counts.calls), {name});
    page_.Add(metrics::kStatementFailures, static_cast<double>(counts.failures),
              {name});
    page_.Add(metrics::kSlowStatements, static_cast<double>(counts.slow),
              {name});
    page_.Add(metrics::kStatementSeconds, counts.seconds, {name});
  }
}

}  // namespace fluxnetes::services
