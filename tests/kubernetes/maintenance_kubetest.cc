// Maintenance of nodes, announced by the commands that people give.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

class KubernetesMaintenance : public OnKubernetes {
 protected:
  // A gang of one pod that fills a node; with a limit it ends by itself.
  void SubmitOne(const std::string& name, int limit_seconds = 0) {
    Submit(Gang(name, 1, {.cpu = 4, .limit = limit_seconds}));
  }
  std::string NodeOf(const std::string& group) {
    const auto pods = PodsOf(group);
    return pods.empty() ? "" : pods[0].node_name;
  }
};

TEST_F(KubernetesMaintenance, WhatWouldRunIntoItDoesNotStartThere) {
  ASSERT_EQ(Command({"drain", Node(0), "--from", "+2h", "--until", "+4h"}), 0);
  SubmitOne("endless");
  ASSERT_TRUE(Comes("endless", "bound"));
  EXPECT_EQ(NodeOf("endless"), Node(1));
  SubmitOne("next");
  ASSERT_TRUE(Waits("next"));
  SubmitOne("brief", 600);
  ASSERT_TRUE(Comes("brief", "bound"));
  EXPECT_EQ(NodeOf("brief"), Node(0));
  EndGroup("brief");
  ASSERT_TRUE(Comes("brief", "succeeded"));
  // It would run two hours and more.
  SubmitOne("long", 3 * 3'600);
  ASSERT_TRUE(Waits("long"));
  EXPECT_EQ(NodeOf("next") + NodeOf("long"), "");
  ASSERT_EQ(Command({"undrain", Node(0)}), 0);
  ASSERT_TRUE(Comes("next", "bound"));
  EXPECT_EQ(NodeOf("next"), Node(0));
}

TEST_F(KubernetesMaintenance, OfNodesWithALabelLetsNothingStartWhileItLasts) {
  const std::string rack = "rack=" + home_;
  Send("PATCH", "/api/v1/nodes/" + Node(0),
       {{"metadata", {{"labels", {{"topology.kubernetes.io/rack", home_}}}}}},
       kMergePatch);
  ASSERT_EQ(Command({"drain", rack, "--from", "now", "--until", "+1h"}), 0);
  ASSERT_TRUE(Comes([&] {
    return Ask("SELECT node_name FROM node_maintenance") == Node(0);
  }));
  SubmitOne("brief", 600);
  ASSERT_TRUE(Comes("brief", "bound"));
  EXPECT_EQ(NodeOf("brief"), Node(1));
  SubmitOne("next", 600);
  ASSERT_TRUE(Waits("next"));
  StartScheduler();  // which reads it anew
  SubmitOne("third", 600);
  ASSERT_TRUE(Waits("third"));
  EXPECT_EQ(NodeOf("next") + NodeOf("third"), "");
  EXPECT_EQ(Command({"undrain", Node(0)}), 3);  // it was not named by name
  ASSERT_EQ(Command({"undrain", rack}), 0);
  ASSERT_TRUE(Comes("next", "bound"));
  EXPECT_EQ(NodeOf("next"), Node(0));
}

}  // namespace
}  // namespace fluxnetes::testing
