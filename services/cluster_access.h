// Which API server the configuration means, and who we are there.
#pragma once

#include <functional>

#include "cluster/http_client.h"
#include "services/config.h"

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

}  // namespace fluxnetes::services
