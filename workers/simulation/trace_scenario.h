// A trace of batch jobs as a scenario: each job is a gang that runs for as long
// as it ran, planned with the time that was asked for. On nodes of C cpus a job
// of P processors is P / C pods of C cpus, and one of the rest; so a job of up
// to C processors is one pod, and a larger one fills its nodes but for the
// last.
#pragma once

#include <vector>

#include "cluster/files/swf_trace.h"
#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

// So many nodes, node0, node1, ..., of so many cpus each and nothing else.
std::vector<cluster::Node> NodesOfCpus(std::int64_t count, std::int64_t cpus);

// All jobs wait in `queue`. Throws std::invalid_argument if cpus < 1.
Scenario ScenarioOf(const std::vector<cluster::SwfJob>& jobs,
                    std::vector<cluster::Node> nodes, std::int64_t cpus,
                    const QueueSettings& queue);

}  // namespace fluxnetes::workers
