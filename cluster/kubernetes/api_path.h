// The URL paths of Kubernetes objects, by kind.
// Tests: tests/cluster/kubernetes/kubernetes_cluster_test.cc,
// tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fluxnetes::cluster {

struct ApiResource {
  std::string_view kind;    // "Job"
  std::string_view prefix;  // "/apis/batch/v1"
  std::string_view plural;  // "jobs"
};

// Both return nothing for an unknown kind.
std::optional<ApiResource> ResourceOfKind(std::string_view kind);
std::optional<ApiResource> ResourceOfPath(std::string_view prefix,
                                          std::string_view plural);

// "/apis/batch/v1/namespaces/a/jobs", and with "/NAME".
std::string PathOf(const ApiResource& resource,
                   std::string_view namespace_name);
std::string PathOf(const ApiResource& resource, std::string_view namespace_name,
                   std::string_view name);

// "/api/v1/namespaces/a/pods/NAME".
std::string PodPath(std::string_view namespace_name, std::string_view name);

}  // namespace fluxnetes::cluster
