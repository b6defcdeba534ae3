// The bodies of our requests in Protobuf, with the same objects that
// cluster/json/object_writer.h writes in JSON. A patch has no such body: the
// API server takes patches in JSON only (Kubernetes API concepts: "Patch and
// apply", "Protobuf encoding").
#pragma once

#include <string>

#include "cluster/cluster.h"

namespace fluxnetes::cluster {

// A v1 Binding.
std::string BindingInProtobuf(const Binding& binding);
// A v1 Event of this name.
std::string EventInProtobuf(const PodEvent& event, const std::string& name,
                            Time time);

}  // namespace fluxnetes::cluster
