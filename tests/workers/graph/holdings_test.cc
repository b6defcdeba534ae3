#include "workers/graph/holdings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class HoldingsTest : public ::testing::Test {
 protected:
  // Pods a, b and c: the first two on n1.
  Holding& AddGroup(GroupId group) {
    Held held;
    held.group = group;
    held.members = {
        {"a", "n1", &small_}, {"b", "n1", &small_}, {"c", "n0", &big_}};
    return holdings_.Add(std::move(held), {1, 1, 0});
  }

  cluster::PodRequest small_, big_;
  Holdings holdings_;
};

TEST_F(HoldingsTest, PlaceIsFoundByThePodThatHoldsIt) {
  big_.resources.cpu_milli = 8'000;
  AddGroup(7);
  EXPECT_EQ(holdings_.NodeOf("c"), "n0");
  EXPECT_EQ(holdings_.GrantOf("c")->cpu_milli, 8'000);
  EXPECT_EQ(holdings_.PlaceOf("c")->position, 2);
  EXPECT_EQ(holdings_.NodeOf("d"), std::nullopt);
  EXPECT_EQ(holdings_.GrantOf("d"), nullptr);
}

TEST_F(HoldingsTest, NodesOfAGroupAreNamedOnce) {
  AddGroup(7);
  EXPECT_THAT(holdings_.NodesOf(7), ElementsAre("n0", "n1"));
  EXPECT_THAT(holdings_.NodesOf(8), IsEmpty());
}

TEST_F(HoldingsTest, PlaceThatWasGivenBackIsGoneAndTheOthersKeepTheirPosition) {
  Holding& holding = AddGroup(7);
  EXPECT_EQ(holdings_.RemovePlace(*holdings_.PlaceOf("a")), &small_);
  EXPECT_EQ(holding.places, 2);
  EXPECT_EQ(holdings_.NodeOf("a"), std::nullopt);
  EXPECT_EQ(holdings_.PlaceOf("b")->position, 1);
}

TEST_F(HoldingsTest, CompactHoldingHasOnlyThePlacesThatAreHeld) {
  Holding& holding = AddGroup(7);
  holdings_.RemovePlace(*holdings_.PlaceOf("a"));
  holdings_.AddMember(holding, {"d", "n2", &small_}, 2);
  holdings_.Compact(holding);
  EXPECT_THAT(holding.nodes, ElementsAre(1, 0, 2));
  EXPECT_EQ(holding.places, 3);
  EXPECT_EQ(holdings_.PlaceOf("b")->position, 0);
  EXPECT_EQ(holdings_.NodeOf("d"), "n2");
}

TEST_F(HoldingsTest, PodsOfAGroupThatIsRemovedHoldNothing) {
  AddGroup(7);
  holdings_.Remove(7);
  EXPECT_EQ(holdings_.NodeOf("b"), std::nullopt);
  EXPECT_EQ(holdings_.HeldBy(7), nullptr);
}

TEST_F(HoldingsTest, GroupsThatWereTouchedAreTakenOnce) {
  AddGroup(7);
  EXPECT_THAT(holdings_.TakeTouched(), ElementsAre(7));
  EXPECT_THAT(holdings_.TakeTouched(), IsEmpty());
  AddGroup(8);
  holdings_.TakeTouched();
  holdings_.TouchAll();
  EXPECT_THAT(holdings_.TakeTouched(), UnorderedElementsAre(7, 8));
}

TEST_F(HoldingsTest, PodsThatAreLeftOutAreNotFound) {
  holdings_.LeavePodsOut();
  AddGroup(7);
  EXPECT_EQ(holdings_.NodeOf("a"), std::nullopt);
  EXPECT_THAT(holdings_.NodesOf(7), ElementsAre("n0", "n1"));
  holdings_.Remove(7);
  EXPECT_EQ(holdings_.HeldBy(7), nullptr);
}

}  // namespace
}  // namespace fluxnetes::workers
