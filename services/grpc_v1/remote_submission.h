// Manifests submitted to a server: checked and created at the configured API
// server as by `fluxnetes submit`, if the caller has the right, with a row of
// `audit` for each object.
//
// Thread-safe.
// Tests: tests/services/grpc_v1/grpc_manifests_pgtest.cc.
#pragma once

#include <memory>

#include "cluster/http/http_client.h"
#include "services/config/config.h"
#include "services/database/audit.h"
#include "services/database/principal.h"
#include "sql/connection/pool.h"
#include "sql/mutex.h"

namespace fluxnetes::v1 {
class SubmitRequest;
class SubmitResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

class RemoteSubmission {
 public:
  // Both must outlive it.
  RemoteSubmission(const Config& config, sql::Pool& pool)
      : config_(config), pool_(pool) {}

  // `actor` is the caller as the audit log names it. Throws GrpcRefusal,
  // Failure and sql::Error; then nothing was created.
  void Submit(const v1::SubmitRequest& request, v1::SubmitResponse& response,
              const Actor& actor, const Principal& caller);

 private:
  // Opens the client at the first call. Shared, since a running call keeps its
  // own reference.
  std::shared_ptr<cluster::HttpClient> Client() EXCLUDES(mutex_);

  const Config& config_;
  sql::Pool& pool_;
  sql::Mutex mutex_;
  std::shared_ptr<cluster::HttpClient> client_ GUARDED_BY(mutex_);
};

}  // namespace fluxnetes::services
