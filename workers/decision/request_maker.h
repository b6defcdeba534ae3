// Makes requests from their text, one object for each distinct text: what the
// store needs of a schedule.
// Tests: tests/workers/match/match_worker_pgtest.cc.
#pragma once

#include <functional>
#include <string>

#include "cluster/objects/pod_request.h"

namespace fluxnetes::workers {

using RequestMaker =
    std::function<const cluster::PodRequest*(const std::string& request_json)>;

}  // namespace fluxnetes::workers
