#include "workers/decision/accounts.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

class Accounts : public ::testing::Test {
 protected:
  // "team/a" for the path of a payer.
  std::string PathOf(const Payer& payer) {
    std::string text;
    for (const AccountId account : tree.PathOf(tree.Intern(payer)))
      text += (text.empty() ? "" : "/") + tree.at(account).name;
    return text;
  }

  AccountTree tree;
};

TEST_F(Accounts, AreThoseOfNamespacesWhereNobodySaysOtherwise) {
  EXPECT_FALSE(tree.HasAccounts());
  EXPECT_EQ(PathOf({"default", "a", ""}), "a");
  EXPECT_EQ(PathOf({"batch", "a", "x"}), "a");
  EXPECT_EQ(PathOf({"default", "b", ""}), "b");
  EXPECT_EQ(tree.size(), 2U);
}

TEST_F(Accounts, AreFoundByWhatNamesAGroupMostClosely) {
  tree.Set({{.name = "all"},
            {.name = "batch", .parent = "all", .queue = "batch"},
            {.name = "team", .parent = "batch", .namespace_name = "a"},
            {.name = "team-batch",
             .parent = "team",
             .namespace_name = "a",
             .queue = "batch"},
            {.name = "thesis", .parent = "team", .label = "thesis"}});
  EXPECT_TRUE(tree.HasAccounts());
  EXPECT_EQ(PathOf({"default", "b", ""}), "b");
  EXPECT_EQ(PathOf({"batch", "b", ""}), "all/batch/b");
  EXPECT_EQ(PathOf({"default", "a", ""}), "all/batch/team");
  EXPECT_EQ(PathOf({"batch", "a", ""}), "all/batch/team/team-batch");
  EXPECT_EQ(PathOf({"batch", "a", "thesis"}), "all/batch/team/thesis");
}

TEST_F(Accounts, ThatWantBothALabelAndANamespaceGetNoOtherGroups) {
  tree.Set({{.name = "x", .label = "x", .namespace_name = "a"}});
  EXPECT_EQ(PathOf({"default", "a", "x"}), "x");
  EXPECT_EQ(PathOf({"default", "b", "x"}), "b");
}

TEST_F(Accounts, InACircleOrWithoutAParentAreBelowTheRoot) {
  tree.Set({{.name = "a", .parent = "b", .namespace_name = "a"},
            {.name = "b", .parent = "c", .namespace_name = "b"},
            {.name = "c", .parent = "b", .namespace_name = "c"},
            {.name = "own", .parent = "own", .namespace_name = "own"},
            {.name = "lost", .parent = "gone", .namespace_name = "lost"}});
  EXPECT_EQ(PathOf({"q", "own", ""}), "own");
  EXPECT_EQ(PathOf({"q", "lost", ""}), "lost");
  EXPECT_EQ(PathOf({"q", "b", ""}), "b");
  EXPECT_EQ(PathOf({"q", "c", ""}), "b/c");
  EXPECT_EQ(PathOf({"q", "a", ""}), "b/a");
}

TEST_F(Accounts, ThatAreSetAnewKeepNothingOfThoseBefore) {
  tree.Set({{.name = "x", .namespace_name = "a"}});
  EXPECT_EQ(PathOf({"q", "a", ""}), "x");
  tree.Set({{.name = "y"}, {.name = "z", .parent = "y", .queue = "q"}});
  EXPECT_EQ(PathOf({"q", "a", ""}), "y/z/a");
  tree.Set({});
  EXPECT_EQ(PathOf({"q", "a", ""}), "a");
}

}  // namespace
}  // namespace fluxnetes::workers
