#include "services/config/cluster_access.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "cluster/kubernetes/kubeconfig.h"
#include "cluster/text/yaml_document.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

using cluster::ApiAccess;

std::string Variable(const std::function<const char*(const char*)>& environment,
                     const char* name) {
  const char* value = environment(name);
  return value == nullptr ? "" : value;
}

// Returns cluster.kubeconfig, KUBECONFIG or ~/.kube/config; empty: there is
// none.
std::string KubeconfigList(
    const Config::Cluster& cluster,
    const std::function<const char*(const char*)>& environment) {
  if (!cluster.kubeconfig.empty()) return cluster.kubeconfig;
  std::string list = Variable(environment, "KUBECONFIG");
  if (!list.empty()) return list;
  std::string home = Variable(environment, "HOME") + "/.kube/config";
  return std::filesystem::exists(home) ? home : "";
}

ApiAccess ByKubeconfig(const std::string& list, const std::string& context) {
  const auto files = cluster::LoadKubeconfigFiles(list);
  return cluster::ReadKubeconfig(files, context);
}

ApiAccess Find(const Config::Cluster& cluster,
               const std::function<const char*(const char*)>& environment) {
  if (cluster.kind != ClusterKind::kApi || !cluster.address.empty())
    return {.address = cluster.Api()};
  if (!cluster.kubeconfig.empty())
    return ByKubeconfig(cluster.kubeconfig, cluster.context);
  std::string list = Variable(environment, "KUBECONFIG");
  if (!list.empty()) return ByKubeconfig(list, cluster.context);
  const std::string host = Variable(environment, "KUBERNETES_SERVICE_HOST");
  if (!host.empty())
    return cluster::ServiceAccountAccess(
        host, Variable(environment, "KUBERNETES_SERVICE_PORT"),
        cluster::kServiceAccountFolder);
  const std::string home = Variable(environment, "HOME") + "/.kube/config";
  if (std::filesystem::exists(home)) return ByKubeconfig(home, cluster.context);
  throw cluster::InputError(
      "cluster.kind is api, but nothing says where the API server is");
}

}  // namespace

cluster::HttpOptions ClusterAccess(
    const Config& config, std::function<const char*(const char*)> environment) {
  if (!environment)
    environment = [](const char* name) { return std::getenv(name); };
  try {
    const ApiAccess access = Find(config.cluster, environment);
    return {.address = access.address,
            .tls = access.tls,
            .credentials = access.credentials,
            .requests_per_second =
                static_cast<double>(config.cluster.requests_per_second)};
  } catch (const cluster::InputError& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  "The API server is that of cluster.address, "
                  "cluster.kubeconfig, KUBECONFIG, the pod's service account "
                  "or ~/.kube/config, in this order.");
  }
}

std::string ContextNamespace(
    const Config& config,
    const std::function<const char*(const char*)>& environment) {
  const std::string list = KubeconfigList(config.cluster, environment);
  if (list.empty()) return "default";
  try {
    const std::string name = cluster::NamespaceOf(
        cluster::LoadKubeconfigFiles(list), config.cluster.context);
    return name.empty() ? "default" : name;
  } catch (const cluster::InputError& error) {
    throw Failure(ExitCode::kUsage, error.what(),
                  "The kubeconfig is that of --kubeconfig, KUBECONFIG or "
                  "~/.kube/config; --context chooses in it.");
  }
}

}  // namespace fluxnetes::services
