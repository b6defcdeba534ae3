// PodGroups of the coscheduling plugin and of Kubernetes itself: how their pods
// start, and what their status says.
#include <csignal>

#include "tests/kubernetes/support/api_trouble.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

class PodGroupsOnKubernetes : public OnKubernetes {
 protected:
  PodGroupsOnKubernetes() { starts_ = false; }

  void SetUp() override {
    OnKubernetes::SetUp();
    if (IsSkipped()) return;
    ServeCoscheduling();
  }

  // The definition as far as it matters here: a status of its own, and no field
  // that is not named.
  void ServeCoscheduling() {
    const Json number = {{"type", "integer"}, {"format", "int32"}};
    const Json text = {{"type", "string"}};
    const auto object = [](const Json& fields) {
      return Json{{"type", "object"}, {"properties", fields}};
    };
    const Json amount = {
        {"x-kubernetes-int-or-string", true},
        {"anyOf", {{{"type", "integer"}}, {{"type", "string"}}}}};
    const Json spec =
        object({{"minMember", number},
                {"minResources",
                 {{"type", "object"}, {"additionalProperties", amount}}},
                {"scheduleTimeoutSeconds", number}});
    const Json schema = object({{"spec", spec},
                                {"status", object({{"phase", text},
                                                   {"occupiedBy", text},
                                                   {"running", number},
                                                   {"succeeded", number},
                                                   {"failed", number}})}});
    const Json version = {{"name", "v1alpha1"},
                          {"served", true},
                          {"storage", true},
                          {"subresources", {{"status", Json::object()}}},
                          {"schema", {{"openAPIV3Schema", schema}}}};
    const Json definition = {
        {"apiVersion", "apiextensions.k8s.io/v1"},
        {"kind", "CustomResourceDefinition"},
        {"metadata",
         {{"name", "podgroups.scheduling.x-k8s.io"},
          {"annotations",
           {{"api-approved.kubernetes.io", "for a test alone"}}}}},
        {"spec",
         {{"group", "scheduling.x-k8s.io"},
          {"scope", "Namespaced"},
          {"names", {{"kind", "PodGroup"}, {"plural", "podgroups"}}},
          {"versions", Json::array({version})}}}};
    const auto made = plane().api().Send(
        {.method = "POST",
         .path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
         .body = definition.dump()});
    ASSERT_TRUE(made.Succeeded() || made.status == 409) << made.body;
    ASSERT_TRUE(Comes([&] {
      return plane().api().Send({.path = Coscheduling()}).Succeeded();
    }));
  }

  std::string Coscheduling(const std::string& name = "") const {
    return "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/" + home_ +
           "/podgroups" + (name.empty() ? "" : "/" + name);
  }
  std::string Native(const std::string& name = "") const {
    return "/apis/scheduling.k8s.io/v1alpha2/namespaces/" + home_ +
           "/podgroups" + (name.empty() ? "" : "/" + name);
  }

  void MakeCoscheduling(const std::string& name, int size,
                        Json more = Json::object()) {
    more["minMember"] = size;
    Send("POST", Coscheduling(),
         {{"apiVersion", "scheduling.x-k8s.io/v1alpha1"},
          {"kind", "PodGroup"},
          {"metadata", {{"name", name}}},
          {"spec", more}});
  }
  // A Job of so many pods with the plugin's label.
  void SubmitCoscheduling(const std::string& name, int pods,
                          const std::string& group, const Shape& shape = {}) {
    std::string job = Gang(name, pods, shape);
    const std::string labels = GangLabels(name, pods, "");
    job.replace(job.find(labels), labels.size(),
                "{scheduling.x-k8s.io/pod-group: " + group + "}");
    Submit(job);
  }

