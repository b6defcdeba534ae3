// The rights of gRPC callers. Every caller on a local socket is an operator.
// With certificates, a file lists the callers,
//
//   - name: ops.example              # of the certificate
//     role: operator
//   - name: spiffe://example/train
//     role: user
//     namespaces: [train, train-test]
//
// by a name that the certificate has as its common name or as a subject
// alternative name (DNS, URI or mail). A caller that is not in the file, or any
// caller without a file, is a viewer.
//
// Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "services/database/principal.h"

namespace grpc {
class ServerContextBase;
}

namespace fluxnetes::services {

class GrpcAccess {
 public:
  GrpcAccess() = default;
  // Parses the text of such a file. Throws std::runtime_error with the line of
  // `source`, the fault and the valid values.
  GrpcAccess(std::string_view text, const std::string& source);

  // Call it once the call has begun.
  Principal Identify(const grpc::ServerContextBase& context) const;

 private:
  std::map<std::string, Principal, std::less<>> principals_;  // by name
};

}  // namespace fluxnetes::services
