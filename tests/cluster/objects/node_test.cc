#include "cluster/objects/node.h"

#include <gtest/gtest.h>

namespace fluxnetes::cluster {
namespace {

Node TestNode() {
  Node node;
  node.name = "n1";
  node.labels = {{"zone", "a"}, {"cores", "16"}};
  return node;
}

PodRequest Requires(NodeRequirement requirement) {
  PodRequest request;
  request.node_affinity = {{std::move(requirement)}};
  return request;
}

bool Tolerates(Taint taint, std::vector<Toleration> tolerations) {
  Node node = TestNode();
  node.taints = {std::move(taint)};
  PodRequest request;
  request.tolerations = std::move(tolerations);
  return Admits(node, request);
}

TEST(Node, TakesNoNewPodsWhenCordonedOrNotReady) {
  Node node = TestNode();
  EXPECT_EQ(WhyClosed(node), "");
  node.unschedulable = true;
  EXPECT_EQ(WhyClosed(node), "cordoned");
  node.ready = false;
  EXPECT_EQ(WhyClosed(node), "not ready");
}

TEST(Node, EveryLabelOfASelectorMustBeThere) {
  EXPECT_TRUE(Selects({}, TestNode()));
  EXPECT_TRUE(Selects({{"zone", "a"}, {"cores", "16"}}, TestNode()));
  EXPECT_FALSE(Selects({{"zone", "a"}, {"gpu", "yes"}}, TestNode()));
  PodRequest request;
  request.node_selector = {{"zone", "b"}};
  EXPECT_FALSE(Admits(TestNode(), request));
}

TEST(Node, AffinityOperatorsMeanWhatKubernetesSays) {
  const Node node = TestNode();
  EXPECT_TRUE(Admits(node, Requires({"zone", "In", {"b", "a"}})));
  EXPECT_FALSE(Admits(node, Requires({"zone", "In", {"b"}})));
  EXPECT_FALSE(Admits(node, Requires({"rack", "In", {"b"}})));
  EXPECT_TRUE(Admits(node, Requires({"rack", "NotIn", {"b"}})));
  EXPECT_FALSE(Admits(node, Requires({"zone", "NotIn", {"a"}})));
  EXPECT_TRUE(Admits(node, Requires({"zone", "Exists", {}})));
  EXPECT_FALSE(Admits(node, Requires({"zone", "DoesNotExist", {}})));
  EXPECT_TRUE(Admits(node, Requires({"rack", "DoesNotExist", {}})));
  EXPECT_TRUE(Admits(node, Requires({"cores", "Gt", {"8"}})));
  EXPECT_FALSE(Admits(node, Requires({"cores", "Gt", {"16"}})));
  EXPECT_TRUE(Admits(node, Requires({"cores", "Lt", {"17"}})));
  EXPECT_FALSE(Admits(node, Requires({"zone", "Gt", {"8"}})));
  EXPECT_FALSE(Admits(node, Requires({"cores", "Gt", {}})));
  EXPECT_FALSE(Admits(node, Requires({"zone", "Perhaps", {"a"}})));
}

TEST(Node, AffinityMayNameTheNodeItself) {
  EXPECT_TRUE(
      Admits(TestNode(), Requires({"metadata.name", "In", {"n1"}, true})));
  EXPECT_FALSE(
      Admits(TestNode(), Requires({"metadata.name", "NotIn", {"n1"}, true})));
  EXPECT_FALSE(Admits(TestNode(), Requires({"zone", "In", {"a"}, true})));
}

TEST(Node, OneTermMustHoldInWhole) {
  PodRequest request;
  request.node_affinity = {{{"zone", "In", {"a"}}, {"rack", "Exists", {}}},
                           {{"cores", "Exists", {}}, {"zone", "Exists", {}}}};
  EXPECT_TRUE(Admits(TestNode(), request));
  request.node_affinity.pop_back();
  EXPECT_FALSE(Admits(TestNode(), request));
}

TEST(Node, EmptyAffinityTermSelectsNothing) {
  PodRequest request;
  request.node_affinity = {{}};
  EXPECT_FALSE(Admits(TestNode(), request));
}

TEST(Node, TaintsKeepPodsAwayUnlessTolerated) {
  const Taint taint{"team", "red", "NoSchedule"};
  EXPECT_FALSE(Tolerates(taint, {}));
  EXPECT_TRUE(Tolerates(taint, {{"team", false, "red", "NoSchedule"}}));
  EXPECT_TRUE(Tolerates(taint, {{"team", false, "red", ""}}));
  EXPECT_TRUE(Tolerates(taint, {{"team", true, "", ""}}));
  EXPECT_TRUE(Tolerates(taint, {{"", true, "", ""}}));
  EXPECT_FALSE(Tolerates(taint, {{"team", false, "blue", ""}}));
  EXPECT_FALSE(Tolerates(taint, {{"team", true, "", "NoExecute"}}));
  EXPECT_FALSE(Tolerates(taint, {{"other", true, "", ""}}));
  EXPECT_FALSE(Tolerates({"team", "red", "NoExecute"}, {}));
}

TEST(Node, PreferNoScheduleNeverExcludes) {
  EXPECT_TRUE(Tolerates({"team", "red", "PreferNoSchedule"}, {}));
}

}  // namespace
}  // namespace fluxnetes::cluster
