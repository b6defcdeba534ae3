// Makes a scenario of a trace of batch jobs: each job is a gang that runs for
// its recorded run time, and is planned with its requested time. On nodes of C
// cpus a job of P processors is P / C pods of C cpus, and one pod of the rest;
// so a job of up to C processors is one pod, and a larger one fills all its
// nodes but the last.
// Tests: tests/workers/simulation/simulation_test.cc.
#pragma once

#include <vector>

#include "cluster/traces/swf_trace.h"
#include "workers/simulation/simulation.h"

namespace fluxnetes::workers {

// `count` nodes, node0, node1, ..., of `cpus` cpus each and no other resource
// but pods.
std::vector<cluster::Node> NodesOfCpus(std::int64_t count, std::int64_t cpus);

// All jobs are submitted to `queue`. Throws std::invalid_argument if cpus < 1.
Scenario ScenarioOf(const std::vector<cluster::SwfJob>& jobs,
                    std::vector<cluster::Node> nodes, std::int64_t cpus,
                    const QueueSettings& queue);

}  // namespace fluxnetes::workers
