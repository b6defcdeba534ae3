// Elastic groups with the Job controller of Kubernetes, which makes anew what
// is evicted.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

TEST_F(OnKubernetes, ElasticGroupGrowsMakesRoomAndGrowsAgain) {
  std::string train = Gang("train", 4, {.cpu = 2});
  const std::string size = "fluxnetes.group-size: \"4\"";
  ASSERT_NE(train.find(size), std::string::npos) << train;
  train.replace(train.find(size), size.size(),
                "fluxnetes.group-min-size: \"1\", "
                "fluxnetes.group-max-size: \"4\"");
  Submit(train);
  EXPECT_TRUE(Comes([&] { return Bound("train") == 4; }));
  Submit(Gang("other", 2, {.cpu = 2}));
  ASSERT_TRUE(Comes("other", "bound"));
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_TRUE(Comes([&] {
    return Ask("SELECT running || ' ' || waiting FROM elastic_groups") == "2 2";
  })) << Ask("SELECT running || ' ' || waiting FROM elastic_groups");
  EXPECT_TRUE(Comes([&] {
    EndGroup("other");
    return StateOf("other") == "succeeded";
  }));
  EXPECT_TRUE(
      Comes([&] { return Ask("SELECT running FROM elastic_groups") == "4"; }));
}

}  // namespace
}  // namespace fluxnetes::testing
