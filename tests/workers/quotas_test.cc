#include "workers/quotas.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

class QuotasTest : public ::testing::Test {
 protected:
  void Set(std::vector<Account> accounts) {
    tree.Set(std::move(accounts));
    quotas.Rebuild([](const std::string& name) -> std::size_t {
      return name == "cpu" ? 0 : 1;
    });
    quotas.BeginCycle();
  }

  // The account that refuses; empty: none.
  std::string Refuses(PayerId payer, const Amounts& amounts,
                      matcher::Time duration = 100) const {
    const auto refusal = quotas.Refuses(payer, amounts, 10, duration);
    if (!refusal) return "";
    return tree.at(refusal->account).name + (refusal->behind ? " behind" : "");
  }
  void Wait(PayerId payer, const Amounts& amounts) {
    quotas.Wait(payer, *quotas.Refuses(payer, amounts, 10, 100), amounts, 10);
  }

  AccountTree tree;
  Quotas quotas{tree};
  PayerId a = tree.Intern({"q", "a", ""});
  PayerId b = tree.Intern({"q", "b", ""});
};

TEST_F(QuotasTest, AreNoMatterWithoutAny) {
  Set({{.name = "a", .namespace_name = "a"}});
  EXPECT_FALSE(quotas.HasAny());
  EXPECT_EQ(Refuses(a, {1'000'000}), "");
}

TEST_F(QuotasTest, LimitWhatIsHeldAtOneTimeByResource) {
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 10}}}});
  EXPECT_EQ(Refuses(a, {10, 1'000}), "");
  EXPECT_EQ(Refuses(a, {11}), "a");
  EXPECT_EQ(Refuses(b, {11}), "");
  quotas.Set(1, {a, {6, 5}, 50});
  EXPECT_EQ(Refuses(a, {4}), "");
  EXPECT_EQ(Refuses(a, {5}), "a");
  EXPECT_EQ(Refuses(a, {0, 5}), "");  // needs none of it
  quotas.Set(1, {a, {3}, 50});        // gave some back
  EXPECT_EQ(Refuses(a, {7}), "");
  quotas.Set(1, {a, {}, 0});
  EXPECT_EQ(Refuses(a, {10}), "");
}

TEST_F(QuotasTest, CountWhatIsHeldElsewhere) {
  Set({{.name = "a",
        .namespace_name = "a",
        .quota = {{"cpu", 10}},
        .borrows = true},
       {.name = "b", .namespace_name = "b", .quota = {{"cpu", 5}}}});
  const PayerId there = tree.Intern({"other", "b", ""});
  quotas.Set(1, {b, {2}, 50});
  quotas.SetElsewhere({{there, {2}}});
  EXPECT_EQ(Refuses(b, {1}), "");
  EXPECT_EQ(Refuses(b, {2}), "b");
  EXPECT_EQ(quotas.Refuses(b, {2}, 10, 100)->used, 4);
  quotas.SetElsewhere({{there, {1}}});
  EXPECT_EQ(Refuses(b, {2}), "");
  quotas.SetElsewhere({});
  EXPECT_EQ(Refuses(b, {3}), "");
  // Who holds all of its own elsewhere borrows with all that it has here.
  quotas.SetElsewhere({{tree.Intern({"other", "a", ""}), {10}}});
  EXPECT_TRUE(quotas.Borrows(a, {1}));
  quotas.Set(2, {a, {1}, 50, 5});
  EXPECT_EQ(quotas.LentFrom(b, {1}), std::set<GroupId>{2});
}

TEST_F(QuotasTest, SayOfWhomWhatIsHeldHasMoved) {
  EXPECT_EQ(quotas.TakeMoved(), std::set<PayerId>{});
  quotas.Set(1, {a, {2, 1}, 50});
  quotas.Set(2, {a, {3}, 50});
  EXPECT_EQ(quotas.TakeMoved(), std::set<PayerId>{a});
  EXPECT_EQ(quotas.TakeMoved(), std::set<PayerId>{});
  EXPECT_EQ(quotas.HeldBy(a), (Amounts{5, 1}));
  quotas.Set(1, {b, {2, 1}, 50});
  EXPECT_EQ(quotas.TakeMoved(), (std::set<PayerId>{a, b}));
  EXPECT_EQ(quotas.HeldBy(a), (Amounts{3, 0}));
  EXPECT_EQ(quotas.HeldBy(b), (Amounts{2, 1}));
}

TEST_F(QuotasTest, HoldForAllAccountsAbove) {
  Set({{.name = "all", .quota = {{"cpu", 15}}},
       {.name = "a",
        .parent = "all",
        .namespace_name = "a",
        .quota = {{"cpu", 10}}},
       {.name = "b",
        .parent = "all",
        .namespace_name = "b",
        .quota = {{"cpu", 10}}}});
  quotas.Set(1, {a, {10}, 50});
  EXPECT_EQ(Refuses(b, {5}), "");
  EXPECT_EQ(Refuses(b, {6}), "all");
  EXPECT_EQ(Refuses(b, {11}), "b");
}

TEST_F(QuotasTest, ThatBorrowTakeWhatTheParentHasLeft) {
  Set({{.name = "all", .quota = {{"cpu", 20}}},
       {.name = "a",
        .parent = "all",
        .namespace_name = "a",
        .quota = {{"cpu", 10}},
        .borrows = true},
       {.name = "b",
        .parent = "all",
        .namespace_name = "b",
        .quota = {{"cpu", 10}}}});
  quotas.Set(1, {a, {8}, 50});
  EXPECT_FALSE(quotas.Borrows(a, {2}));
  EXPECT_TRUE(quotas.Borrows(a, {3}));
  EXPECT_FALSE(quotas.Borrows(b, {10}));
  EXPECT_EQ(Refuses(a, {12}), "");
  quotas.Set(2, {a, {8}, 200});
  EXPECT_EQ(Refuses(a, {5}), "all");
  // Whose own it is waits for it: at 50 there are 2 beside it.
  EXPECT_EQ(Refuses(b, {10}), "all");
  Wait(b, {10});
  EXPECT_EQ(Refuses(a, {2}), "");
  EXPECT_EQ(Refuses(a, {3}), "all behind");
  EXPECT_EQ(Refuses(a, {3}, 40), "");
}

TEST_F(QuotasTest, ThatOneWaitsForLetPassWhoLeavesEnough) {
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 10}}}});
  quotas.Set(1, {a, {4}, 50});
  quotas.Set(2, {a, {2}, 80});
  Wait(a, {5});  // at 50: then 8 are free, 3 beside it
  EXPECT_EQ(Refuses(a, {3}), "");
  EXPECT_EQ(Refuses(a, {4}), "a behind");
  EXPECT_EQ(Refuses(a, {4}, 40), "");
  quotas.Set(3, {a, {2}, 110});
  quotas.Take(a, {2}, 110);
  EXPECT_EQ(Refuses(a, {1}), "");
  EXPECT_EQ(Refuses(a, {2}), "a behind");
  quotas.BeginCycle();
  EXPECT_EQ(Refuses(a, {2}), "");
}

