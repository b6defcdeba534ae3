// Manifests on their way to an API server: what `fluxnetes submit` and gRPC's
// Submit share.
#pragma once

#include <memory>
#include <string>

#include "cluster/files/manifest.h"
#include "cluster/http/http_client.h"
#include "services/config/config.h"

namespace fluxnetes::services {

// "job.batch/train", as kubectl writes it; with the name that it was given, if
// it was given one.
std::string Called(const cluster::Manifest& manifest,
                   const std::string& given = {});

// Why Fluxnetes will not schedule what the cluster takes; empty: it will, or
// there is nothing to schedule.
std::string WhyNotScheduled(const cluster::Manifest& manifest,
                            const std::string& scheduler_name);

// The namespace of its object; empty: it has none (a node).
std::string NamespaceOf(const cluster::Manifest& manifest);

// A client of the configured API server, which answers. Throws Failure (kUsage,
// kNoCluster).
std::unique_ptr<cluster::HttpClient> OpenCluster(const Config& config);

}  // namespace fluxnetes::services
