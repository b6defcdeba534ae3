#include "cluster/objects/pod.h"

namespace fluxnetes::cluster {

std::string Key(const Pod& pod) { return pod.namespace_name + "/" + pod.name; }

}  // namespace fluxnetes::cluster
