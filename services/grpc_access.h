// Who a caller of gRPC is: by the client's certificate where there are
// certificates, and whoever may use a socket of this machine an operator.
//
// Thread-safe.
#pragma once

#include "services/caller.h"

namespace grpc {
class ServerContextBase;
}

namespace fluxnetes::services {

class GrpcAccess {
 public:
  // The call has begun.
  Caller Identify(const grpc::ServerContextBase& context) const;
};

}  // namespace fluxnetes::services
