// The kinds that the simulated cluster's API lists and watches: pods, nodes,
// Jobs, and those of resource.k8s.io.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"

namespace fluxnetes::services {

using ServedObject =
    std::variant<std::monostate, cluster::PodPointer, cluster::NodePointer,
                 cluster::DeviceClassPointer, cluster::ResourceSlicePointer,
                 cluster::ClaimTemplatePointer, cluster::ResourceClaimPointer,
                 std::shared_ptr<const cluster::KubernetesJobStatus>>;

// The object of an event; nothing: events do not tell of what is served.
ServedObject ServedOf(const cluster::WatchEvent& event);

struct ServedKind {
  cluster::WatchedKind kind;
  const char* prefix;       // "/api/v1"
  const char* plural;       // "pods"
  const char* api_version;  // "v1"
  const char* name;         // "Pod"
  bool namespaced;
};

// Null: it is not served.
const ServedKind* FindServedKind(std::string_view prefix,
                                 std::string_view plural);
const ServedKind& ServedKindOf(cluster::WatchedKind kind);

struct ServedName {
  cluster::WatchedKind kind{};
  std::string key;  // unique among the objects of all kinds
  std::string namespace_name;
  std::string version;
};

// Of an object that is not nothing.
ServedName NameOf(const ServedObject& object);
std::string WriteServed(const ServedObject& object);

// The objects of a kind, in a namespace or all, and the version of the cluster
// that has them.
struct ServedList {
  std::string resource_version;
  std::vector<ServedObject> objects;
};
ServedList ListServed(const cluster::SimulatedCluster& cluster,
                      cluster::WatchedKind kind,
                      const std::string& namespace_name);

}  // namespace fluxnetes::services
