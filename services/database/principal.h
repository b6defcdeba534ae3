// A caller of a server and its rights:
//
//   viewer    sees everything, changes nothing
//   user      also submits, cancels, holds and releases groups in its own
//             namespaces
//   operator  everything
//
// Plain values.
// Tests: tests/services/grpc/grpc_access_test.cc,
// tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

enum class Role { kViewer, kUser, kOperator };

std::string_view NameOf(Role role);  // "viewer", ...

struct Principal {
  std::string name;  // "ops.example"; "local" on a local socket
  Role role = Role::kViewer;
  std::vector<std::string> namespaces = {};  // of a user only

  bool MayChange(std::string_view namespace_name) const;
  bool MayOperate() const { return role == Role::kOperator; }
};

}  // namespace fluxnetes::services
