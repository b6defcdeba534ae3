// Manifests from the files, folders and standard input that people name on the
// command line.
#pragma once

#include <string>
#include <vector>

#include "cluster/files/manifest.h"
#include "services/console/console.h"

namespace fluxnetes::services {

struct ManifestFiles {
  std::vector<std::string> files;  // a directory, a file, or "-"
  std::string namespace_name = "default";
  bool pod_groups = false;  // PodGroups, too
  std::string otherwise;    // "nothing was submitted": what follows from errors
};

// All of them, or Failure (kFailed), once everything that is wrong was said.
std::vector<cluster::Manifest> ReadManifestFiles(const ManifestFiles& options,
                                                 Console& console);

}  // namespace fluxnetes::services
