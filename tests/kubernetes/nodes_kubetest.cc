// Nodes that come, change and go, and what others use of them.
#include <csignal>

#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

using Json = nlohmann::json;

TEST_F(OnKubernetes, NodeThatIsAddedWhileGroupsWaitIsUsed) {
  Submit(Gang("runs", 4, {.cpu = 2}));
  EXPECT_TRUE(Comes("runs", "bound"));
  Submit(Gang("waits", 2, {.cpu = 2}));
  EXPECT_TRUE(Waits("waits"));
  Submit(Gang("large", 6, {.cpu = 2}));
  EXPECT_TRUE(Comes("large", "unsatisfiable"));
  AddNode(Node(2));
  EXPECT_TRUE(Comes("waits", "bound"));
  EXPECT_TRUE(Waits("large"));
  for (const cluster::Pod& pod : PodsOf("waits"))
    EXPECT_EQ(pod.node_name, Node(2));
  EndGroup("runs");
  EndGroup("waits");
  EXPECT_TRUE(Comes("large", "bound"));
}

// A name may have 253 characters, a label's value 63.
TEST_F(OnKubernetes, NodeWithANameThatNoLabelCanHoldIsUsed) {
  std::string name = Node(2);
  name.resize(63, '0');
  while (name.size() < 240) name += ".rack-17";
  name.resize(253, '0');
  AddNode(name, 12);
  Submit(Gang("large", 2, {.cpu = 5}));
  EXPECT_TRUE(Comes("large", "bound"));
  for (const cluster::Pod& pod : PodsOf("large"))
    EXPECT_EQ(pod.node_name, name);
  Submit(BarePod("named", "named", 1,
                 {.more = "affinity: {nodeAffinity: "
                          "{requiredDuringSchedulingIgnoredDuringExecution: "
                          "{nodeSelectorTerms: [{matchFields: "
                          "[{key: metadata.name, operator: In, values: [" +
                          name + "]}]}]}}}"}));
  EXPECT_TRUE(Comes("named", "bound"));
  EXPECT_EQ(PodNamed("named").node_name, name);
}

// What can be wrong with a node, as patches of it.
struct Trouble {
  const char* name;
  Json begin, end;
  Json status = {};  // patched after `begin`
};

void PrintTo(const Trouble& trouble, std::ostream* out) {
  *out << trouble.name;
}

class NodeThatIs : public OnKubernetes,
                   public ::testing::WithParamInterface<Trouble> {
 protected:
  void Begin() {
    Patch("nodes/" + Node(1), GetParam().begin);
    if (GetParam().status.is_null()) return;
    Send("PATCH", Path("nodes/" + Node(1) + "/status"), GetParam().status,
         "application/strategic-merge-patch+json");
  }
  void End() { Patch("nodes/" + Node(1), GetParam().end); }

  // True when pods for the node are rejected: the scheduler knows of its end.
  bool TurnsPodsAway() {
    return Comes([&] {
      Submit(Gang("probe", 1, {.more = OnlyOn(1)}));
      EXPECT_TRUE(Comes([&] { return Looked("probe"); }));
      const bool away = StateOf("probe") != "bound";
      Delete("jobs/probe");
      EXPECT_TRUE(Comes([&] { return StateOf("probe") == "cancelled"; }));
      return away;
    });
  }
  bool Looked(const std::string& group) {
    return StateOf(group) == "bound" || !ReasonOf(group).empty();
  }
  std::string OnlyOn(int node) const {
    return "nodeSelector: {kubernetes.io/hostname: " + Node(node) + "}";
  }
};

TEST_P(NodeThatIs, TakesNoNewPodsAndItsRunningOnesStayCounted) {
  Submit(Gang("runs", 2, {.cpu = 3}));
  ASSERT_TRUE(Comes("runs", "bound"));
  Begin();
  ASSERT_TRUE(TurnsPodsAway());
  EXPECT_EQ(StateOf("runs"), "bound");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
  for (const cluster::Pod& pod : PodsOf("runs"))
    if (pod.node_name == Node(1)) EndPod(pod.name);
  EXPECT_TRUE(
      Comes([&] { return Ask("SELECT count(*) FROM placements") == "1"; }));
  Submit(Gang("next", 1, {.cpu = 4, .more = OnlyOn(1)}));
  EXPECT_TRUE(Comes([&] { return Looked("next"); }));
  EXPECT_EQ(Bound("next"), 0);
  End();
  EXPECT_TRUE(Comes("next", "bound"));
}

const Json kCordoned = {{"spec", {{"unschedulable", true}}}};
const Json kUncordoned = {{"spec", {{"unschedulable", false}}}};
const Json kTaint = {
    {"key", "team"}, {"value", "red"}, {"effect", "NoSchedule"}};
const Json kTainted = {{"spec", {{"taints", Json::array({kTaint})}}}};
const Json kUntainted = {{"spec", {{"taints", nullptr}}}};
const Json kBroken = {
    {"metadata", {{"annotations", {{"fluxnetes.test/broken", "yes"}}}}}};
const Json kMended = {
    {"metadata", {{"annotations", {{"fluxnetes.test/broken", nullptr}}}}}};
const Json kCondition = {
    {"type", "Ready"}, {"status", "False"}, {"reason", "KubeletNotReady"}};
const Json kNotReady = {
    {"status", {{"conditions", Json::array({kCondition})}}}};