TEST_F(QuotasTest, ThatNobodyCanSayWhenTheyComeFreeAreKept) {
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 10}}}});
  quotas.Set(1, {a, {6}, matcher::kForever});
  Wait(a, {5});
  EXPECT_EQ(Refuses(a, {1}, 1), "a behind");
  EXPECT_EQ(Refuses(b, {1}, 1), "");
}

// They are out of the way, as what no node could hold is.
TEST_F(QuotasTest, ThatCanNeverBeEnoughAreNotKept) {
  Set({{.name = "all", .quota = {{"cpu", 10}}},
       {.name = "a",
        .parent = "all",
        .namespace_name = "a",
        .quota = {{"cpu", 8}},
        .borrows = true},
       {.name = "b",
        .parent = "all",
        .namespace_name = "b",
        .quota = {{"cpu", 4}}}});
  quotas.Set(1, {b, {3}, 50});
  Wait(a, {11});
  EXPECT_EQ(Refuses(a, {1}), "");
  Wait(b, {5});
  EXPECT_EQ(Refuses(b, {1}), "");
  Wait(a, {8});
  EXPECT_EQ(Refuses(a, {1}), "a behind");
}

TEST_F(QuotasTest, CountWhatIsPromised) {
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 10}}}});
  quotas.Claim(a, {7});
  EXPECT_EQ(Refuses(a, {3}), "");
  EXPECT_EQ(Refuses(a, {4}, 1), "a");
}

TEST_F(QuotasTest, FollowGroupsToOtherAccounts) {
  Set({});
  quotas.Set(1, {a, {6}, 50});
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 10}}}});
  EXPECT_EQ(Refuses(a, {5}), "a");
  Set({{.name = "both", .quota = {{"cpu", 7}}},
       {.name = "a", .parent = "both", .namespace_name = "a"},
       {.name = "b", .parent = "both", .namespace_name = "b"}});
  EXPECT_EQ(Refuses(b, {2}), "both");
  quotas.Set(1, {a, {}, 0});
  EXPECT_EQ(Refuses(b, {7}), "");
}

TEST_F(QuotasTest, OfNothingLetNothingStart) {
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 0}}}});
  EXPECT_EQ(Refuses(a, {1}), "a");
  EXPECT_EQ(Refuses(a, {0, 1}), "");
}

}  // namespace
}  // namespace fluxnetes::workers
