#include "workers/pods/version_number.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

TEST(VersionNumber, IsTheNumberOrNothing) {
  EXPECT_EQ(VersionNumber("4711"), 4711U);
  EXPECT_EQ(VersionNumber(""), 0U);
  EXPECT_EQ(VersionNumber("12a"), 0U);
  EXPECT_EQ(VersionNumber("99999999999999999999"), 0U);
}

}  // namespace
}  // namespace fluxnetes::workers
