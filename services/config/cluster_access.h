// The API server and the credentials that the configuration selects.
#pragma once

#include <functional>
#include <string>

#include "cluster/http/http_client.h"
#include "services/config/config.h"

namespace fluxnetes::services {

// For cluster.kind api: cluster.address if it is set; else cluster.kubeconfig;
// else KUBECONFIG; else the service account, in a pod; else ~/.kube/config. For
// the simulated cluster: the address on which `serve` listens. Throws Failure
// (kUsage) with the wrong or missing setting.
//
// An empty `environment` means that of the process.
cluster::HttpOptions ClusterAccess(
    const Config& config,
    std::function<const char*(const char*)> environment = {});

// Returns the namespace of the kubeconfig's context, kubectl's default;
// "default" if there is none. Throws as ClusterAccess().
std::string ContextNamespace(
    const Config& config,
    const std::function<const char*(const char*)>& environment);

}  // namespace fluxnetes::services
