#include "services/grpc_access.h"

#include <grpcpp/grpcpp.h>

namespace fluxnetes::services {

Caller GrpcAccess::Identify(const grpc::ServerContextBase& context) const {
  const auto peer = context.auth_context();
  if (!peer || !peer->IsPeerAuthenticated()) {
    return {.name = "local", .role = Role::kOperator};
  }
  const auto names = peer->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  const std::string name(names.empty() ? "" : names.front().data(),
                         names.empty() ? 0 : names.front().size());
  return {.name = name, .role = Role::kViewer};
}

}  // namespace fluxnetes::services
