// Which API server the configuration means, and who we are there.
#pragma once

#include <functional>
#include <string>

#include "cluster/http/http_client.h"
#include "services/config/config.h"

namespace fluxnetes::services {

// For cluster.kind api: cluster.address if it is set; else cluster.kubeconfig;
// else KUBECONFIG; else the service account, in a pod; else ~/.kube/config. For
// the simulated cluster: where `serve` listens. Throws Failure (kUsage) that
// says what is wrong or missing.
//
// `environment` is empty for that of the process.
cluster::HttpOptions ClusterAccess(
    const Config& config,
    std::function<const char*(const char*)> environment = {});

// The namespace of the kubeconfig's context, as kubectl means it where none is
// named; "default" if there is none. Throws as above.
std::string ContextNamespace(
    const Config& config,
    const std::function<const char*(const char*)>& environment);

}  // namespace fluxnetes::services
