// Reads manifests from the files, folders and standard input named on the
// command line.
// Tests: tests/services/submit/submit_test.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/files/manifest.h"
#include "services/console/console.h"

namespace fluxnetes::services {

struct ManifestFiles {
  std::vector<std::string> files;  // a directory, a file, or "-"
  std::string namespace_name = "default";
  bool pod_groups = false;  // whether PodGroups are accepted
  bool claims = false;      // whether claims of devices are, and templates
  bool devices = false;     // whether these are, and classes and slices
  bool names = false;       // names what has metadata.generateName alone
  std::string otherwise;  // "nothing was submitted": the consequence of errors
};

// Returns all manifests. Throws Failure (kFailed) after printing all errors.
std::vector<cluster::Manifest> ReadManifestFiles(const ManifestFiles& options,
                                                 Console& console);

}  // namespace fluxnetes::services
