#include "workers/accounts/fair_share.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

constexpr std::int64_t kDay = 86'400;

class FairShares : public ::testing::Test {
 protected:
  FairShares() { share.Advance(1'000'000); }

  Standing Of(const PayerId payer) const { return share.StandingOf(payer); }

  AccountTree tree;
  FairShare share{tree};
  PayerId a = tree.Intern({"q", "a", ""});
  PayerId b = tree.Intern({"q", "b", ""});
};

TEST_F(FairShares, GoToWhoHasUsedLess) {
  EXPECT_EQ(Of(a)[0].first, Of(b)[0].first);
  share.Set(1, a, 0.5, 1'000'000 + 100);
  EXPECT_LT(Of(b), Of(a));
  share.Set(2, b, 0.5, 1'000'000 + 200);
  EXPECT_LT(Of(a), Of(b));
}

TEST_F(FairShares, CountWhatIsToComeAndForgetItWhenItDoesNot) {
  share.Set(1, a, 0.5, 1'000'000 + 1'000);
  share.Set(2, b, 0.5, 1'000'000 + 500);
  EXPECT_LT(Of(b), Of(a));
  share.Advance(1'000'000 + 100);
  share.Set(1, a, 0, 0);  // after a tenth of its time
  EXPECT_NEAR(share.UsedBy(a), 50, 0.1);
  EXPECT_LT(Of(a), Of(b));
}

TEST_F(FairShares, AreAsManySecondsOfTheWholeClusterHoweverOftenOneLooks) {
  share.Set(1, a, 0.25, 1'000'000 + 10'000);
  share.Set(2, b, 0.25, 1'000'000 + 10'000);
  share.Advance(1'000'000 + 10'000);
  const double once = share.UsedBy(a);
  EXPECT_NEAR(once, 2'500, 25);
  share.Set(1, a, 0, 0);
  share.Set(2, b, 0, 0);
  FairShare often{tree};
  often.Advance(1'000'000);
  often.Set(1, a, 0.25, 1'000'000 + 10'000);
  for (int second = 0; second <= 10'000; ++second)
    often.Advance(1'000'000 + second);
  EXPECT_NEAR(often.UsedBy(a), once, 1e-6);
}

TEST_F(FairShares, CountHalfAfterAHalfLife) {
  share.SetHalfLife(kDay);
  share.SetUsed(a, 100);
  share.SetUsed(b, 60);
  share.Advance(1'000'000 + kDay);
  EXPECT_NEAR(share.UsedBy(a), 50, 1e-9);
  share.Set(1, b, 1, 1'000'000 + kDay + 30);  // 30 + 30 of 50
  EXPECT_LT(Of(a), Of(b));
}

TEST_F(FairShares, StandWhereTheyStoodWhileNothingHappens) {
  share.SetUsed(a, 100);
  const double before = Of(a)[0].first;
  share.Advance(1'000'000 + 30 * kDay);
  EXPECT_NEAR(Of(a)[0].first, before, 1e-9);
}

TEST_F(FairShares, OfTimesThatGoBackChangeNothing) {
  share.SetUsed(a, 100);
  share.Advance(500'000);
  EXPECT_EQ(share.UsedBy(a), 100);
  share.Advance(1'000'000);
  EXPECT_EQ(share.UsedBy(a), 100);
}

TEST_F(FairShares, AreWeighedLevelByLevel) {
  tree.Set({{.name = "big", .weight = 3},
            {.name = "small"},
            {.name = "a", .parent = "big", .namespace_name = "a"},
            {.name = "c", .parent = "big", .namespace_name = "c"},
            {.name = "b", .parent = "small", .namespace_name = "b"}});
  share.Rebuild();
  const PayerId c = tree.Intern({"q", "c", ""});
  share.SetUsed(a, 200);
  share.SetUsed(b, 100);
  EXPECT_LT(Of(a), Of(b));  // 200 over weight 3, against 100
  EXPECT_LT(Of(c), Of(a));  // in the same account, but without use of its own
  share.SetUsed(c, 150);
  EXPECT_LT(Of(b), Of(c));  // its siblings' use counts for it, too
}

TEST_F(FairShares, MoveWithPayersWhenAccountsAreOthers) {
  share.SetUsed(a, 200);
  share.SetUsed(b, 100);
  share.Set(1, b, 0.5, 1'000'000 + 1'000);
  EXPECT_LT(Of(a), Of(b));
  tree.Set({{.name = "b", .namespace_name = "b", .weight = 10}});
  share.Rebuild();
  EXPECT_LT(Of(b), Of(a));
  share.Set(1, b, 0, 0);
  EXPECT_NEAR(share.UsedBy(b), 100, 1e-9);
}

TEST_F(FairShares, OfACycleCountWhoWaitsAsIfTheyHadStarted) {
  share.SetUsed(b, 5);
  share.Charge(a, 0.1, 100);
  EXPECT_LT(Of(b), Of(a));
  share.ClearCharges();
  EXPECT_LT(Of(a), Of(b));
  // A group without end costs as much as one that has always run.
  share.Charge(a, 0.001, matcher::kForever);
  EXPECT_LT(Of(b), Of(a));
}

TEST_F(FairShares, CountWhatIsToComeHoweverLongNobodyLooked) {
  share.SetHalfLife(60);
  share.Set(1, a, 0.5, 1'000'000 + 100);
  share.Set(2, a, 0.25, matcher::kForever);
  share.Advance(1'000'000 + 70 * kDay);
  share.Set(1, a, 0, 0);
  share.Set(2, a, 0, 0);
  share.Advance(1'000'000 + 140 * kDay);
  EXPECT_EQ(Of(a)[0].first, Of(b)[0].first);
  share.Set(3, a, 0.5, 1'000'000 + 141 * kDay);
  EXPECT_LT(Of(b), Of(a));
}

TEST_F(FairShares, OfWhatHasOutlivedItsTimeHideNothingThatIsToCome) {
  share.SetHalfLife(600);
  share.Set(1, a, 0.5, 1'000'000 + 600);
  share.Advance(1'000'000 + 6'000);
  const double late = Of(a)[0].first;
  share.Set(2, a, 0.1, 1'000'000 + 6'600);
  EXPECT_GT(Of(a)[0].first, late);
  share.Set(2, a, 0, 0);
  EXPECT_NEAR(Of(a)[0].first, late, 1e-9);
}

TEST_F(FairShares, OfManyThatCameAndWentAreNothingAlsoMuchLater) {
  share.SetHalfLife(600);
  for (GroupId group = 1; group <= 100; ++group)
    share.Set(group, a, 0.001 * static_cast<double>(group * 3 % 7 + 1),
              1'000'000 + 100);
  for (GroupId group = 1; group <= 100; ++group)
    share.Set(group * 37 % 101, a, 0, 0);
  for (int minute = 1; minute <= 900; ++minute)
    share.Advance(1'000'000 + minute * 60);
  EXPECT_EQ(Of(a)[0].first, Of(b)[0].first);
}

TEST_F(FairShares, OfManyThatCameAndWentAreNothing) {
  for (GroupId group = 1; group <= 10'000; ++group) {
    share.Set(group, a, 0.001 * static_cast<double>(group % 7 + 1),
              1'000'000 + group % 900);
    share.Set(group, a, 0, 0);
  }
  EXPECT_EQ(Of(a)[0].first, Of(b)[0].first);
}

}  // namespace
}  // namespace fluxnetes::workers
