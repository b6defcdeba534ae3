// `fluxnetes simulated-cluster`: a simulated cluster in real time as a separate
// process, which outlives the scheduler; and the nodes of a simulated cluster.
// Tests: tests/services/submit/submit_test.cc,
// tests/services/serve/kill_runs_pgtest.cc.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {

// Reads the nodes of the file cluster.nodes. Throws Failure: kUsage if it is
// not set, kFailed if it cannot be read or is invalid.
std::vector<cluster::Node> LoadNodes(const Config& config);

// Creates the folder of a socket "unix:PATH", closed to other users, if it does
// not exist. A failure is ignored; listening then reports it.
void PrepareSocketFolder(const std::string& address);

// Runs until SIGTERM or SIGINT. Throws Failure.
ExitCode RunSimulatedCluster(const Config& config, Console& console);

}  // namespace fluxnetes::services
