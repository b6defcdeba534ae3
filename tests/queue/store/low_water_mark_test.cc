#include "queue/store/low_water_mark.h"

#include <gtest/gtest.h>

#include <chrono>
#include <utility>

namespace fluxnetes::queue {
namespace {

using std::chrono::milliseconds;

// Milliseconds since a fixed time.
sql::Timestamp At(int ms) {
  return sql::Timestamp(std::chrono::hours(500'000)) + milliseconds(ms);
}

class LowWaterMarkTest : public ::testing::Test {
 protected:
  // A glance at this time while these transactions run; its own id rises from
  // 150 by one every 20 milliseconds.
  Glance Of(int ms, const std::string& running = "") {
    Glance glance;
    glance.server = "here";
    glance.time = At(ms);
    glance.transaction = 150 + static_cast<unsigned>(ms) / 20;
    glance.snapshot = "100:900:" + running;
    return glance;
  }

  void See(int ms, const std::string& running = "") {
    mark.See(Of(ms, running));
  }

  std::optional<sql::Timestamp> First() const { return mark.marks()[0]; }

  LowWaterMark mark;
};

TEST_F(LowWaterMarkTest, BeginsAtTheBeginning) {
  EXPECT_EQ(mark.marks(), Marks());
  EXPECT_EQ(mark.snapshot(), "");
}

TEST_F(LowWaterMarkTest, TwoGlancesRaiseItToTheFirst) {
  See(1'000);
  EXPECT_EQ(First(), std::nullopt);
  See(1'300);
  EXPECT_EQ(First(), At(900));
  See(1'600);
  EXPECT_EQ(First(), At(1'200));
  EXPECT_EQ(mark.snapshot(), "100:900:");
}

TEST_F(LowWaterMarkTest, NotBeyondAJobThatIsThere) {
  See(1'000);
  Glance second = Of(1'300);
  second.first[1] = At(400);
  mark.See(second);
  EXPECT_EQ(mark.marks()[0], At(900));
  EXPECT_EQ(mark.marks()[1], At(400));
  EXPECT_EQ(mark.marks()[2], At(900));
}

TEST_F(LowWaterMarkTest, NotWhileATransactionRunsThatRanAtTheFirst) {
  See(1'000, "101,105");
  See(1'300, "105,200");
  EXPECT_EQ(First(), std::nullopt);
  Glance third = Of(1'600, "200");
  third.first[0] = At(950);  // inserted by 105
  mark.See(third);
  EXPECT_EQ(First(), At(900));
  See(1'900, "200");
  EXPECT_EQ(First(), At(900));
  See(2'200);
  EXPECT_EQ(First(), At(1'500));
}

TEST_F(LowWaterMarkTest, NotWhileOneRunsThatBeganLastBeforeTheFirst) {
  See(1'000);  // 199 runs, but as the newest it is not in the list
  See(1'300, "199");
  EXPECT_EQ(First(), std::nullopt);
  See(1'600);
  EXPECT_EQ(First(), At(900));
}

TEST_F(LowWaterMarkTest, WhoRunsTooLongIsNotWaitedForAndBeginsItAnewAtItsEnd) {
  for (int ms = 0; ms < 2'000; ms += 300) See(ms, "105");
  EXPECT_EQ(First(), std::nullopt);
  See(2'100, "105");
  EXPECT_EQ(First(), At(-100));
  See(2'700, "105,900");
  EXPECT_EQ(First(), At(2'000));
  See(3'000, "105");
  EXPECT_EQ(First(), At(2'600));
  See(3'300);
  EXPECT_EQ(First(), std::nullopt);
  See(3'600);
  EXPECT_NE(First(), std::nullopt);
}

TEST_F(LowWaterMarkTest, ARewindLowersItAndOtherJobsDoNot) {
  See(1'000);
  See(1'300);
  Glance rewound = Of(1'600);
  rewound.rewound_to = At(200);
  rewound.first[0] = At(1'250);  // from the former mark on
  mark.See(rewound);
  EXPECT_EQ(First(), At(200));
  Glance next = Of(1'900);
  next.first[0] = At(200);
  mark.See(next);
  EXPECT_EQ(First(), At(200));
  See(2'200);
  EXPECT_GT(First(), At(1'000));
}

TEST_F(LowWaterMarkTest, ARewindBeyondItChangesNothing) {
  See(1'000);
  See(1'300);
  Glance rewound = Of(1'600);
  rewound.rewound_to = At(1'250);
  mark.See(rewound);
  EXPECT_EQ(First(), At(1'200));
}

TEST_F(LowWaterMarkTest, AnotherServerOrClockOrALongBreakBeginsAnew) {
  const auto raised = [&] {
    mark = {};
    See(1'000);
    See(1'300);
    EXPECT_NE(First(), std::nullopt);
  };
  raised();
  Glance other = Of(1'600);
  other.server = "there";
  mark.See(other);
  EXPECT_EQ(First(), std::nullopt);
  raised();
  See(1'299);
  EXPECT_EQ(First(), std::nullopt);
  raised();
  See(1'300 + 11 * 60'000);
  EXPECT_EQ(First(), std::nullopt);
}

TEST_F(LowWaterMarkTest, WhatIsNoSnapshotIsAFault) {
  for (const char* text : {"", "1:2", "1:2:x", "1:2:3,x"}) {
    Glance glance = Of(1'000);
    glance.snapshot = text;
    EXPECT_THROW(mark.See(glance), std::logic_error) << text;
  }
}

}  // namespace
}  // namespace fluxnetes::queue
