#include "services/grpc/grpc_access.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "cluster/text/yaml_document.h"
#include "services/console/exit_code.h"
#include "services/console/input_file.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;

constexpr auto kRightEntry =
    "right would be name or group, role (viewer, user or operator) and, of a "
    "user, "
    "namespaces";

Role ParseRole(const std::string& text) {
  for (const Role role : {Role::kViewer, Role::kUser, Role::kOperator})
    if (NameOf(role) == text) return role;
  throw std::runtime_error(fmt::format(
      "'{}' is no role; right would be viewer, user or operator", text));
}

// Reads an entry; its key, name or group, is the name of the principal.
Principal ParsePrincipal(const json& entry) {
  const std::set<std::string> known = {"name", "group", "role", "namespaces"};
  if (!entry.is_object()) throw std::runtime_error(kRightEntry);
  for (const auto& [key, value] : entry.items())
    if (!known.contains(key))
      throw std::runtime_error(
          fmt::format("{} is no key; {}", key, kRightEntry));
  Principal principal;
  if (entry.contains("name") && entry.contains("group"))
    throw std::runtime_error(
        fmt::format("name and group are both there; {}", kRightEntry));
  principal.name = entry.value(entry.contains("group") ? "group" : "name", "");
  if (principal.name.empty())
    throw std::runtime_error(
        fmt::format("name or group is missing; {}", kRightEntry));
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
            Rights& rights = document[i].contains("group") ? groups_ : names_;
            if (!rights.emplace(name, std::move(principal)).second)
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
    if (const auto found = names_.find(name);
        found != names_.end() && found->second.role >= principal.role)
      principal = found->second;
  return principal;
}

Principal GrpcAccess::RightsOf(const std::string& name,
                               const std::vector<std::string>& groups) const {
  Principal principal{.name = name};
  const auto add = [&](const Rights& rights, const std::string& key) {
    const auto found = rights.find(key);
    if (found == rights.end()) return;
    const Principal& more = found->second;
    principal.role = std::max(principal.role, more.role);
    principal.namespaces.insert(principal.namespaces.end(),
                                more.namespaces.begin(), more.namespaces.end());
  };
  add(names_, name);
  for (const std::string& group : groups) add(groups_, group);
  if (principal.role == Role::kOperator) principal.namespaces.clear();
  return principal;
}

GrpcAccess ReadAccess(const std::string& path) {
  if (path.empty()) return {};
  try {
    return {ReadInputFile(path), path};
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  "It is the file of grpc.access in the configuration.");
  }
}

}  // namespace fluxnetes::services
