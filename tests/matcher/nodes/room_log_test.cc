#include "matcher/nodes/room_log.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

TEST(RoomLog, TellsTheChangesOnANode) {
  RoomLog log;
  log.Add({{1, 3}, 0, 10, {1, 2, 3, 4}});
  log.Add({{3}, 5, 20, {}, true});
  log.Add({{2}, 0, 10, {7, 7}});
  const auto on = log.On(3, 0);
  ASSERT_EQ(on.size(), 2U);
  const auto amounts = log.At(on[0].number).AmountsOf(on[0].place);
  ASSERT_EQ(amounts.size(), 2U);
  EXPECT_EQ(amounts[0], 3);
  EXPECT_EQ(amounts[1], 4);
  EXPECT_TRUE(log.At(on[1].number).taken);
  EXPECT_EQ(log.On(3, 1).size(), 1U);
  EXPECT_TRUE(log.On(3, 2).empty());
  EXPECT_TRUE(log.On(4, 0).empty());
}

TEST(RoomLog, KeepsItsNumbersWhenItForgets) {
  RoomLog log;
  for (NodeIndex node = 0; node < 4; ++node) log.Add({{node, 9}, node, 10});
  log.Add({{5}, 0, 10, {}, true});
  EXPECT_EQ(log.end(), 5U);
  EXPECT_EQ(log.end_of_made(), 4U);
  log.ForgetBefore(3);
  EXPECT_EQ(log.At(3).from, 3);
  EXPECT_EQ(log.On(9, 0).size(), 1U);
  EXPECT_TRUE(log.On(0, 0).empty());
  log.ForgetBefore(5);
  EXPECT_TRUE(log.empty());
  EXPECT_EQ(log.end(), 5U);
  log.Add({{5}, 0, 10});
  EXPECT_EQ(log.end_of_made(), 6U);
  EXPECT_EQ(log.On(5, 0).size(), 1U);
}

}  // namespace
}  // namespace fluxnetes::matcher
