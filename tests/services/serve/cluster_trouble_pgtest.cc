// `fluxnetes serve` while the API server is away.
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "queue/catalogue.h"
#include "queue/store/work_queue.h"
#include "tests/services/support/deployment.h"
#include "tests/support/postgres.h"
#include "workers/catalogue.h"
#include "workers/requests/cancel.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;
using testing::WaitUntil;

class ClusterTrouble : public ::testing::Test {
 protected:
  testing::TestDatabase database_;
  Deployment world_{database_.options()};
};

TEST_F(ClusterTrouble, IsSaidAndWaitedFor) {
  world_.SetFaults({{"reachable", false}});
  const auto serve = world_.Serve();
  EXPECT_TRUE(world_.WaitForLog("waiting for the cluster")) << world_.Log();
  EXPECT_TRUE(world_.WaitForLog("listing the cluster: 503")) << world_.Log();
  world_.SetFaults({{"reachable", true}});
  EXPECT_TRUE(world_.WaitForLog("the cluster is there")) << world_.Log();
  world_.Submit("g", {.size = 2});
  EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers();
}

TEST_F(ClusterTrouble, StopsInOrderAndLeavesNothingLeased) {
  // Half of the grace is less than a call's deadline of 15 s.
  const auto serve = world_.Serve({{"FLUXNETES_SHUTDOWN_GRACE", "20s"}});
  world_.Submit("g", {.size = 2, .seconds = 600});
  ASSERT_TRUE(WaitUntil(kPatience, [&] {
    return world_.Ask("SELECT state FROM pod_groups") == "bound";
  })) << world_.Log();
  world_.SetFaults({{"reachable", false}});
  database_.UseCatalogues({queue::Catalogue(), workers::Catalogue()});
  const auto now = std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  ASSERT_EQ(workers::CancelGroup(database_.pool(), "default", "g", "t", now),
            1);
  ASSERT_TRUE(WaitUntil(kPatience, [&] {
    return world_.Ask(
               "SELECT count(*) FROM jobs WHERE kind = 'cleanup' "
               "AND state = 'running'") == "1";
  })) << world_.Log();
  serve->Signal(SIGTERM);
  EXPECT_EQ(serve->WaitForEnd(seconds(60)), 0) << world_.Log();
  EXPECT_TRUE(world_.WaitForLog("no longer waits for the API server"));
  EXPECT_EQ(world_.Ask("SELECT count(*) FROM jobs WHERE state = 'running'"),
            "0");
  EXPECT_EQ(world_.Ask("SELECT count(*) FROM clients"), "0");
  world_.SetFaults({{"reachable", true}});
  const auto next = world_.Serve();
  EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers() << world_.Log();
}

}  // namespace
}  // namespace fluxnetes::services
