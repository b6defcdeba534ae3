#include "sql/faults.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#ifdef FLUXNETES_FAULTS

namespace fluxnetes::sql {
namespace {

// Passes the failpoint `times` times and exits with 0 if it survives.
void Pass(const char* armed, const char* name, int times) {
  setenv("FLUXNETES_FAILPOINT", armed, 1);
  for (int i = 0; i < times; ++i) Failpoint(name);
  std::_Exit(0);
}

class FailpointDeathTest : public ::testing::Test {
 protected:
  FailpointDeathTest() {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

TEST_F(FailpointDeathTest, KillsWhereItIsNamed) {
  EXPECT_EXIT(Pass("a-b", "a-b", 1), ::testing::KilledBySignal(SIGKILL), "");
}

TEST_F(FailpointDeathTest, OthersPass) {
  EXPECT_EXIT(Pass("a-b", "a", 1), ::testing::ExitedWithCode(0), "");
}

TEST_F(FailpointDeathTest, CountsTheTimes) {
  EXPECT_EXIT(Pass("a:3", "a", 2), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(Pass("a:3", "a", 3), ::testing::KilledBySignal(SIGKILL), "");
}

TEST(PlantedBug, IsInForceUntilItIsPulledOut) {
  EXPECT_FALSE(BugPlanted("lost-release"));
  PlantBug("lost-release");
  EXPECT_TRUE(BugPlanted("lost-release"));
  EXPECT_FALSE(BugPlanted("half-gang"));
  PlantBug("");
  EXPECT_FALSE(BugPlanted("lost-release"));
  EXPECT_FALSE(BugPlanted(""));
}

}  // namespace
}  // namespace fluxnetes::sql

#endif  // FLUXNETES_FAULTS
