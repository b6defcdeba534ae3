// The rights of callers: of gRPC, and of the pages behind a proxy that says who
// asks. Every gRPC caller on a local socket is an operator. For others, a file
// lists the callers,
//
//   - name: ops.example              # of the certificate
//     role: operator
//   - name: spiffe://example/train
//     role: user
//     namespaces: [train, train-test]
//   - group: admins                  # as the proxy before the pages says
//     role: operator
//
// by a name that the certificate has as its common name or as a subject
// alternative name (DNS, URI or mail), or that the proxy says. A caller that is
// not in the file, or any caller without a file, is a viewer; one that is there
// more than once has the highest of the roles.
//
// Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

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

  // Returns the rights of a name in these groups.
  Principal RightsOf(const std::string& name,
                     const std::vector<std::string>& groups) const;

 private:
  using Rights = std::map<std::string, Principal, std::less<>>;

  Rights names_;
  Rights groups_;
};

// Reads the file of grpc.access; an empty path is no file. Throws Failure
// (kUsage).
GrpcAccess ReadAccess(const std::string& path);

}  // namespace fluxnetes::services
