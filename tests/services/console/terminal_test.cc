#include "services/console/terminal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace fluxnetes::services {
namespace {

// Signals are of the whole process, so each test has one of its own.
class ProcessConsoleDeathTest : public ::testing::Test {
 protected:
  ProcessConsoleDeathTest() {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

// Exits with 0 if the console says that the user wants to stop.
void StopBy(int signal) {
  const Console console = ProcessConsole();
  if (console.wait(std::chrono::milliseconds(0))) std::_Exit(2);
  std::raise(signal);
  std::_Exit(console.wait(std::chrono::minutes(1)) ? 0 : 1);
}

TEST_F(ProcessConsoleDeathTest, SignalIsTheUsersWishToStop) {
  EXPECT_EXIT(StopBy(SIGINT), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(StopBy(SIGTERM), ::testing::ExitedWithCode(0), "");
}

TEST_F(ProcessConsoleDeathTest, SignalBeforeTheFirstWaitEndsTheProcess) {
  EXPECT_EXIT(ProcessConsole(); std::raise(SIGTERM);
              std::_Exit(0), ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace fluxnetes::services
