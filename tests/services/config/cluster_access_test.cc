#include "services/config/cluster_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

class ClusterAccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "home/.kube");
    config_.cluster.kind = ClusterKind::kApi;
    environment_["HOME"] = folder_ + "home";
  }
  // Writes a kubeconfig whose cluster has that name.
  std::string Kubeconfig(const std::string& path, const std::string& name) {
    std::ofstream(folder_ + path)
        << "current-context: c\n"
           "clusters: [{name: c, cluster: {server: 'https://"
        << name << "'}}]\ncontexts: [{name: c, context: {cluster: c}}]\n";
    return folder_ + path;
  }
  cluster::HttpOptions Access() {
    return ClusterAccess(config_, [this](const char* name) {
      const auto found = environment_.find(name);
      return found == environment_.end() ? nullptr : found->second.c_str();
    });
  }

  const std::string folder_ = ::testing::TempDir() + "cluster_access_test/";
  Config config_;
  std::map<std::string, std::string> environment_;
};

TEST_F(ClusterAccessTest, TheNearestWins) {
  EXPECT_THROW(Access(), Failure);
  Kubeconfig("home/.kube/config", "home");
  EXPECT_EQ(Access().address, "https://home");
  environment_["KUBECONFIG"] = Kubeconfig("listed", "listed");
  EXPECT_EQ(Access().address, "https://listed");
  config_.cluster.kubeconfig = Kubeconfig("set", "set");
  EXPECT_EQ(Access().address, "https://set");
  config_.cluster.address = "http://127.0.0.1:8001";
  EXPECT_EQ(Access().address, "http://127.0.0.1:8001");
}

TEST_F(ClusterAccessTest, InAPodTheServiceAccountCountsBeforeTheHome) {
  Kubeconfig("home/.kube/config", "home");
  environment_["KUBERNETES_SERVICE_HOST"] = "10.0.0.1";
  try {
    Access();
    FAIL() << "there is no port";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::kUsage);
    EXPECT_THAT(failure.what(), HasSubstr("KUBERNETES_SERVICE_PORT"));
  }
}

TEST_F(ClusterAccessTest, TheLimitIsHandedOn) {
  config_.cluster.address = "http://127.0.0.1:8001";
  config_.cluster.requests_per_second = 50;
  EXPECT_EQ(Access().requests_per_second, 50);
}

}  // namespace
}  // namespace fluxnetes::services
