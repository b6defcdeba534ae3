#include "matcher/cel_run/version.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

namespace fluxnetes::matcher::cel {
namespace {

TEST(CelVersion, PrecedenceIsThatOfTheStandard) {
  // The order that semver.org gives as its example, and numbers beyond it.
  constexpr auto kAscending = std::to_array<std::string_view>(
      {"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta",
       "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0",
       "1.10.0", "12.0.0"});
  for (std::size_t i = 0; i < kAscending.size(); ++i) {
    for (std::size_t k = 0; k < kAscending.size(); ++k) {
      EXPECT_TRUE(Compare(*ReadVersion(kAscending[i]),
                          *ReadVersion(kAscending[k])) == (i <=> k))
          << kAscending[i] << " " << kAscending[k];
    }
  }
  EXPECT_TRUE(Compare(*ReadVersion("1.0.0+a"), *ReadVersion("1.0.0+b")) == 0);
}

TEST(CelVersion, OtherTextsAreNone) {
  for (const std::string_view text :
       {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01",
        "1.2.3+", "1.2.3-a..b", "1.2.x", "18446744073709551616.0.0",
        "1+a.2.3"}) {
    EXPECT_FALSE(ReadVersion(text)) << text;
  }
}

TEST(CelVersion, ShortVersionsCanBeCompleted) {
  EXPECT_EQ(CompleteVersion("v1.2"), "1.2.0");
  EXPECT_EQ(CompleteVersion("01.002.3"), "1.2.3");
  EXPECT_EQ(CompleteVersion("1"), "1.0.0");
  EXPECT_EQ(CompleteVersion("1.2.3-rc.1"), "1.2.3-rc.1");
  EXPECT_EQ(CompleteVersion("1.2-rc"), std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::matcher::cel
