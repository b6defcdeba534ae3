#include "services/database/principal.h"

#include <algorithm>

namespace fluxnetes::services {

std::string_view NameOf(Role role) {
  switch (role) {
    case Role::kViewer:
      return "viewer";
    case Role::kUser:
      return "user";
    case Role::kOperator:
      return "operator";
  }
  return "";
}

bool Principal::MayChange(std::string_view namespace_name) const {
  if (role == Role::kOperator) return true;
  return role == Role::kUser && std::find(namespaces.begin(), namespaces.end(),
                                          namespace_name) != namespaces.end();
}

}  // namespace fluxnetes::services
