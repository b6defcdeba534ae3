#include "matcher/nodes/shortfall.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

TEST(Shortfall, NotesOnlyWhatChanges) {
  Shortfall shortfall;
  shortfall.Note(0, 3);
  shortfall.Note(10, 3);
  shortfall.Note(20, 2);
  ASSERT_EQ(shortfall.parts().size(), 2U);
  EXPECT_EQ(shortfall.parts()[1].from, 20);
  shortfall.Take(0, 2);
  EXPECT_EQ(shortfall.parts()[0].tasks, 1);
  EXPECT_EQ(shortfall.Short().parts().size(), 2U);
}

TEST(Shortfall, IsTheLeastOfWhatIsTakenTogether) {
  Shortfall shortfall;
  for (int i = 0; i < 64; ++i) shortfall.Note(10 * i, i % 2 == 0 ? 64 - i : 70);
  const Shortfall shorter = shortfall.Short();
  ASSERT_EQ(shorter.parts().size(), Shortfall::kMostParts);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(shorter.parts()[i].from, 20 * i);
    EXPECT_EQ(shorter.parts()[i].tasks, 64 - 2 * i);
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
