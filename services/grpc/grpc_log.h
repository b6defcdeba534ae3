// The own lines of gRPC and protobuf, which would go to standard error in a
// form of theirs, go to our log while one of these lives: what they call an
// error as a warning, at most ten in a second, since clients can cause them;
// the rest is left out.
//
// At most one at a time in a process.
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