INSTANTIATE_TEST_SUITE_P(
    All, NodeThatIs,
    ::testing::Values(Trouble{"Cordoned", kCordoned, kUncordoned},
                      Trouble{"Tainted", kTainted, kUntainted},
                      Trouble{"NotReady", kBroken, kMended, kNotReady}),
    [](const auto& instance) { return instance.param.name; });

// The pods of a node that is gone are deleted, by force, as the collector of
// Kubernetes does after a minute.
TEST_F(OnKubernetes, PodsOfANodeThatIsDeletedEndAndTheirJobMakesOthers) {
  Submit(Gang("train", 2, {.cpu = 4}));
  ASSERT_TRUE(Comes("train", "bound"));
  Send("DELETE", "/api/v1/nodes/" + Node(1));
  std::string lost;
  for (const cluster::Pod& pod : PodsOf("train"))
    if (pod.node_name == Node(1)) lost = pod.name;
  ASSERT_NE(lost, "");
  Send("DELETE", Path("pods/" + lost), {{"gracePeriodSeconds", 0}});
  EXPECT_TRUE(Comes([&] { return Bound("train") == 1; }));
  AddNode(Node(1));
  EXPECT_TRUE(Comes([&] { return Bound("train") == 2; }));
  EXPECT_TRUE(Comes("train", "bound"));
}

TEST_F(StoppedHalfway, NodeTaintedBetweenMatchAndBindSendsTheGroupBackWhole) {
  StartScheduler({{"FLUXNETES_FAILPOINT", "match-committed"}});
  Submit(Gang("train", 4, {.cpu = 2}));
  ASSERT_TRUE(Comes([&] { return scheduler_->HasEnded(); }));
  ASSERT_EQ(StateOf("train"), "allocated");
  Patch("nodes/" + Node(1), kTainted);
  StartScheduler();
  EXPECT_TRUE(Comes([&] { return StateOf("train") != "allocated"; }));
  EXPECT_TRUE(Comes([&] { return !ReasonOf("train").empty(); }));
  EXPECT_EQ(Bound("train"), 0);
  Patch("nodes/" + Node(1), kUntainted);
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_EQ(Bound("train"), 4);
}

TEST_F(StoppedHalfway, NodeFilledBetweenMatchAndBindSendsTheGroupBackWhole) {
  StartScheduler({{"FLUXNETES_FAILPOINT", "match-committed"}});
  Submit(Gang("train", 4, {.cpu = 2}));
  ASSERT_TRUE(Comes([&] { return scheduler_->HasEnded(); }));
  ASSERT_EQ(StateOf("train"), "allocated");
  AddUnmanaged("thief", Node(1), 3);
  StartScheduler();
  EXPECT_TRUE(Comes([&] { return StateOf("train") != "allocated"; }));
  EXPECT_TRUE(Comes([&] { return !ReasonOf("train").empty(); }));
  EXPECT_EQ(Bound("train"), 0);
  Delete("pods/thief");
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_EQ(Bound("train"), 4);
}

// KWOK's kubelets turn nobody away: the test does it for one.
TEST_F(OnKubernetes, PodThatItsKubeletTurnsAwayIsReplacedElsewhere) {
  // The others are kept, however slow the machine is.
  database_->Execute("UPDATE queues SET bind_timeout = '1 hour'");
  Submit(Gang("train", 2, {.cpu = 3}));
  ASSERT_TRUE(Comes("train", "bound"));
  std::string refused, kept;
  for (const cluster::Pod& pod : PodsOf("train"))
    (pod.node_name == Node(1) ? refused : kept) = pod.name;
  AddUnmanaged("thief", Node(1), 3);
  EXPECT_TRUE(Comes(
      [&] { return PodNamed(refused).phase == cluster::PodPhase::kRunning; }));
  Patch("pods/" + refused + "/status",
        {{"status", {{"phase", "Failed"}, {"reason", "OutOfcpu"}}}});
  EXPECT_TRUE(
      Comes([&] { return Ask("SELECT count(*) FROM placements") == "1"; }));
  AddNode(Node(2));
  const auto is_replaced = [&] {
    for (const cluster::Pod& pod : PodsOf("train"))
      if (pod.name != refused && pod.node_name == Node(2)) return true;
    return false;
  };
  EXPECT_TRUE(Comes(is_replaced));
  EXPECT_TRUE(Comes("train", "bound"));
  EXPECT_EQ(PodNamed(kept).node_name, Node(0));
}

TEST_F(OnKubernetes, CapacityFollowsPodsOfOthers) {
  AddUnmanaged("daemon", Node(0), 1);
  Submit(Gang("pair", 2, {.cpu = 4}));
  EXPECT_TRUE(Comes([&] { return !ReasonOf("pair").empty(); }));
  EXPECT_EQ(Bound("pair"), 0);
  Submit(Gang(
      "one", 1,
      {.cpu = 3,
       .more = "nodeSelector: {kubernetes.io/hostname: " + Node(0) + "}"}));
  EXPECT_TRUE(Comes("one", "bound"));
  EndGroup("one");
  Delete("pods/daemon");
  EXPECT_TRUE(Comes("pair", "bound"));
  for (const cluster::Pod& pod : Pods())
    EXPECT_FALSE(pod.reason.starts_with("OutOf")) << pod.name;
}

}  // namespace
}  // namespace fluxnetes::testing
