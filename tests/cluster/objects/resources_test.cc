#include "cluster/objects/resources.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace fluxnetes::cluster {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

Resources Of(std::int64_t cpu, std::int64_t memory, std::int64_t gpus = 0) {
  Resources resources{.cpu_milli = cpu, .memory_bytes = memory};
  resources.SetExtended("nvidia.com/gpu", gpus);
  return resources;
}

TEST(Resources, SumsAndDifferencesAreTakenInEveryResource) {
  Resources sum = Of(1000, 10, 1);
  sum += Of(500, 5, 2);
  EXPECT_EQ(sum, Of(1500, 15, 3));
  sum -= Of(500, 5, 3);
  EXPECT_EQ(sum, Of(1000, 10));
  EXPECT_TRUE(sum.extended.empty());
}

TEST(Resources, OverflowThrowsAndChangesNothing) {
  Resources sum = Of(1, kMost);
  EXPECT_THROW(sum += Of(1, 1), std::overflow_error);
  EXPECT_EQ(sum, Of(1, kMost));
  Resources difference = Of(1, -2);
  EXPECT_THROW(difference -= Of(1, kMost), std::overflow_error);
  EXPECT_EQ(difference, Of(1, -2));
}

TEST(Resources, ExtendedOnesAreKeptInOrderWithoutZeros) {
  Resources a;
  a.SetExtended("b", 2);
  a.SetExtended("a", 1);
  a.SetExtended("c", 3);
  a.SetExtended("b", 0);
  ASSERT_EQ(a.extended.size(), 2U);
  EXPECT_EQ(a.extended[0].first, "a");
  EXPECT_EQ(a.extended[1].first, "c");
  EXPECT_EQ(a.Extended("b"), 0);
}

TEST(Resources, HoldOnlyWhatFitsInEveryResource) {
  const Resources node = Of(1000, 100, 2);
  EXPECT_TRUE(node.Holds(Of(1000, 100, 2)));
  EXPECT_TRUE(node.Holds({}));
  EXPECT_FALSE(node.Holds(Of(1001, 0)));
  EXPECT_FALSE(node.Holds(Of(0, 101)));
  EXPECT_FALSE(node.Holds(Of(0, 0, 3)));
  EXPECT_FALSE(node.Holds({.ephemeral_bytes = 1}));
  EXPECT_FALSE(node.Holds({.pods = 1}));
  EXPECT_FALSE(Of(1000, 100).Holds(Of(1, 1, 1)));
}

TEST(Resources, MaximumIsTakenPerResource) {
  EXPECT_EQ(Maximum(Of(1, 20), Of(2, 10, 1)), Of(2, 20, 1));
}

TEST(Resources, SumOverItsBoundIsAllThatThereIs) {
  Resources sum = Of(1, kMost, 1);
  AddUpTo(Of(7, 100, 8), sum, Of(2, 1));
  EXPECT_EQ(sum, Of(7, kMost, 8));
  AddUpTo(Of(7, 100, 8), sum, Of(2, 0));
  EXPECT_EQ(sum, Of(9, kMost, 8));
}

TEST(Resources, AreWrittenForPeople) {
  EXPECT_EQ(Format(Of(2000, 4LL << 30, 1)), "2 cpu, 4Gi, 1 nvidia.com/gpu");
  EXPECT_EQ(Format({.cpu_milli = 250, .ephemeral_bytes = 1024, .pods = 110}),
            "250m cpu, 1Ki of ephemeral storage, 110 pods");
  EXPECT_EQ(Format({.pods = 1}), "nothing");
}

}  // namespace
}  // namespace fluxnetes::cluster
