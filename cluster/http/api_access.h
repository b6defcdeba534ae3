// The address of an API server and our identity there. Both come from a
// kubeconfig (kubeconfig.h) or from the service account of our own pod.
// Tests: tests/cluster/kubernetes/kubeconfig_test.cc.
#pragma once

#include <memory>
#include <string>

#include "cluster/http/credentials.h"

namespace fluxnetes::cluster {

// How an https server is verified.
struct TlsOptions {
  std::string authorities = {};  // PEM; empty: the system's
  std::string server_name = {};  // to verify; empty: the address's host
  bool insecure = false;         // skips verification: for experiments
};

struct ApiAccess {
  std::string address;  // "https://host:port", "http://host:port", "unix:PATH"
  TlsOptions tls = {};
  std::shared_ptr<Credentials> credentials = {};  // null: anonymous
};

// Where the service account is mounted in a pod (Kubernetes: "Accessing the API
// from a Pod").
inline constexpr const char* kServiceAccountFolder =
    "/var/run/secrets/kubernetes.io/serviceaccount";

// Builds the access from the values of KUBERNETES_SERVICE_HOST and
// KUBERNETES_SERVICE_PORT and the folder above. Throws InputError if a value or
// file is missing.
ApiAccess ServiceAccountAccess(const std::string& host, const std::string& port,
                               const std::string& folder);

}  // namespace fluxnetes::cluster
