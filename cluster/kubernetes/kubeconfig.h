// A kubeconfig: clusters, users, and contexts that pair them (Kubernetes:
// "Organizing Cluster Access Using kubeconfig Files"; kind Config of v1).
//
// Of several files each name, and the current context, is that of the first
// file that has it. Paths in a file are relative to its folder. What would be
// ignored and change who we are is refused: auth-provider, proxy-url, a user
// name with a password, impersonation.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cluster/http/api_access.h"

namespace fluxnetes::cluster {

struct KubeconfigFile {
  std::string path;  // for errors, and for what its paths are relative to
  std::string text;
};

// Access by the context of that name; empty: by the current one. Throws
// InputError that says where what is wrong.
ApiAccess ReadKubeconfig(std::span<const KubeconfigFile> files,
                         const std::string& context);

// The namespace of that context; empty: it names none. Throws the same.
std::string NamespaceOf(std::span<const KubeconfigFile> files,
                        const std::string& context);

// The files of KUBECONFIG, a list with colons; those that are not there are
// passed over, as kubectl does. Throws InputError if none is there or one
// cannot be read.
std::vector<KubeconfigFile> LoadKubeconfigFiles(const std::string& list);

}  // namespace fluxnetes::cluster
