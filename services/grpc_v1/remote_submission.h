// Manifests that come by gRPC, on their way to the configured API server:
// checked and created as `fluxnetes submit` does, for a caller who may do so,
// with a row of `audit` for each object.
//
// Thread-safe.
#pragma once

#include <memory>
#include <mutex>

#include "cluster/http/http_client.h"
#include "services/config/config.h"
#include "services/database/caller.h"
#include "sql/connection/pool.h"

namespace fluxnetes::v1 {
class SubmitRequest;
class SubmitResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

class RemoteSubmission {
 public:
  // Both outlive it.
  RemoteSubmission(const Config& config, sql::Pool& pool)
      : config_(config), pool_(pool) {}

  // Throws GrpcRefusal, Failure and sql::Error; then nothing was created.
  void Submit(const v1::SubmitRequest& request, v1::SubmitResponse& response,
              const Caller& caller);

 private:
  // Opened when it is asked for first. Shared, since a call that has begun
  // keeps its own.
  std::shared_ptr<cluster::HttpClient> Client();

  const Config& config_;
  sql::Pool& pool_;
  std::mutex mutex_;
  std::shared_ptr<cluster::HttpClient> client_;  // protected by mutex_
};

}  // namespace fluxnetes::services
