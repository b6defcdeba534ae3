// The states of a blocked group against the picture in its header.
#include "workers/pending/blocked_group.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/places.h"

namespace fluxnetes::workers {
namespace {

using enum ReservationState;
using Arrows = std::set<std::pair<std::string, std::string>>;

const ReservedNodes kAtNoon = ReservedFrom({43'200, {0, 1}}, {});
const ReservedNodes kAtTen = ReservedFrom({36'000, {1, 1}}, {});
const ReservedNodes kDrainSet{{}, {0, 1}, {}, false};

// "//   from -> to | to" in the comment that opens the header.
Arrows InPicture() {
  std::ifstream header(testing::SourcePath("workers/pending/blocked_group.h"));
  Arrows arrows;
  for (std::string line;
       std::getline(header, line) && line != "#pragma once";) {
    std::istringstream words(line);
    std::string slashes, from, arrow, to, bar;
    if (!(words >> slashes >> from >> arrow) || arrow != "->") continue;
    while (words >> to) {
      arrows.emplace(from, to);
      words >> bar;
    }
  }
  return arrows;
}

Arrows InTable() {
  Arrows arrows;
  for (const ReservationState from : kReservationStates) {
    for (const ReservationState to : kReservationStates) {
      if (BlockedGroup::MayGo(from, to))
        arrows.emplace(ToString(from), ToString(to));
    }
  }
  return arrows;
}

// A blocked group that has come to be in this state.
BlockedGroup In(ReservationState state) {
  BlockedGroup blocked;
  switch (state) {
    case kUnplanned:
      break;
    case kRemembered:
      blocked.Remember(kAtNoon);
      break;
    case kBooked:
      blocked.Book(kAtNoon);
      break;
    case kDue:
      blocked.Book(kAtNoon);
      blocked.ComeDue();
      break;
    case kDraining:
      blocked.Drain(kDrainSet);
      break;
    case kUnplaced:
      blocked.FindNothing();
      break;
    case kWithdrawn:
      blocked.Book(kAtNoon);
      blocked.Withdraw();
      break;
  }
  EXPECT_EQ(blocked.state(), state);
  return blocked;
}

// What makes a group come to be in this state, if it may.
void LeadTo(ReservationState state, BlockedGroup& blocked) {
  switch (state) {
    case kRemembered:
      return blocked.Remember(kAtTen);
    case kBooked:
      return blocked.Book(kAtTen);
    case kDue:
      return blocked.ComeDue();
    case kDraining:
      return blocked.Drain(kDrainSet);
    case kUnplaced:
      return blocked.FindNothing();
    case kUnplanned:
      return blocked.Withdraw();
    case kWithdrawn:
      return blocked.state() == kRemembered ? blocked.FailToBook()
                                            : blocked.Withdraw();
  }
}

TEST(BlockedGroup, ItsPictureIsItsTable) {
  EXPECT_EQ(InPicture(), InTable());
  EXPECT_EQ(InTable().size(), 15U);
}

TEST(BlockedGroup, TakesEachArrow) {
  for (const ReservationState from : kReservationStates) {
    for (const ReservationState to : kReservationStates) {
      if (!BlockedGroup::MayGo(from, to)) continue;
      BlockedGroup blocked = In(from);
      LeadTo(to, blocked);
      EXPECT_EQ(blocked.state(), to) << ToString(from);
      EXPECT_EQ(blocked.reserved().has_value(),
                to != kUnplanned && to != kUnplaced)
          << ToString(from) << " -> " << ToString(to);
    }
  }
}

// These repeat what has happened, so nothing comes of it.
bool Repeats(ReservationState from, ReservationState to) {
  const bool stands =
      from != kUnplanned && from != kRemembered && from != kWithdrawn;
  return (to == kDue && from == kDue) || (to == kUnplanned && !stands) ||
         (to == kWithdrawn && !stands);
}

TEST(BlockedGroupDeathTest, TakesNoOther) {
  GTEST_FLAG_SET(death_test_style, "fast");
  for (const ReservationState from : kReservationStates) {
    for (const ReservationState to : kReservationStates) {
      if (BlockedGroup::MayGo(from, to)) continue;
      BlockedGroup blocked = In(from);
      if (Repeats(from, to)) {
        LeadTo(to, blocked);
        EXPECT_EQ(blocked.state(), from);
        continue;
      }
      // Withdraw() goes where the state that is withdrawn says.
      if (to == kUnplanned || to == kWithdrawn) {
        blocked.Withdraw();
        EXPECT_NE(blocked.state(), to);
        continue;
      }
      EXPECT_DEATH(LeadTo(to, blocked), "MayGo")
          << ToString(from) << " -> " << ToString(to);
    }
  }
}

TEST(BlockedGroup, HoldsAgainstOthersWhileItStands) {
  std::vector<std::string_view> standing;
  std::vector<std::string_view> booked;
  for (const ReservationState state : kReservationStates) {
    if (In(state).Stands()) standing.push_back(ToString(state));
    if (In(state).IsBooked()) booked.push_back(ToString(state));
  }
  EXPECT_EQ(standing, (std::vector<std::string_view>{"booked", "due",
                                                     "draining", "unplaced"}));
  EXPECT_EQ(booked, (std::vector<std::string_view>{"booked", "due"}));
}

TEST(BlockedGroup, HasComeWhenItsStartIsNow) {
  const BlockedGroup blocked = In(kBooked);
  EXPECT_FALSE(blocked.HasCome(*kAtNoon.start - 1));
  EXPECT_TRUE(blocked.HasCome(*kAtNoon.start));
  EXPECT_FALSE(In(kWithdrawn).HasCome(*kAtNoon.start));
}

TEST(BlockedGroup, KeepsItsNodesInMindWhenTheyAreWithdrawn) {
  BlockedGroup blocked = In(kBooked);
  blocked.Withdraw();
  blocked.Withdraw();
  EXPECT_EQ(blocked.reserved(), kAtNoon);
}

TEST(BlockedGroup, GoesWhereAPlanSays) {
  BlockedGroup blocked;
  blocked.Set(kAtNoon);
  EXPECT_EQ(blocked.state(), kBooked);
  blocked.Withdraw();
  blocked.Set(kDrainSet);
  EXPECT_EQ(blocked.state(), kDraining);
  blocked.Withdraw();
  blocked.Set(std::nullopt);
  EXPECT_EQ(blocked.state(), kUnplaced);
}

TEST(BlockedGroup, IsReportedAnewWhenItsNodesAreOthers) {
  BlockedGroup blocked = In(kBooked);
  blocked.MarkReported();
  blocked.Withdraw();
  blocked.Book(kAtNoon);
  EXPECT_TRUE(blocked.reported());
  blocked.Book(kAtTen);
  EXPECT_FALSE(blocked.reported());
}

TEST(BlockedGroup, ADrainSetThatLosesItsNodesIsChosenAnew) {
  BlockedGroup blocked = In(kDraining);
  blocked.MarkReported();
  blocked.LoseNodes();
  EXPECT_TRUE(blocked.reserved()->nodes.empty());
  EXPECT_TRUE(blocked.MayImprove());
  EXPECT_TRUE(blocked.reported());  // until it has others
}

TEST(BlockedGroup, WhatMayBeBrokenMayAlsoImprove) {
  BlockedGroup blocked = In(kBooked);
  EXPECT_FALSE(blocked.MayImprove());
  blocked.MarkBroken();
  blocked.MarkImprovable();
  EXPECT_TRUE(blocked.MayImprove());
  EXPECT_TRUE(blocked.MayBeBroken());
  EXPECT_EQ(blocked.TakeReview(), Review::kMayBeBroken);
  EXPECT_EQ(blocked.review(), Review::kNone);
}

TEST(BlockedGroup, WhatIsRememberedIsLookedAt) {
  EXPECT_TRUE(In(kRemembered).MayImprove());
}

}  // namespace
}  // namespace fluxnetes::workers
