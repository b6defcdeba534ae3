// The submission of manifests to an API server, shared by `fluxnetes submit`
// and gRPC's Submit.
// Tests: tests/services/submit/submit_test.cc.
#pragma once

#include <memory>
#include <string>

#include "cluster/files/manifest.h"
#include "cluster/http/http_client.h"
#include "cluster/scheduler_names.h"
#include "services/config/config.h"

namespace fluxnetes::services {

// Returns "job.batch/train", as kubectl writes it, with the generated name
// `given` if there is one. Without a name it has metadata.generateName.
std::string Called(const cluster::Manifest& manifest,
                   const std::string& given = {});

// Returns why Fluxnetes will not schedule an object that the cluster accepts;
// empty: it will, or there is nothing to schedule.
std::string WhyNotScheduled(const cluster::Manifest& manifest,
                            const cluster::SchedulerNames& schedulers);

// Returns the namespace of the manifest's object; empty: it has none (a node).
std::string NamespaceOf(const cluster::Manifest& manifest);

// Returns a client of the configured API server, once that answers. Throws
// Failure (kUsage, kNoCluster).
std::unique_ptr<cluster::HttpClient> OpenCluster(const Config& config);

}  // namespace fluxnetes::services
