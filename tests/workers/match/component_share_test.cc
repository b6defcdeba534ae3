#include "workers/match/component_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace fluxnetes::workers {
namespace {

TEST(ComponentShare, OneReplicaTakesAll) {
  EXPECT_EQ(ShareOf(7, {7}, {kFree, kFree}), (Share{{0, 1}, {}}));
}

TEST(ComponentShare, WhatIsFreeGoesToWhoOwnsLeast) {
  EXPECT_EQ(ShareOf(8, {7, 8}, {7, kFree, kFree}), (Share{{1}, {}}));
  EXPECT_EQ(ShareOf(7, {7, 8}, {7, kFree, kFree}), (Share{{2}, {}}));
}

TEST(ComponentShare, NewcomerIsGivenItsShareOneByOne) {
  EXPECT_EQ(ShareOf(7, {7, 8}, {7, 7, 7}), (Share{{}, {2}}));
  EXPECT_EQ(ShareOf(7, {7, 8}, {7, 7, 8}), (Share{}));
}

TEST(ComponentShare, WhatIsHandedOverIsNobodysYet) {
  EXPECT_EQ(ShareOf(7, {7, 8}, {kUnderWay, kUnderWay}), (Share{}));
}

TEST(ComponentShare, WhoIsNotAmongTheReplicasTakesNothing) {
  EXPECT_EQ(ShareOf(9, {7, 8}, {kFree}), (Share{}));
}

// Replicas that act by the same rows at once take nothing twice, and soon all
// components are owned and no replica owns two more than another.
TEST(ComponentShare, AllActingByTheSameRowsComeToRestEvenly) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::int64_t> replicas;
    for (std::int64_t id = 1; id <= 6; ++id)
      if (random() % 2 == 0) replicas.push_back(id);
    if (replicas.empty()) continue;
    std::vector<std::int64_t> owners(random() % 9);
    for (auto& owner : owners) {
      const std::size_t any = random() % (replicas.size() + 1);
      owner = any == 0 ? kFree : replicas[any - 1];
    }
    for (int step = 0; step < 20; ++step) {
      const auto rows = owners;
      for (const std::int64_t replica : replicas) {
        const Share share = ShareOf(replica, replicas, rows);
        for (const std::size_t i : share.take) {
          ASSERT_EQ(owners[i], kFree);
          owners[i] = replica;
        }
        for (const std::size_t i : share.leave) {
          ASSERT_EQ(rows[i], replica);
          owners[i] = kFree;
        }
      }
    }
    std::map<std::int64_t, int> owned;
    for (const std::int64_t replica : replicas) owned[replica] = 0;
    for (const std::int64_t owner : owners) ++owned[owner];
    EXPECT_FALSE(owned.contains(kFree));
    const auto [least, most] = std::minmax_element(
        owned.begin(), owned.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    EXPECT_LE(most->second - least->second, 1);
  }
}

}  // namespace
}  // namespace fluxnetes::workers
