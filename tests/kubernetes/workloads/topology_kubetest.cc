// Gangs that are to be in one rack or zone of a real cluster: two racks of two
// nodes each.
#include <set>

#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kRack = "topology.kubernetes.io/rack";
constexpr const char* kZone = "topology.kubernetes.io/zone";

class TopologyOnKubernetes : public OnKubernetes {
 protected:
  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped()) return;
    AddNodes({Node(2), Node(3)});
    for (int i = 0; i < 4; ++i) PutInRack(i, i < 2 ? "a" : "b");
    ASSERT_TRUE(HearsOfRacks("aabb"));
  }

  void PutInRack(int node, const std::string& rack) {
    const Json labels = {{kRack, home_ + rack}, {kZone, home_}};
    Patch("nodes/" + Node(node), {{"metadata", {{"labels", labels}}}});
  }
  // The scheduler has heard of the rack of each node.
  bool HearsOfRacks(const std::string& racks) {
    return Comes([&] {
      for (std::size_t i = 0; i < racks.size(); ++i) {
        const std::string asked = std::string("SELECT labels ->> '") + kRack +
                                  "' FROM nodes WHERE node_name = '" +
                                  Node(static_cast<int>(i)) + "'";
        if (Ask(asked) != home_ + racks[i]) return false;
      }
      return true;
    });
  }

  // `labels`: "fluxnetes.topology-required: rack".
  void SubmitWith(const std::string& labels, std::string manifest) {
    const std::string first = "fluxnetes.group-name:";
    manifest.replace(manifest.find(first), first.size(), labels + ", " + first);
    Submit(manifest);
  }
  void SubmitOn(int node, const std::string& name, int cpu) {
    Submit(Gang(name, 1,
                {.cpu = cpu,
                 .more = "nodeSelector: {kubernetes.io/hostname: " +
                         Node(node) + "}"}));
    ASSERT_TRUE(Comes(name, "bound"));
  }
  std::set<std::string> NodesOf(const std::string& group) {
    std::set<std::string> nodes;
    for (const cluster::Pod& pod : PodsOf(group))
      if (!pod.node_name.empty()) nodes.insert(pod.node_name);
    return nodes;
  }
  using Names = std::set<std::string>;
};

TEST_F(TopologyOnKubernetes, RequiredRackIsWaitedForAndPreferredOneIsNot) {
  SubmitOn(0, "first", 3);
  SubmitOn(2, "second", 3);
  // Each rack has room for two.
  SubmitWith("fluxnetes.topology-required: rack", Gang("tight", 4, {.cpu = 2}));
  EXPECT_TRUE(Waits("tight"));
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("tight").find(
               "2 of 4 places are free now in one rack "
               "(topology.kubernetes.io/rack)") != std::string::npos;
  })) << ReasonOf("tight");
  EXPECT_EQ(Bound("tight"), 0);
  // A node comes to another rack.
  PutInRack(3, "a");
  EXPECT_TRUE(Comes("tight", "bound"));
  EXPECT_EQ(NodesOf("tight"), (Names{Node(1), Node(3)}));
  EndGroup("tight");
  PutInRack(3, "b");
  ASSERT_TRUE(HearsOfRacks("aabb"));
  SubmitWith(
      "fluxnetes.topology-required: zone, fluxnetes.topology-preferred: rack",
      Gang("loose", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("loose", "bound"));
  EXPECT_EQ(NodesOf("loose"), (Names{Node(1), Node(3)}));
}

TEST_F(TopologyOnKubernetes, GangLargerThanAnyRackIsToldSo) {
  SubmitWith("fluxnetes.topology-required: rack", Gang("huge", 5, {.cpu = 2}));
  EXPECT_TRUE(Comes("huge", "unsatisfiable"));
  EXPECT_NE(ReasonOf("huge").find("no rack (topology.kubernetes.io/rack) has "
                                  "room for all 5 pods, even empty; the "
                                  "largest could take 4"),
            std::string::npos)
      << ReasonOf("huge");
  AddNode(Node(4), 2);
  PutInRack(4, "b");
  EXPECT_TRUE(Comes("huge", "bound"));
  EXPECT_EQ(NodesOf("huge"), (Names{Node(2), Node(3), Node(4)}));
}

TEST_F(TopologyOnKubernetes, ReplacementGoesToTheRackOfTheOthers) {
  SubmitWith("fluxnetes.topology-required: rack", Gang("train", 3, {.cpu = 2}));
  ASSERT_TRUE(Comes("train", "bound"));
  ASSERT_EQ(NodesOf("train"), (Names{Node(0), Node(1)}));
  Patch("nodes/" + Node(1), {{"spec", {{"unschedulable", true}}}});
  ASSERT_TRUE(HearsOfCordon(Node(1)));
  for (const cluster::Pod& pod : PodsOf("train"))
    if (pod.node_name == Node(1)) EndPod(pod.name, false);
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("train").find("beside its other pods, in one rack") !=
           std::string::npos;
  })) << ReasonOf("train");
  EXPECT_EQ(Bound("train"), 3);  // with the one that failed
  Patch("nodes/" + Node(1), {{"spec", {{"unschedulable", false}}}});
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_EQ(NodesOf("train"), (Names{Node(0), Node(1)}));
}

TEST_F(TopologyOnKubernetes, ConstraintOfANativePodGroupIsKept) {
  if (!plane().HasPodGroups())
    GTEST_SKIP() << "Kubernetes " << plane().version() << " has no PodGroup";
  SubmitOn(0, "first", 3);
  const Json constraints = {{"topology", {{{"key", kRack}}}}};
  Send("POST",
       "/apis/scheduling.k8s.io/v1alpha2/namespaces/" + home_ + "/podgroups",
       {{"apiVersion", "scheduling.k8s.io/v1alpha2"},
        {"kind", "PodGroup"},
        {"metadata", {{"name", "workers"}}},
        {"spec",
         {{"schedulingPolicy", {{"gang", {{"minCount", 3}}}}},
          {"schedulingConstraints", constraints}}}});
  const Shape shape{.cpu = 2,
                    .more = "schedulingGroup: {podGroupName: workers}"};
  for (const char* name : {"w0", "w1", "w2"})
    Submit(BarePod(name, "", 0, shape));
  EXPECT_TRUE(Comes("workers", "bound"));
  // Two fit on a node.
  std::set<std::string> nodes;
  for (const char* name : {"w0", "w1", "w2"})
    nodes.insert(PodNamed(name).node_name);
  EXPECT_EQ(nodes, (std::set{Node(2), Node(3)}));
}

TEST_F(TopologyOnKubernetes, LevelThatIsNoneIsRefusedWithAnEvent) {
  SubmitWith("fluxnetes.topology-required: row", BarePod("wrong", "solo", 1));
  EXPECT_TRUE(Comes([&] {
    const auto events = EventsOf("wrong", "FailedScheduling");
    return !events.empty() &&
           events[0].value("message", "").find("host, rack, zone or region") !=
               std::string::npos;
  }));
  EXPECT_TRUE(Comes([&] {
    const Json condition = ConditionOf("wrong");
    return !condition.is_null() && condition["status"] == "False";
  }));
}

}  // namespace
}  // namespace fluxnetes::testing
