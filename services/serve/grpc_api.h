// Everything that `fluxnetes serve` offers by gRPC: the services, the threads
// that answer calls, the database connections, and the server. While the
// database is away, calls end with UNAVAILABLE.
//
// The feed is shared with the pages. Its owner starts it first, and stops it
// first, which ends the streams.
//
// Start() and Stop() are for one thread; stopping twice is fine.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "services/config/config.h"
#include "services/config/log.h"
#include "services/feed/group_feed.h"
#include "services/monitoring/health.h"
#include "services/monitoring/pool_metrics.h"

namespace fluxnetes::services {

class GrpcApi {
 public:
  // `health` looks at this process. Throws Failure (kUsage) for an invalid
  // grpc.access.
  GrpcApi(const Config& config, const Log& log, GroupFeed& feed,
          std::function<Health()> health = {});
  ~GrpcApi();  // Stop()
  GrpcApi(const GrpcApi&) = delete;
  GrpcApi& operator=(const GrpcApi&) = delete;

  // Throws Failure (kUsage) if it cannot listen or the certificates are
  // invalid.
  void Start();

  // Finishes running calls.
  void Stop();

  // The address for a client, "unix:PATH" or "HOST:PORT"; valid after Start().
  std::string address() const;

  // Adds the metrics of its connection pools; callable from any thread.
  void AddTo(PoolMetrics& pools) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
