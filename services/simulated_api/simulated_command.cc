#include "services/simulated_api/simulated_command.h"

#include <filesystem>
#include <ostream>
#include <system_error>

#include "cluster/files/node_file.h"
#include "services/console/input_file.h"
#include "services/simulated_api/cluster_api.h"

namespace fluxnetes::services {

std::vector<cluster::Node> LoadNodes(const Config& config) {
  const std::string& path = config.cluster.nodes;
  if (path.empty())
    throw Failure(ExitCode::kUsage, "a simulated cluster needs nodes",
                  "Name a file of them by --nodes, FLUXNETES_NODES or "
                  "cluster.nodes; deploy/examples/nodes.yaml is one.");
  try {
    return cluster::ReadNodes(ReadInputFile(path), path);
  } catch (const cluster::InputError& error) {
    throw Failure(ExitCode::kFailed, error.what());
  }
}

void PrepareSocketFolder(const std::string& address) {
  namespace fs = std::filesystem;
  if (!address.starts_with("unix:")) return;
  const fs::path folder = fs::path(address.substr(5)).parent_path();
  std::error_code error;
  if (fs::create_directories(folder, error))
    fs::permissions(folder, fs::perms::owner_all, error);
}

ExitCode RunSimulatedCluster(const Config& config, Console& console) {
  ClusterProcessOptions options;
  options.api.address = config.cluster.listen;
  options.cluster.real_time = true;
  options.nodes = LoadNodes(config);
  options.ready = [&console](const std::string& address) {
    console.out << "listening on " << address << std::endl;
  };
  PrepareSocketFolder(config.cluster.listen);
  RunClusterApi(options);
  return ExitCode::kOk;
}

}  // namespace fluxnetes::services
