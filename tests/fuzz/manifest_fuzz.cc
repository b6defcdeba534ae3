// Any text either is manifests or a file of nodes, or is refused; the JSON of a
// manifest reads back as the same object.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cluster/files/manifest.h"
#include "cluster/files/node_file.h"

namespace {

using fluxnetes::cluster::InputError;
using fluxnetes::cluster::Manifest;
using fluxnetes::cluster::ReadManifests;
using fluxnetes::cluster::ReadNodeFile;
using fluxnetes::cluster::YamlLimits;

constexpr YamlLimits kLimits{1U << 16U, 100, 10'000};

void CheckManifests(std::string_view text) {
  std::vector<Manifest> manifests;
  try {
    manifests = ReadManifests(text, "fuzz", {"default", kLimits, true, true});
  } catch (const InputError&) {
    return;
  }
  for (const Manifest& manifest : manifests) {
    const auto again =
        ReadManifests(manifest.json, "again", {"default", {}, true, true});
    if (again.size() != 1 || again[0].json != manifest.json ||
        again[0].object.index() != manifest.object.index()) {
      std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CheckManifests(text);
  try {
    if (ReadNodeFile(text, "fuzz", kLimits).nodes.empty()) std::abort();
  } catch (const InputError&) {
    return 0;
  }
  return 0;
}
