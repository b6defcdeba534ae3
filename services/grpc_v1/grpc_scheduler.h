// The service fluxnetes.v1.Scheduler, as described in
// services/proto/fluxnetes/v1/scheduler.proto. It uses the database and, for
// Submit, the configured cluster.
//
// Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "services/config/config.h"
#include "services/feed/group_feed.h"
#include "services/grpc/grpc_calls.h"
#include "services/monitoring/health.h"
#include "sql/connection/pool.h"

namespace grpc {
class Service;
}

namespace fluxnetes::services {

class GrpcScheduler {
 public:
  // The queries that the pool must have prepared.
  static std::vector<std::span<const sql::Query>> Catalogues();

  // All references must outlive it. `health` looks at this process.
  GrpcScheduler(const Config& config, sql::Pool& pool, GrpcCalls& calls,
                GroupFeed& feed, std::function<Health()> health = {});
  ~GrpcScheduler();
  GrpcScheduler(const GrpcScheduler&) = delete;
  GrpcScheduler& operator=(const GrpcScheduler&) = delete;

  grpc::Service& service();

 private:
  class Calls;
  std::unique_ptr<Calls> service_;
};

}  // namespace fluxnetes::services
