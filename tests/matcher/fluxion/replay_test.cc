#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/support/places.h"

namespace fluxnetes::matcher {
namespace {

// Sessions recorded from Fluxion's own resource-query are not part of this
// repository. FLUXNETES_FLUXION_SESSIONS names a folder that has them and
// replay-cases.py; without it, the test looks for them beside the checkout.
TEST(Replay, RecordedSessionsGiveTheSameResults) {
  const char* named = std::getenv("FLUXNETES_FLUXION_SESSIONS");
  const std::filesystem::path folder =
      named != nullptr ? named : testing::SourcePath("../shared/fluxion");
  const std::filesystem::path script = folder / "replay-cases.py";
  if (!std::filesystem::exists(script)) {
    GTEST_SKIP() << "there are no recorded sessions in " << folder
                 << "; FLUXNETES_FLUXION_SESSIONS may name another folder";
  }
  const std::string command = "python3 '" + script.string() + "' -n '" +
                              testing::BuiltProgram("matcher/resource-query") +
                              "'";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace fluxnetes::matcher
