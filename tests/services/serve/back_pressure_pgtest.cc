// `serve` while its database is suspended and the cluster goes on: it waits,
// uses memory only in proportion to the cluster's pods, and loses nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/services/support/deployment.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using testing::WaitUntil;

constexpr std::int64_t kMiB = 1 << 20;

std::int64_t ResidentBytes(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/statm", process));
  std::int64_t total = 0, resident = 0;
  in >> total >> resident;
  return resident * 4096;
}

class DatabaseTroubleStandstill : public ::testing::Test {
 protected:
  // Creates and deletes gangs while the database is suspended.
  int Churn(seconds duration) {
    int gangs = 0;
    const auto until = steady_clock::now() + duration;
    while (steady_clock::now() < until) {
      const std::string name = fmt::format("brief{}", gangs++);
      world_.SubmitPods(name, 8);
      for (int i = 0; i < 8; ++i) {
        world_.Delete(
            fmt::format("/api/v1/namespaces/default/pods/{}-{}", name, i));
      }
      world_.ForgetGang(name);
    }
    return gangs;
  }

  testing::PrivateServer server_;
  testing::TestDatabase database_{true, server_.connection()};
  Deployment world_{database_.options()};
};

TEST_F(DatabaseTroubleStandstill, MemoryIsBoundedAndNothingIsLost) {
  const bool is_long = std::getenv("FLUXNETES_TEST_LONG") != nullptr;
  const auto serve = world_.Serve();
  world_.SubmitMixed("before");
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() > 6; }))
      << world_.Log();
  const auto resident = ResidentBytes(serve->id());
  server_.Pause();
  world_.SubmitMixed("meanwhile");
  const int gangs = Churn(seconds(is_long ? 30 : 4));
  const auto grown = ResidentBytes(serve->id()) - resident;
  server_.Resume();
  RecordProperty("pods_that_came_and_went", gangs * 8);
  RecordProperty("grown_kib", static_cast<int>(grown / 1024));
  EXPECT_GT(gangs, 0);
  EXPECT_LT(grown, 32 * kMiB);
  world_.SubmitMixed("after");
  EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers() << "\n"
                                   << world_.Log();
  EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
  EXPECT_FALSE(serve->HasEnded());
}

TEST_F(DatabaseTroubleStandstill, StopIsGivenUpWithinItsGraceAndNothingIsLost) {
  const auto serve = world_.Serve({{"FLUXNETES_SHUTDOWN_GRACE", "10s"}});
  world_.SubmitMixed("before");
  ASSERT_TRUE(WaitUntil(kPatience, [&] { return world_.Bindings() > 6; }))
      << world_.Log();
  server_.Pause();
  serve->Signal(SIGTERM);
  EXPECT_EQ(serve->WaitForEnd(seconds(40)), 1) << world_.Log();
  server_.Resume();
  const auto next = world_.Serve();
  EXPECT_TRUE(world_.WaitForEnd()) << world_.Leftovers() << "\n"
                                   << world_.Log();
  EXPECT_EQ(world_.ViolationsAtEnd(), "") << world_.Log();
}

}  // namespace
}  // namespace fluxnetes::services
