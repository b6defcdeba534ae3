// What-if questions that come by gRPC: a run of `fluxnetes simulate --snapshot`
// with the manifests and settings of a request.
#pragma once

#include <functional>

#include "services/config/config.h"
#include "sql/connection/pool.h"

namespace fluxnetes::v1 {
class SimulateRequest;
class SimulateResponse;
}  // namespace fluxnetes::v1

namespace fluxnetes::services {

// `stop` is asked now and then; when it says so, what is known by then is the
// answer. Throws Failure and sql::Error.
void SimulateFor(const v1::SimulateRequest& request,
                 v1::SimulateResponse& response, const Config& config,
                 sql::Pool& pool, const std::function<bool()>& stop);

}  // namespace fluxnetes::services
