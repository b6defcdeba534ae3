// Checks that all labels and annotations of a pod that begin with "fluxnetes."
// are known. A misspelt `fluxnetes.group-size`, or an annotation where only a
// label counts, would otherwise turn a gang into as many groups of one. Keys
// with a '/' belong to others, or to this project's domain
// (`fluxnetes.io/...`), and are not checked.
//
// Pure.
#pragma once

#include <string>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

// Names an unknown key and a correct one; empty: all are known.
std::string WhyUnknownLabel(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
