#include "workers/accounts/quotas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

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
  quotas.Set(1, {a, {3}, 50});        // it has released some
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
  // An account that uses all of its quota elsewhere borrows all that it uses
  // here.
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
  // A group within its own quota waits for it: at 50 there are 2 besides.
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
  Wait(a, {5});  // 8 are free at 50, 3 besides
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

// Such groups do not block others, like groups that no node can hold.
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

// LentFrom(), LeftBy() and StaysWithinBy() computed group by group.
class PlainQuotas {
 public:
  using Path = AccountTree::Path;
  PlainQuotas(AccountTree& tree, std::map<GroupId, Quotas::Holding>& running)
      : tree_(tree), running_(running) {}

  std::optional<std::int64_t> Limit(AccountId account, std::size_t r) const {
    const auto& quota = tree_.at(account).quota;
    const auto found = quota.find(r == 0 ? "cpu" : "gpu");
    if (found == quota.end()) return std::nullopt;
    return found->second;
  }

  std::set<GroupId> LentFrom(PayerId payer, const Amounts& wanted) {
    std::vector<std::tuple<matcher::Time, GroupId>> in_order;
    for (const auto& [id, group] : running_)
      if (!group.leaves) in_order.emplace_back(group.start, id);
    std::sort(in_order.begin(), in_order.end());
    std::map<AccountId, Amounts> held;
    std::set<GroupId> lent;
    for (const auto& [start, id] : in_order) {
      const Quotas::Holding& group = running_.at(id);
      for (const AccountId account : tree_.PathOf(group.payer)) {
        held[account].resize(2);
        for (int r = 0; r < 2; ++r) held[account][r] += group.amounts[r];
      }
      for (std::size_t r = 0; r < 2; ++r)
        if (wanted[r] > 0 && group.amounts[r] > 0 &&
            IsBeyond(tree_.PathOf(payer), tree_.PathOf(group.payer), r, held))
          lent.insert(id);
    }
    return lent;
  }

  bool StaysWithinBy(PayerId payer, const Amounts& wanted, matcher::Time now,
                     matcher::Time by) {
    const Path path = tree_.PathOf(payer);
    return std::all_of(path.begin(), path.end(), [&](AccountId account) {
      Amounts held(2);
      for (const auto& [id, group] : running_) {
        const Path theirs = tree_.PathOf(group.payer);
        if (group.leaves || (group.end > now && group.end <= by) ||
            std::find(theirs.begin(), theirs.end(), account) == theirs.end())
          continue;
        for (int r = 0; r < 2; ++r) held[r] += group.amounts[r];
      }
      for (std::size_t r = 0; r < 2; ++r) {
        const auto limit = Limit(account, r);
        if (wanted[r] > 0 && limit && held[r] + wanted[r] > *limit)
          return false;
      }
      return true;
    });
  }

  std::optional<matcher::Time> LeftBy(PayerId payer) {
    std::optional<matcher::Time> last;
    for (const auto& [id, group] : running_) {
      if (group.leaves &&
          tree_.PathOf(group.payer).front() == tree_.PathOf(payer).front())
        last = std::max(last.value_or(0), group.end);
    }
    return last;
  }

 private:
  bool IsBeyond(Path owner, Path borrower, std::size_t r,
                const std::map<AccountId, Amounts>& held) const {
    while (!owner.empty() && !borrower.empty() && owner[0] == borrower[0]) {
      owner.erase(owner.begin());
      borrower.erase(borrower.begin());
    }
    const auto limits_it = [&](AccountId each) { return !!Limit(each, r); };
    const auto first =
        std::find_if(borrower.begin(), borrower.end(), limits_it);
    return std::any_of(owner.begin(), owner.end(), limits_it) &&
           first != borrower.end() && tree_.at(*first).borrows &&
           held.at(*first)[r] > *Limit(*first, r);
  }

  AccountTree& tree_;
  std::map<GroupId, Quotas::Holding>& running_;
};

TEST_F(QuotasTest, KeepUpWithWhatRunsAsIfTheyCountedItAnew) {
  std::mt19937 random(1);
  const auto below = [&](int most) {
    return static_cast<int>(random() % most);
  };
  std::map<GroupId, Quotas::Holding> running;
  PlainQuotas plain(tree, running);
  std::vector<PayerId> payers;
  for (const char* name : {"a", "b", "c", "d", "e"})
    payers.push_back(tree.Intern({"q", name, ""}));
  int lent = 0, within = 0, leave = 0;
  for (int step = 0; step < 6'000; ++step) {
    if (step % 500 == 0) {
      std::vector<Account> accounts{{.name = "all", .quota = {{"cpu", 60}}},
                                    {.name = "mid", .parent = "all"}};
      for (const char* name : {"a", "b", "c", "d"}) {
        Account account{.name = name, .parent = below(2) ? "all" : "mid"};
        account.namespace_name = name;
        account.borrows = below(3) > 0;
        if (below(4)) account.quota["cpu"] = below(15);
        if (below(2)) account.quota["gpu"] = below(8);
        accounts.push_back(account);
      }
      if (below(2)) accounts[1].quota["cpu"] = 20;
      accounts[1].borrows = below(2);
      Set(accounts);
    }
    const GroupId group = 1 + below(20);
    Quotas::Holding holding{payers[below(5)],
                            {below(9), below(4)},
                            10 + below(40),
                            below(10),
                            below(6) == 0};
    if (below(3) == 0) {
      running.erase(group);
      holding.amounts.clear();
    } else {
      running[group] = holding;
    }
    quotas.Set(group, holding);
    const PayerId payer = payers[below(5)];
    const Amounts wanted{below(6), below(3)};
    const auto by = 10 + below(40);
    const auto from = plain.LentFrom(payer, wanted);
    ASSERT_EQ(quotas.LentFrom(payer, wanted), from) << step;
    ASSERT_EQ(quotas.LeftBy(payer), plain.LeftBy(payer)) << step;
    const bool stays = plain.StaysWithinBy(payer, wanted, 10, by);
    ASSERT_EQ(quotas.StaysWithinBy(payer, wanted, 10, by), stays) << step;
    lent += from.empty() ? 0 : 1;
    within += stays ? 1 : 0;
    leave += quotas.LeftBy(payer) ? 1 : 0;
  }
  // All cases have occurred.
  EXPECT_GT(lent, 500);
  EXPECT_GT(within, 500);
  EXPECT_LT(within, 5'500);
  EXPECT_GT(leave, 500);
}

TEST_F(QuotasTest, OfNothingLetNothingStart) {
  Set({{.name = "a", .namespace_name = "a", .quota = {{"cpu", 0}}}});
  EXPECT_EQ(Refuses(a, {1}), "a");
  EXPECT_EQ(Refuses(a, {0, 1}), "");
}

}  // namespace
}  // namespace fluxnetes::workers
