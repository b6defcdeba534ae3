// What users are told: events and conditions, and nothing twice.
#include "cluster/kubeconfig.h"
#include "tests/kubernetes/kube_test.h"

namespace fluxnetes::testing {
namespace {

TEST_F(OnKubernetes, BoundPodHasOneEventThatSaysWhere) {
  Submit(BarePod("plain", "", 0));
  ASSERT_TRUE(Comes([&] { return !EventsOf("plain", "Scheduled").empty(); }));
  const std::string node = PodNamed("plain").node_name;
  Submit(BarePod("other", "", 0));
  ASSERT_TRUE(Comes([&] { return !EventsOf("other", "Scheduled").empty(); }));
  const auto events = EventsOf("plain", "Scheduled");
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0]["reportingComponent"], "fluxnetes");
  EXPECT_EQ(events[0]["type"], "Normal");
  EXPECT_EQ(events[0]["involvedObject"]["uid"], PodNamed("plain").uid);
  EXPECT_EQ(events[0]["message"],
            "Successfully assigned " + home_ + "/plain to " + node);
  EXPECT_EQ(ConditionOf("plain")["status"], "True");
}

TEST_F(OnKubernetes, LabelsThatCannotBeUsedAreRefusedWithAnEventThatSaysWhy) {
  std::string pod = BarePod("wrong", "team", 3);
  pod.replace(pod.find("\"3\""), 3, "ten");
  Submit(pod);
  ASSERT_TRUE(
      Comes([&] { return !EventsOf("wrong", "FailedScheduling").empty(); }));
  const Json event = EventsOf("wrong", "FailedScheduling")[0];
  EXPECT_NE(event["message"].get<std::string>().find("ten"), std::string::npos)
      << event;
  EXPECT_EQ(event["type"], "Warning");
  EXPECT_TRUE(Comes([&] {
    const Json condition = ConditionOf("wrong");
    return !condition.is_null() && condition["reason"] == "Unschedulable";
  }));
}

TEST_F(OnKubernetes, NothingIsWrittenTwiceForTheSameNews) {
  Submit(Gang("huge", 9));
  ASSERT_TRUE(Comes("huge", "unsatisfiable"));
  ASSERT_TRUE(Comes([&] {
    for (const cluster::Pod& pod : PodsOf("huge"))
      if (ConditionOf(pod.name).is_null()) return false;
    return true;
  }));
  std::map<std::string, std::string> versions;
  for (const cluster::Pod& pod : PodsOf("huge"))
    versions[pod.name] = pod.resource_version;
  EXPECT_EQ(versions.size(), 9U);
  // Cycles, a change of the nodes that helps nobody, a restart.
  for (int i = 0; i < 5; ++i) {
    const std::string name = "small" + std::to_string(i);
    Submit(Gang(name, 2));
    EXPECT_TRUE(Comes(name, "bound"));
    EndGroup(name);
  }
  Patch("nodes/" + Node(0), {{"metadata", {{"labels", {{"a", "b"}}}}}});
  StopScheduler();
  StartScheduler();
  Submit(Gang("last", 2));
  EXPECT_TRUE(Comes("last", "bound"));
  for (const auto& [pod, version] : versions) {
    EXPECT_EQ(EventsOf(pod, "FailedScheduling").size(), 1U);
    EXPECT_EQ(PodNamed(pod).resource_version, version);
  }
}

TEST_F(OnKubernetes, SchedulerMayDoNothingElse) {
  const auto mine = cluster::ReadKubeconfig(
      cluster::LoadKubeconfigFiles(ControlPlane::Get()->kubeconfig()), "");
  cluster::HttpClient api({.address = mine.address,
                           .tls = mine.tls,
                           .credentials = mine.credentials});
  EXPECT_EQ(api.Send({.path = "/api/v1/nodes"}).status, 200);
  for (const char* path :
       {"/api/v1/secrets", "/api/v1/configmaps", "/api/v1/serviceaccounts"})
    EXPECT_EQ(api.Send({.path = path}).status, 403) << path;
  for (const char* path : {"/api/v1/nodes/none", "/api/v1/namespaces/none"})
    EXPECT_EQ(api.Send({.method = "DELETE", .path = path}).status, 403) << path;
}

}  // namespace
}  // namespace fluxnetes::testing
