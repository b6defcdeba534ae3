// The kinds that the simulated cluster's API lists and watches: pods, nodes,
// and those of resource.k8s.io.
// Tests: tests/services/simulated_api/cluster_api_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/simulated/simulated_cluster.h"

namespace fluxnetes::services {

using ServedObject = decltype(cluster::WatchEvent::object);

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

// Nothing: its kind is not served.
std::optional<ServedName> NameOf(const ServedObject& object);
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
