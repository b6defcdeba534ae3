#include "services/grpc/grpc_access.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "cluster/text/yaml_document.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;

constexpr auto kRightEntry =
    "right would be name, role (viewer, user or operator) and, of a user, "
    "namespaces";

Role ParseRole(const std::string& text) {
  for (const Role role : {Role::kViewer, Role::kUser, Role::kOperator})
    if (NameOf(role) == text) return role;
  throw std::runtime_error(fmt::format(
      "'{}' is no role; right would be viewer, user or operator", text));
}

Principal ParsePrincipal(const json& entry) {
  const std::set<std::string> known = {"name", "role", "namespaces"};
  if (!entry.is_object()) throw std::runtime_error(kRightEntry);
  for (const auto& [key, value] : entry.items())
    if (!known.contains(key))
      throw std::runtime_error(
          fmt::format("{} is no key; {}", key, kRightEntry));
  Principal principal;
  principal.name = entry.value("name", "");
  if (principal.name.empty())
    throw std::runtime_error(std::string("name is missing; ") + kRightEntry);
  principal.role = ParseRole(entry.value("role", ""));
  if (entry.contains("namespaces"))
    principal.namespaces =
        entry.at("namespaces").get<std::vector<std::string>>();
  if (principal.namespaces.empty() == (principal.role == Role::kUser))
    throw std::runtime_error(
        fmt::format("{}: namespaces are for a user, who needs one or more",
                    principal.name));
  return principal;
}

// Returns the names in the peer's certificate.
std::vector<std::string> NamesOf(const grpc::AuthContext& peer) {
  std::vector<std::string> names;
  for (const char* property :
       {GRPC_X509_CN_PROPERTY_NAME, GRPC_X509_SAN_PROPERTY_NAME})
    for (const grpc::string_ref& name : peer.FindPropertyValues(property))
      names.emplace_back(name.data(), name.size());
  return names;
}

}  // namespace

GrpcAccess::GrpcAccess(std::string_view text, const std::string& source) {
  cluster::ReadYaml(
      text, source,
      [&](const json& document, int line) {
        const auto fail = [&](std::size_t entry, const std::string& why) {
          throw std::runtime_error(
              fmt::format("{}:{}: entry {}: {}", source, line, entry + 1, why));
        };
        if (!document.is_array())
          fail(0, std::string("no list; ") + kRightEntry);
        for (std::size_t i = 0; i < document.size(); ++i) {
          try {
            Principal principal = ParsePrincipal(document[i]);
            const std::string name = principal.name;
            if (!principals_.emplace(name, std::move(principal)).second)
              throw std::runtime_error(name + " is there twice");
          } catch (const json::exception&) {
            fail(i, kRightEntry);
          } catch (const std::runtime_error& error) {
            fail(i, error.what());
          }
        }
      },
      {}, cluster::YamlTypes::kCore);
}

Principal GrpcAccess::Identify(const grpc::ServerContextBase& context) const {
  const auto peer = context.auth_context();
  if (!peer || !peer->IsPeerAuthenticated())
    return {.name = "local", .role = Role::kOperator};
  const std::vector<std::string> names = NamesOf(*peer);
  Principal principal{.name = names.empty() ? "" : names.front()};
  for (const std::string& name : names)
    if (const auto found = principals_.find(name);
        found != principals_.end() && found->second.role >= principal.role)
      principal = found->second;
  return principal;
}

}  // namespace fluxnetes::services
