// Who asks a server for something, and what they may do:
//
//   viewer    sees everything, changes nothing
//   user      also submits, cancels, holds and releases groups of the
//   namespaces
//             that are theirs
//   operator  everything
//
// Plain values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::services {

enum class Role { kViewer, kUser, kOperator };

std::string_view NameOf(Role role);  // "viewer", ...

struct Caller {
  std::string name;  // "ops.example"; "local" on a socket of this machine
  Role role = Role::kViewer;
  std::vector<std::string> namespaces = {};  // of a user

  bool MayChange(std::string_view namespace_name) const;
  bool MayOperate() const { return role == Role::kOperator; }
};

}  // namespace fluxnetes::services
