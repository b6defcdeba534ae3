// Reads a kubeconfig: clusters, users, and the contexts that pair them
// (Kubernetes: "Organizing Cluster Access Using kubeconfig Files"; kind Config
// of v1).
//
// If several files define a name or the current context, the first file wins.
// Paths in a file are relative to its folder. Settings that would change our
// identity and that we do not support are refused: auth-provider, proxy-url, a
// user name with a password, impersonation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cluster/http/api_access.h"

namespace fluxnetes::cluster {

struct KubeconfigFile {
  std::string path;  // for errors, and the base of relative paths
  std::string text;
};

// Builds the access for the named context; empty: for the current one. Throws
// InputError that names the place and the fault.
ApiAccess ReadKubeconfig(std::span<const KubeconfigFile> files,
                         const std::string& context);

// Returns the namespace of that context; empty: it names none. Throws likewise.
std::string NamespaceOf(std::span<const KubeconfigFile> files,
                        const std::string& context);

// Reads the files of KUBECONFIG, a colon-separated list; skips missing files,
// as kubectl does. Throws InputError if none exists or one cannot be read.
std::vector<KubeconfigFile> LoadKubeconfigFiles(const std::string& list);

}  // namespace fluxnetes::cluster
