#include "workers/pools/pool_labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

cluster::Pod Labelled(const cluster::LabelMap& labels) {
  cluster::Pod pod;
  pod.labels = labels;
  return pod;
}

TEST(PoolLabels, SayHowMuchOfEachPoolTheGroupNeeds) {
  const PoolLabels read =
      ReadPoolLabels(Labelled({{"fluxnetes.pool/matlab", "3"},
                               {"fluxnetes.pool/disk", "12"},
                               {"a", "b"}}));
  EXPECT_EQ(read.refused, "");
  EXPECT_EQ(read.pools, (cluster::PoolAmounts{{"disk", 12}, {"matlab", 3}}));
  EXPECT_TRUE(ReadPoolLabels({}).pools.empty());
}

TEST(PoolLabels, WhatIsNoAmountIsRefused) {
  for (const char* wrong : {"", "0", "-1", "1.5", "3 ", "many", "1Gi",
                            "1000000000000001", "99999999999999999999"}) {
    const PoolLabels read =
        ReadPoolLabels(Labelled({{"fluxnetes.pool/matlab", wrong}}));
    EXPECT_THAT(read.refused, HasSubstr("label fluxnetes.pool/matlab is"));
    EXPECT_THAT(read.refused, HasSubstr("it must be a whole number from 1 to"));
    EXPECT_TRUE(read.pools.empty());
  }
}

TEST(PoolLabels, AnAnnotationIsRefused) {
  cluster::Pod pod;
  pod.annotations["fluxnetes.pool/matlab"] = "3";
  EXPECT_THAT(
      ReadPoolLabels(pod).refused,
      HasSubstr("as an annotation it says nothing; it must be a label"));
}

}  // namespace
}  // namespace fluxnetes::workers
