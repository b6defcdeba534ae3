// While one exists, the log lines of gRPC and protobuf, which would go to
// standard error in their own form, go to our log. Their errors become
// warnings, at most ten a second, since clients can cause them; their other
// lines are dropped.
//
// At most one at a time in a process.
// Tests: tests/services/grpc/grpc_server_test.cc.
#pragma once

#include "services/config/log.h"

namespace fluxnetes::services {

class GrpcLog {
 public:
  explicit GrpcLog(const Log& log);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace fluxnetes::services
