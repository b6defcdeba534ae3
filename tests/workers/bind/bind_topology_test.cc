#include "workers/bind/bind_topology.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "workers/pods/topology_labels.h"

namespace fluxnetes::workers {
namespace {

constexpr const char* kBlock = "example.com/block";
constexpr const char* kRackLabel = "topology.kubernetes.io/rack";

// Two blocks of two racks of one node each, and what is on them.
class BindTopology : public testing::Test {
 protected:
  BindTopology() {
    PutNode("n0", "r0", "b0");
    PutNode("n1", "r1", "b0");
    PutNode("n2", "r2", "b1");
    PutNode("n3", "r3", "b1");
  }
  template <typename Object>
  void Put(Object object) {
    object.resource_version = std::to_string(++version_);
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::make_shared<const Object>(std::move(object))};
    cache_.Apply({&event, 1});
  }
  void PutNode(const std::string& name, const std::string& rack,
               const std::string& block) {
    cluster::Node node;
    node.name = name;
    node.labels = {{kRackLabel, rack}, {kBlock, block}};
    Put(std::move(node));
  }
  std::string Why(const std::vector<std::string>& nodes,
                  const std::vector<std::string>& there = {}) {
    return WhyNotPlaced(topology_, {nodes, there}, {nodes, there}, cache_);
  }

  cluster::ClusterCache cache_;
  cluster::GroupTopology topology_;
  int version_ = 0;
};

TEST_F(BindTopology, EveryRequiredLevelIsChecked) {
  topology_.required_parts = {{kRackLabel, 1}, {kBlock, 2}};
  EXPECT_EQ(Why({"n0", "n1", "n2", "n3"}), "");
  PutNode("n3", "r3", "b0");
  EXPECT_EQ(Why({"n0", "n1", "n2", "n3"}),
            "there are 3 pods in b0 by now, no multiple of 2, as one value of "
            "the label example.com/block must have");
  PutNode("n3", "r3", "b1");
  topology_.required_parts = {{kRackLabel, 2}, {kBlock, 4}};
  EXPECT_EQ(Why({"n0", "n0", "n1", "n1"}), "");
  PutNode("n1", "r0", "b0");
  EXPECT_EQ(Why({"n0", "n0", "n1", "n1"}), "");
  cluster::Node bare;
  bare.name = "n1";
  Put(std::move(bare));
  EXPECT_EQ(Why({"n0", "n0", "n1", "n1"}),
            "node n1 has no label topology.kubernetes.io/rack");
}

TEST_F(BindTopology, PreferredLevelsAndThoseOfLaterMembersAreNot) {
  topology_.preferred_parts = {{kRackLabel, 2}};
  EXPECT_EQ(Why({"n0", "n1"}), "");
  topology_ = {};
  topology_.required_parts = {{kRackLabel, 2}};
  EXPECT_NE(Why({"n0"}), "");
  EXPECT_EQ(Why({"n0"}, {"n0"}), "");
}

TEST_F(BindTopology, NodeGetsNoMoreMembersThanItsNumber) {
  topology_.per_node = {2, false};
  EXPECT_EQ(Why({"n0", "n0", "n1", "n1"}), "");
  topology_.per_node.at_most = true;
  EXPECT_EQ(Why({"n0", "n1"}, {"n0", "n1"}), "");
  EXPECT_EQ(Why({"n0", "n1"}, {"n1", "n1"}),
            "node n1 would have 3 pods of the group, more than 2");
}

TEST_F(BindTopology, WholeNodeHasNoPodOfAnotherScheduler) {
  cluster::Pod pod;
  pod.uid = "uid-1";
  pod.namespace_name = "default";
  pod.name = "web";
  pod.node_name = "n0";
  pod.scheduler_name = "fluxnetes";
  Put(pod);
  EXPECT_EQ(WhyNotAlone("n0", {}, cache_), "");
  pod.scheduler_name = "default-scheduler";
  pod.controller = cluster::Owner{"DaemonSet", "logs", "uid-of-logs"};
  Put(pod);
  EXPECT_EQ(WhyNotAlone("n0", {}, cache_), "");
  pod.controller.reset();
  Put(pod);
  EXPECT_EQ(WhyNotAlone("n0", {}, cache_),
            "node n0 got pod default/web meanwhile, and the group must have it "
            "for itself");
  EXPECT_EQ(WhyNotAlone("n1", {}, cache_), "");
}

}  // namespace
}  // namespace fluxnetes::workers
