#include "cluster/kubernetes/api_path.h"

#include <algorithm>
#include <array>

#include "cluster/http/http_client.h"

namespace fluxnetes::cluster {

namespace {

// Pods, their controllers, and the controllers of these.
constexpr std::array<ApiResource, 9> kApiResources = {{
    {"Pod", "/api/v1", "pods"},
    {"ReplicationController", "/api/v1", "replicationcontrollers"},
    {"Job", "/apis/batch/v1", "jobs"},
    {"CronJob", "/apis/batch/v1", "cronjobs"},
    {"ReplicaSet", "/apis/apps/v1", "replicasets"},
    {"Deployment", "/apis/apps/v1", "deployments"},
    {"StatefulSet", "/apis/apps/v1", "statefulsets"},
    {"DaemonSet", "/apis/apps/v1", "daemonsets"},
    {"JobSet", "/apis/jobset.x-k8s.io/v1alpha2", "jobsets"},
}};

template <typename Predicate>
std::optional<ApiResource> FindResource(Predicate predicate) {
  const auto found = std::ranges::find_if(kApiResources, predicate);
  if (found == kApiResources.end()) return std::nullopt;
  return *found;
}

}  // namespace

std::optional<ApiResource> ResourceOfKind(std::string_view kind) {
  return FindResource([&](const ApiResource& it) { return it.kind == kind; });
}

std::optional<ApiResource> ResourceOfPath(std::string_view prefix,
                                          std::string_view plural) {
  return FindResource([&](const ApiResource& it) {
    return it.prefix == prefix && it.plural == plural;
  });
}

std::string PathOf(const ApiResource& resource,
                   std::string_view namespace_name) {
  std::string path(resource.prefix);
  path += "/namespaces/" + PercentEncode(namespace_name) + "/";
  path += resource.plural;
  return path;
}

std::string PathOf(const ApiResource& resource, std::string_view namespace_name,
                   std::string_view name) {
  return PathOf(resource, namespace_name) + "/" + PercentEncode(name);
}

std::string PodPath(std::string_view namespace_name, std::string_view name) {
  return PathOf(kApiResources[0], namespace_name, name);
}

}  // namespace fluxnetes::cluster
