// Whether all that a pod says in our name, by labels and annotations that begin
// with "fluxnetes.", is known: a slip of the pen in `fluxnetes.group-size`, or
// an annotation where only a label counts, would else make of a gang as many
// groups of one. Keys with a '/' are of others, or of our own domain
// (`fluxnetes.io/...`), and are not looked at.
//
// Pure.
#pragma once

#include <string>

#include "cluster/objects/pod.h"

namespace fluxnetes::workers {

// Which is not, and what would be right; empty: all of them are.
std::string WhyUnknownLabel(const cluster::Pod& pod);

}  // namespace fluxnetes::workers
