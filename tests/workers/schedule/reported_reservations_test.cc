#include "workers/schedule/reported_reservations.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

const Reservation kOfOne{1, "default", 100, {"node0"}, {0}};
const Reservation kOfTwo{2, "default", 200, {"node0"}, {0}};

std::vector<GroupId> DropAllOthers(ReportedReservations& reported,
                                   GroupId standing) {
  std::vector<GroupId> dropped;
  reported.DropOthers([&](GroupId group) { return group == standing; },
                      dropped);
  return dropped;
}

TEST(ReportedReservations, WhatIsKnownIsNoNews) {
  ReportedReservations reported;
  EXPECT_TRUE(reported.Note(kOfOne));
  EXPECT_FALSE(reported.Note(kOfOne));
  Reservation later = kOfOne;
  later.start = 150;
  EXPECT_TRUE(reported.Note(later));
}

TEST(ReportedReservations, WhatDoesNotStandIsDroppedOnce) {
  ReportedReservations reported;
  reported.Note(kOfOne);
  reported.Note(kOfTwo);
  EXPECT_EQ(DropAllOthers(reported, 2), std::vector<GroupId>{1});
  EXPECT_TRUE(DropAllOthers(reported, 2).empty());
  EXPECT_TRUE(reported.Note(kOfOne));
}

TEST(ReportedReservations, AGroupThatLeavesIsTakenBackIfItWasReported) {
  ReportedReservations reported;
  reported.Note(kOfOne);
  reported.TakeBack(1);
  reported.TakeBack(2);
  EXPECT_EQ(reported.TakeDropped(), std::vector<GroupId>{1});
  EXPECT_TRUE(reported.TakeDropped().empty());
}

TEST(ReportedReservations, WhatIsExpectedIsTakenWhenItsGroupComes) {
  ReportedReservations reported;
  reported.Expect(kOfOne);
  EXPECT_EQ(reported.TakeExpected(1), kOfOne);
  EXPECT_EQ(reported.TakeExpected(1), std::nullopt);
  EXPECT_FALSE(reported.ForgetExpected());
}

TEST(ReportedReservations, WhatIsExpectedInVainIsTakenBack) {
  ReportedReservations reported;
  reported.Expect(kOfOne);
  EXPECT_TRUE(reported.ForgetExpected());
  EXPECT_EQ(DropAllOthers(reported, 2), std::vector<GroupId>{1});
}

TEST(ReportedReservations, AGroupThatComesAgainFindsWhatWasReportedOfIt) {
  ReportedReservations reported;
  reported.Note(kOfOne);
  reported.ExpectAgain(1);
  reported.ExpectAgain(2);
  EXPECT_EQ(reported.TakeExpected(1), kOfOne);
  EXPECT_EQ(reported.TakeExpected(2), std::nullopt);
}

}  // namespace
}  // namespace fluxnetes::workers
