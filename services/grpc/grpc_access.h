// Who a caller of gRPC is, and what they may do: whoever may use a socket of
// this machine is an operator; with certificates a file says it,
//
//   - name: ops.example              # of the certificate
//     role: operator
//   - name: spiffe://example/train
//     role: user
//     namespaces: [train, train-test]
//
// by a name that the certificate has as its common name or as a subject
// alternative name (DNS, URI or mail). Who is not in the file, or where there
// is none, is a viewer.
//
// Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "services/database/caller.h"

namespace grpc {
class ServerContextBase;
}

namespace fluxnetes::services {

class GrpcAccess {
 public:
  GrpcAccess() = default;
  // The text of such a file. Throws std::runtime_error that names the line of
  // `source`, what is wrong and what would be right.
  GrpcAccess(std::string_view text, const std::string& source);

  // The call has begun.
  Caller Identify(const grpc::ServerContextBase& context) const;

 private:
  std::map<std::string, Caller, std::less<>> callers_;  // by name
};

}  // namespace fluxnetes::services
