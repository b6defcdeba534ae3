// fluxnetes.v1.Scheduler, as services/proto/fluxnetes/v1/scheduler.proto
// describes it, on the database.
//
// Thread-safe.
#pragma once

#include <memory>

#include "services/grpc_calls.h"

namespace grpc {
class Service;
}

namespace fluxnetes::services {

class GrpcScheduler {
 public:
  explicit GrpcScheduler(GrpcCalls& calls);
  ~GrpcScheduler();
  GrpcScheduler(const GrpcScheduler&) = delete;
  GrpcScheduler& operator=(const GrpcScheduler&) = delete;

  grpc::Service& service();

 private:
  class Calls;
  std::unique_ptr<Calls> service_;
};

}  // namespace fluxnetes::services
