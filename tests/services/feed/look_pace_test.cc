#include "services/feed/look_pace.h"

#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;

TEST(LookPace, LooksTakeANinthOfTheTime) {
  LookPace pace;
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(pace.RestAfter(milliseconds(40)), milliseconds(320));
}

TEST(LookPace, OneLookThatIsHeldUpMakesNoLongRest) {
  LookPace pace;
  pace.RestAfter(milliseconds(40));
  EXPECT_EQ(pace.RestAfter(milliseconds(200)), milliseconds(480));
  EXPECT_LT(pace.RestAfter(milliseconds(40)), milliseconds(480));
}

TEST(LookPace, RestGrowsWithLooksThatAllTakeLonger) {
  LookPace pace;
  pace.RestAfter(milliseconds(40));
  for (int i = 0; i < 50; ++i) pace.RestAfter(milliseconds(400));
  EXPECT_GT(pace.RestAfter(milliseconds(400)), milliseconds(3'100));
}

}  // namespace
}  // namespace fluxnetes::services
