// `fluxnetes simulated-cluster`: a simulated cluster in real time as a process
// of its own, which outlives the scheduler; and the nodes that one has.
#pragma once

#include <string>
#include <vector>

#include "cluster/objects/node.h"
#include "services/config/config.h"
#include "services/console/console.h"
#include "services/console/exit_code.h"

namespace fluxnetes::services {

// The nodes of the file cluster.nodes. Throws Failure: it is not set (kUsage),
// cannot be read or says what cannot be (kFailed).
std::vector<cluster::Node> LoadNodes(const Config& config);

// Makes the folder of a socket "unix:PATH", closed to others, if it is not
// there; listening says what is wrong if it cannot be made.
void PrepareSocketFolder(const std::string& address);

// Until SIGTERM or SIGINT. Throws Failure.
ExitCode RunSimulatedCluster(const Config& config, Console& console);

}  // namespace fluxnetes::services