  Json StatusOf(const std::string& path) {
    return Send("GET", path).value("status", Json::object());
  }
  std::string VersionOf(const std::string& path) {
    return Send("GET", path)["metadata"]["resourceVersion"];
  }
  bool ComesTo(const std::string& path, const Json& fields) {
    return Comes([&] {
      const Json status = StatusOf(path);
      for (const auto& [field, value] : fields.items())
        if (status.value(field, Json()) != value) return false;
      return true;
    });
  }
  Json ScheduledOf(const std::string& path) {
    for (const Json& condition :
         StatusOf(path).value("conditions", Json::array()))
      if (condition["type"] == "PodGroupScheduled") return condition;
    return nullptr;
  }
  void EndAll(bool well) {
    for (const cluster::Pod& pod : Pods())
      if (!pod.node_name.empty()) EndPod(pod.name, well);
  }
};

TEST_F(PodGroupsOnKubernetes, CoschedulingGroupIsToldHowItStands) {
  StartScheduler();
  MakeCoscheduling("train", 3);
  const std::string group = Coscheduling("train");
  SubmitCoscheduling("first", 2, "train");
  EXPECT_TRUE(ComesTo(group, {{"phase", "Pending"}})) << StatusOf(group);
  EXPECT_EQ(StatusOf(group).value("occupiedBy", ""), "");
  SubmitCoscheduling("second", 1, "train");
  EXPECT_TRUE(ComesTo(group, {{"phase", "Running"}, {"running", 3}}))
      << StatusOf(group);
  const std::string by = StatusOf(group)["occupiedBy"];
  EXPECT_TRUE(by == home_ + "/first" || by == home_ + "/second") << by;
  // A restart says nothing again.
  const std::string version = VersionOf(group);
  StopScheduler();
  StartScheduler();
  MakeCoscheduling("other", 1);
  SubmitCoscheduling("other", 1, "other");
  EXPECT_TRUE(ComesTo(Coscheduling("other"), {{"phase", "Running"}}));
  EXPECT_EQ(VersionOf(group), version);
  EndAll(true);
  EXPECT_TRUE(
      ComesTo(group, {{"phase", "Finished"}, {"succeeded", 3}, {"running", 0}}))
      << StatusOf(group);
}

TEST_F(PodGroupsOnKubernetes, StatusIsWrittenByTheNextOneAfterAKill) {
#ifndef FLUXNETES_FAULTS
  GTEST_SKIP() << "needs a build with FLUXNETES_FAULTS=ON";
#endif
  StartScheduler({{"FLUXNETES_FAILPOINT", "group-statuses-written"},
                  {"FLUXNETES_CLIENT_TTL", "1500ms"},
                  {"FLUXNETES_CLIENT_HEARTBEAT", "200ms"}});
  MakeCoscheduling("train", 2);
  SubmitCoscheduling("first", 1, "train");
  ASSERT_TRUE(Comes([&] { return scheduler_->HasEnded(); }));
  EXPECT_EQ(scheduler_->WaitForEnd(std::chrono::seconds(0)), -SIGKILL);
  EXPECT_EQ(StatusOf(Coscheduling("train"))["phase"], "Pending");
  const std::string version = VersionOf(Coscheduling("train"));
  StartScheduler();
  MakeCoscheduling("other", 1);
  SubmitCoscheduling("other", 1, "other");
  EXPECT_TRUE(ComesTo(Coscheduling("other"), {{"phase", "Running"}}));
  EXPECT_EQ(VersionOf(Coscheduling("train")), version);
}

// 8 cpu are there.
TEST_F(PodGroupsOnKubernetes, GroupWaitsUntilItsMinResourcesAreFree) {
  AddUnmanaged("other", Node(0), 3);
  StartScheduler();
  MakeCoscheduling("train", 2, {{"minResources", {{"cpu", "5500m"}}}});
  SubmitCoscheduling("train", 2, "train");
  ASSERT_TRUE(Comes([&] {
    return ReasonOf("train").find("minResources") != std::string::npos;
  })) << ReasonOf("train");
  // It holds nothing.
  MakeCoscheduling("small", 5, {{"minResources", {{"cpu", 5}}}});
  SubmitCoscheduling("small", 5, "small", {.seconds = "1"});
  EXPECT_TRUE(Comes("small", "succeeded")) << StateOf("small");
  EXPECT_EQ(StateOf("train"), "pending");
  Delete("pods/other");
  EXPECT_TRUE(Comes("train", "bound")) << ReasonOf("train");
}

