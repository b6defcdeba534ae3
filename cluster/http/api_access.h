// How to reach an API server, and who we are there: from a kubeconfig
// (kubeconfig.h), or from the service account of the pod that we run in.
#pragma once

#include <memory>
#include <string>

#include "cluster/http/credentials.h"

namespace fluxnetes::cluster {

// How an https server proves who it is.
struct TlsOptions {
  std::string authorities = {};  // PEM; empty: those of the system
  std::string server_name = {};  // to be proved; empty: that of the address
  bool insecure = false;         // proves nothing: for experiments
};

struct ApiAccess {
  std::string address;  // "https://host:port", "http://host:port", "unix:PATH"
  TlsOptions tls = {};
  std::shared_ptr<Credentials> credentials = {};  // null: nobody
};

// Where a pod finds its service account (Kubernetes: "Accessing the API from
// a Pod").
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// From KUBERNETES_SERVICE_HOST and _PORT and the folder above. Throws
// InputError if something of it is missing.
ApiAccess ServiceAccountAccess(const std::string& host, const std::string& port,
                               const std::string& folder);

}  // namespace fluxnetes::cluster
