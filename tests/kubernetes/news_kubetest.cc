// What users are told: events and conditions, and nothing twice.
#include "cluster/kubernetes/kubeconfig.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

class NewsOnKubernetes : public OnKubernetes {
 protected:
  std::map<std::string, std::string> VersionsOf(const std::string& group) {
    std::map<std::string, std::string> versions;
    for (const cluster::Pod& pod : PodsOf(group))
      versions[pod.name] = pod.resource_version;
    return versions;
  }

  // So many pods have a condition with this in its message, and there is an
  // event: the last thing that is written.
  bool ComesToldTo(const std::string& group, int pods,
                   const std::string& what) {
    return Comes([&] {
      int told = 0;
      for (const cluster::Pod& pod : PodsOf(group)) {
        const Json condition = ConditionOf(pod.name);
        if (condition.is_null()) continue;
        const auto message = condition["message"].get<std::string>();
        if (message.find(what) != std::string::npos) ++told;
      }
      return told == pods && EventsOfGroup(group, what) > 0;
    });
  }

  void ExpectUnchanged(const std::map<std::string, std::string>& versions) {
    for (const auto& [pod, version] : versions)
      EXPECT_EQ(PodNamed(pod).resource_version, version) << pod;
  }
};

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

TEST_F(OnKubernetes, BoundPodHasNoEventWhereThatIsNotWanted) {
  const std::map<std::string, std::string> quiet = {
      {"FLUXNETES_BINDING_EVENTS", "off"}};
  StartScheduler(quiet);
  Submit(BarePod("quiet", "", 0));
  ASSERT_TRUE(Comes([&] { return !PodNamed("quiet").node_name.empty(); }));
  StopScheduler();  // it would tell what it has not told yet
  EXPECT_TRUE(EventsOf("quiet", "Scheduled").empty());
  StartScheduler(quiet);  // for the pod's end
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

TEST_F(NewsOnKubernetes, NothingIsWrittenTwiceForTheSameNews) {
  Submit(Gang("huge", 9));
  ASSERT_TRUE(Comes("huge", "unsatisfiable"));
  ASSERT_TRUE(Comes([&] {
    for (const cluster::Pod& pod : PodsOf("huge"))
      if (ConditionOf(pod.name).is_null()) return false;
    return EventsOfGroup("huge", "needs 9") >
           0;  // written after the conditions
  }));
  const auto versions = VersionsOf("huge");
  EXPECT_EQ(versions.size(), 9U);
  EXPECT_EQ(EventsOfGroup("huge", "needs 9"), 1U);
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
  ExpectUnchanged(versions);
  EXPECT_EQ(EventsOfGroup("huge", "needs 9"), 1U);
}

TEST_F(NewsOnKubernetes, PodsOfAnIncompleteGangAreToldHowManyHaveArrived) {
  Submit(Gang("half", 4, {.absent = 1}));
  // The Job is asked after the first report, or before it.
  const std::string why =
      "3 of 4 pods have arrived; never whole unless others make the missing "
      "pods: Job half makes 3 pods at a time (its parallelism)";
  ASSERT_TRUE(ComesToldTo("half", 3, why));
  EXPECT_EQ(ConditionOf(PodsOf("half")[0].name)["message"],
            "group " + home_ + "/half: " + why);
  EXPECT_EQ(EventsOfGroup("half", "never whole"), 1U);
  EXPECT_LE(EventsOfGroup("half", "pods have arrived"), 2U);
  Submit(BarePod("rest", "half", 4));
  EXPECT_TRUE(Comes("half", "bound"));
  for (const cluster::Pod& pod : PodsOf("half"))
    EXPECT_EQ(ConditionOf(pod.name)["status"], "True") << pod.name;
}

TEST_F(NewsOnKubernetes, GangThatMustWaitHasOneEventAndAConditionOnEachPod) {
  Submit(Gang("runs", 4, {.cpu = 2}));
  ASSERT_TRUE(Comes("runs", "bound"));
  Submit(Gang("waits", 4, {.cpu = 2}));
  ASSERT_TRUE(ComesToldTo("waits", 4, "needs 4 \u00d7 (2 cpu"));
  const auto versions = VersionsOf("waits");
  // What helps nobody, a restart; and news of another group, after which those
  // of this one would have come again.
  Patch("nodes/" + Node(0), {{"metadata", {{"labels", {{"a", "b"}}}}}});
  AddUnmanaged("other", Node(1), 0);
  StopScheduler();
  StartScheduler();
  Submit(Gang("half", 4, {.absent = 1}));
  ASSERT_TRUE(ComesToldTo("half", 3, "3 of 4 pods have arrived"));
  ExpectUnchanged(versions);
  EXPECT_EQ(EventsOfGroup("waits", "needs 4"), 1U);
  EndGroup("runs");
  EXPECT_TRUE(Comes("waits", "bound"));
  for (const cluster::Pod& pod : PodsOf("waits"))
    EXPECT_EQ(ConditionOf(pod.name)["status"], "True") << pod.name;
}

TEST_F(NewsOnKubernetes, GatedPodKeepsTheConditionOfTheApiServer) {
  Submit(BarePod("gated", "team", 3, {.more = "schedulingGates: [{name: g}]"}));
  Submit(BarePod("open", "team", 3));
  ASSERT_TRUE(
      Comes([&] { return !EventsOf("open", "FailedScheduling").empty(); }));
  const std::string message =
      "group " + home_ +
      "/team: 1 of 3 pods have arrived; never whole unless others make the "
      "missing pods: 2 of its pods have no controller";
  EXPECT_TRUE(Comes([&] { return ConditionOf("open")["message"] == message; }))
      << ConditionOf("open").dump();
  EXPECT_EQ(ConditionOf("gated")["reason"], "SchedulingGated");
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
