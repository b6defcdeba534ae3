// Reads the file of structures: what nodes have inside, by a label that they
// have. The first entry whose label a node has counts.
//
//   structures:
//     - label: nvidia.com/gpu.product=A100
//       file: a100.xml       # hwloc (`lstopo`), JGF, a recipe, the short form
//     - label: pool=thin
//       structure: "sockets: 2, cores: 64"     # or the text itself
//
// Throws InputError, which names the file and the place in it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/structures/structure_sources.h"
#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {

// `read` returns the text of a file that an entry names; it throws InputError.
std::vector<LabelledStructure> ReadStructureFile(
    std::string_view text, const std::string& source,
    const std::function<std::string(const std::string& file)>& read);

}  // namespace fluxnetes::cluster
