#include "matcher/nodes/fit_limits.h"

#include <gtest/gtest.h>

#include <random>

namespace fluxnetes::matcher {
namespace {

// Nodes with amounts of two resources in the columns of kNow.
class FitLimitsTest : public ::testing::Test {
 protected:
  explicit FitLimitsTest(int nodes = 130) {
    for (Columns& columns : columns_)
      columns.assign(2, std::vector<std::int64_t>(nodes, kClosed));
    for (NodeIndex node = 0; node < nodes; ++node) orders_.Add(node, -node);
  }

  void Set(NodeIndex node, std::int64_t first, std::int64_t second) {
    Columns& now = columns_[static_cast<int>(View::kNow)];
    now[0][node] = first;
    now[1][node] = second;
    limits_.Changed(View::kNow, node);
  }

  bool Reaches(const std::vector<Need>& needs, int tasks,
               const NodeSet* eligible = nullptr,
               const NodeBits* allowed = nullptr) {
    return limits_.Of(View::kNow, needs).Reaches(tasks, eligible, allowed);
  }

  std::array<Columns, 3> columns_;
  NodeOrders orders_;
  FitLimits limits_{columns_, orders_};
};

const std::vector<Need> kBoth = {{0, 2}, {1, 3}};

TEST_F(FitLimitsTest, TasksAreCountedByWhatIsScarcest) {
  Set(3, 10, 7);    // two, by the second resource
  Set(100, 2, 90);  // one, by the first resource
  Set(101, 1, 90);  // none
  EXPECT_TRUE(Reaches(kBoth, 3));
  EXPECT_FALSE(Reaches(kBoth, 4));
}

TEST_F(FitLimitsTest, ChangesCountOnceTheyAreAskedFor) {
  Set(3, 10, 7);
  EXPECT_TRUE(Reaches(kBoth, 2));
  Set(3, 10, 2);
  Set(4, 2, 3);
  EXPECT_TRUE(Reaches(kBoth, 1));
  EXPECT_FALSE(Reaches(kBoth, 2));
}

TEST_F(FitLimitsTest, OnlyNodesThatTheTasksMayUseCount) {
  Set(3, 4, 6);
  Set(100, 4, 6);
  NodeSet eligible;
  eligible.Insert(3);
  EXPECT_TRUE(Reaches(kBoth, 2, &eligible));
  EXPECT_FALSE(Reaches(kBoth, 3, &eligible));
  NodeBits allowed;
  allowed.Set(100, true, orders_);
  EXPECT_TRUE(Reaches(kBoth, 2, nullptr, &allowed));
  EXPECT_FALSE(Reaches(kBoth, 1, &eligible, &allowed));
}

TEST_F(FitLimitsTest, ANodeMayHoldMoreTasksThanCanBeCounted) {
  Set(3, 1'000, 0);
  EXPECT_TRUE(Reaches({{0, 1}}, 1'000));
}

TEST_F(FitLimitsTest, WhoHasMissedManyChangesLooksAtAllNodes) {
  Set(3, 4, 6);
  EXPECT_FALSE(Reaches(kBoth, 3));
  Set(4, 2, 3);
  for (int i = 0; i < 10'000; ++i) Set(5, 1, 1);
  EXPECT_TRUE(Reaches(kBoth, 3));
  EXPECT_FALSE(Reaches(kBoth, 4));
}

TEST_F(FitLimitsTest, LimitsAreThoseOfTheColumnsWhateverHappened) {
  std::mt19937 random(1);
  const std::vector<std::vector<Need>> all = {{{0, 2}}, {{1, 3}}, kBoth};
  for (int step = 0; step < 2'000; ++step) {
    Set(static_cast<NodeIndex>(random() % 130),
        static_cast<std::int64_t>(random() % 12),
        static_cast<std::int64_t>(random() % 12));
    const auto& needs = all[random() % all.size()];
    FitLimits::Entry& entry = limits_.Of(View::kNow, needs);
    const std::uint64_t* by_id = entry.room.At(true, orders_);
    for (NodeIndex node = 0; node < 130; ++node) {
      std::int64_t most = 255;
      for (const Need& need : needs) {
        const std::int64_t free =
            columns_[static_cast<int>(View::kNow)][need.resource][node];
        most = std::min(most, std::max<std::int64_t>(free, 0) / need.amount);
      }
      ASSERT_EQ(entry.most[node], most);
      ASSERT_EQ(entry.room.Contains(node), most > 0);
      const int place = 129 - node;  // by id
      ASSERT_EQ(by_id != nullptr && (by_id[place / 64] >> (place % 64) & 1),
                most > 0);
    }
  }
}

}  // namespace
}  // namespace fluxnetes::matcher
