#include "queue/clients/stop_signal.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

namespace fluxnetes::queue {
namespace {

// Signals are of the whole process, so each test has one of its own.
class StopSignalDeathTest : public ::testing::Test {
 protected:
  StopSignalDeathTest() {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

// Exits with the signal that was waited for.
void WaitAfter(int signal) {
  const StopSignal stop;
  std::raise(signal);
  std::_Exit(stop.Wait());
}

TEST_F(StopSignalDeathTest, OneThatCameBeforeTheWaitIsNotLost) {
  EXPECT_EXIT(WaitAfter(SIGINT), ::testing::ExitedWithCode(SIGINT), "");
  EXPECT_EXIT(WaitAfter(SIGTERM), ::testing::ExitedWithCode(SIGTERM), "");
}

}  // namespace
}  // namespace fluxnetes::queue
