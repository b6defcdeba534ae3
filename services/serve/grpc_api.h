// All that `fluxnetes serve` offers by gRPC: the services, the threads that
// answer their calls, the connections to the database, and the server. It works
// while the database is away: calls then end with UNAVAILABLE.
//
// Start() and Stop() from one thread; stopping twice is fine.
#pragma once

#include <memory>
#include <string>

#include "services/config/config.h"
#include "services/config/log.h"

namespace fluxnetes::services {

class GrpcApi {
 public:
  // Throws Failure (kUsage) for a grpc.access that cannot be.
  GrpcApi(const Config& config, const Log& log);
  ~GrpcApi();  // Stop()
  GrpcApi(const GrpcApi&) = delete;
  GrpcApi& operator=(const GrpcApi&) = delete;

  // Throws Failure (kUsage) where it cannot listen or the certificates are no
  // good.
  void Start();

  // Streams are ended, calls under way come to their end.
  void Stop();

  // For a client, "unix:PATH" or "HOST:PORT"; after Start.
  std::string address() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
