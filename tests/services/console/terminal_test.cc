#include "services/console/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

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

// Returns the width of a terminal of 120 columns with this COLUMNS.
int ColumnsOnTerminal(const char* columns) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0)
    std::_Exit(255);
  const int side = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  winsize size{};
  size.ws_col = 120;
  if (ioctl(side, TIOCSWINSZ, &size) != 0) std::_Exit(255);
  dup2(side, STDOUT_FILENO);
  setenv("COLUMNS", columns, 1);
  return ProcessConsole().size().first;
}

int ColumnsOfFile() {
  dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
  setenv("COLUMNS", "90", 1);
  return ProcessConsole().size().first;
}

TEST_F(ProcessConsoleDeathTest, TerminalIsAsWideAsColumnsSaysElseItsDriver) {
  EXPECT_EXIT(std::_Exit(ColumnsOnTerminal("90")),
              ::testing::ExitedWithCode(90), "");
  for (const char* const none : {"", "0", "-3", "wide", "90x"})
    EXPECT_EXIT(std::_Exit(ColumnsOnTerminal(none)),
                ::testing::ExitedWithCode(120), "");
  EXPECT_EXIT(std::_Exit(ColumnsOfFile()), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fluxnetes::services
