// A simulated cluster with an API, and commands that use it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "cluster/simulated/simulated_cluster.h"
#include "services/simulated_api/cluster_api.h"
#include "tests/services/support/command_run.h"

namespace fluxnetes::services {

class ClusterCommands : public ::testing::Test {
 protected:
  ClusterCommands() {
    if (mkdtemp(directory_.data()) == nullptr)
      throw std::runtime_error("mkdtemp failed");
    api_ = std::make_unique<ClusterApi>(
        cluster_, ClusterApiOptions{.address = "unix:" + directory_ + "/s"});
    api_->Start();
    run_.Set("FLUXNETES_CLUSTER", api_->address());
  }
  ~ClusterCommands() override {
    api_->Stop();
    std::filesystem::remove_all(directory_);
  }

  cluster::SimulatedCluster cluster_;
  std::string directory_ = "/tmp/fluxnetes-commands-XXXXXX";
  std::unique_ptr<ClusterApi> api_;
  CommandRun run_;
};

}  // namespace fluxnetes::services
