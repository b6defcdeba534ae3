// Simulations requested by gRPC: a run of `fluxnetes simulate --snapshot` with
// the manifests and settings of a request.
// Tests: tests/services/grpc_v1/grpc_manifests_pgtest.cc.
#pragma once

#include <functional>

#include "services/config/config.h"
#include "sql/connection/pool.h"

namespace fluxnetes::v1 {
class SimulateRequest;
class SimulateResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// `stop` is polled; once it returns true, the answer holds the results so far.
// Throws Failure and sql::Error.
void SimulateFor(const v1::SimulateRequest& request,
                 v1::SimulateResponse& response, const Config& config,
                 sql::Pool& pool, const std::function<bool()>& stop);

}  // namespace fluxnetes::services