// One of two is bound and the other finds no place: long before the queue's own
// time is over, the Job makes the first one anew.
TEST_F(PodGroupsOnKubernetes, ScheduleTimeoutEndsAGroupThatIsBoundInPart) {
  database_->Execute("UPDATE queues SET bind_timeout = '1 hour'");
  ApiTrouble trouble(plane(), /*seed=*/0);
  trouble.Hold("/train-1-[a-z0-9]+/binding$", ApiTrouble::When::kBefore);
  std::map<std::string, std::string> quick = {
      {"FLUXNETES_CLIENT_TTL", "1500ms"},
      {"FLUXNETES_CLIENT_HEARTBEAT", "200ms"}};
  auto held = quick;
  held["FLUXNETES_KUBECONFIG"] = trouble.kubeconfig();
  StartScheduler(held);
  MakeCoscheduling("train", 2, {{"scheduleTimeoutSeconds", 2}});
  SubmitCoscheduling("train", 2, "train", {.cpu = 3});
  const auto bound = [&]() -> cluster::Pod {
    for (const cluster::Pod& pod : Pods())
      if (!pod.node_name.empty()) return pod;
    return {};
  };
  ASSERT_TRUE(Comes(
      [&] { return !bound().name.empty() && trouble.Count("held") > 0; }));
  const cluster::Pod first = bound();
  scheduler_->Kill();
  ASSERT_TRUE(
      Comes([&] { return trouble.Count("dropped") == trouble.Count("held"); }));
  const std::string other = first.node_name == Node(0) ? Node(1) : Node(0);
  Patch("nodes/" + other, {{"spec", {{"unschedulable", true}}}});
  StartScheduler(quick);
  EXPECT_TRUE(Comes([&] { return Pods().size() == 2 && bound().name.empty(); }))
      << bound().name;
  EXPECT_EQ(StateOf("train"), "pending");
  Patch("nodes/" + other, {{"spec", {{"unschedulable", false}}}});
  EXPECT_TRUE(Comes("train", "bound")) << ReasonOf("train");
  for (const cluster::Pod& pod : Pods()) EXPECT_NE(pod.uid, first.uid);
}

TEST_F(PodGroupsOnKubernetes, NativeGroupIsToldWhyItWaitsAndThatItIsPlaced) {
  if (!plane().HasPodGroups())
    GTEST_SKIP() << "Kubernetes " << plane().version() << " has no PodGroup";
  StartScheduler();
  Send("POST", Native(),
       {{"apiVersion", "scheduling.k8s.io/v1alpha2"},
        {"kind", "PodGroup"},
        {"metadata", {{"name", "workers"}}},
        {"spec", {{"schedulingPolicy", {{"gang", {{"minCount", 3}}}}}}}});
  const std::string group = Native("workers");
  const Shape shape{.cpu = 3,
                    .more = "schedulingGroup: {podGroupName: workers}"};
  for (const char* name : {"w0", "w1", "w2"})
    Submit(BarePod(name, "", 0, shape));
  // Before, it may be told how many of its pods have arrived.
  ASSERT_TRUE(Comes([&] {
    const Json scheduled = ScheduledOf(group);
    return !scheduled.is_null() && scheduled["status"] == "False" &&
           scheduled.value("message", "").find("3 cpu") != std::string::npos;
  })) << ScheduledOf(group);
  EXPECT_EQ(ScheduledOf(group)["reason"], "Unschedulable");
  const std::string since = ScheduledOf(group)["lastTransitionTime"];
  // These times are whole seconds.
  ASSERT_TRUE(Comes([&] {
    return Ask("SELECT clock_timestamp() >= '" + since +
               "'::timestamptz + interval '1 second'") == "t";
  }));
  AddNode(Node(2));
  ASSERT_TRUE(Comes([&] { return ScheduledOf(group)["status"] == "True"; }))
      << ScheduledOf(group);
  EXPECT_EQ(ScheduledOf(group)["reason"], "Scheduled");
  EXPECT_NE(ScheduledOf(group)["lastTransitionTime"], since);
}

}  // namespace
}  // namespace fluxnetes::testing
