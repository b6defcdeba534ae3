// Claims and their volumes, and namespaces that are selected by labels. The
// provisioner is played by the test; the claims are bound by the controllers of
// Kubernetes.
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

constexpr const char* kVolumes = "/api/v1/persistentvolumes";
constexpr const char* kStorageClasses =
    "/apis/storage.k8s.io/v1/storageclasses";

class VolumesOnKubernetes : public OnKubernetes {
 protected:
  void TearDown() override {
    OnKubernetes::TearDown();
    for (const std::string& path : made_) Send("DELETE", path);
  }

  // Named after the test: these are of no namespace.
  std::string OfTest(const std::string& name) const {
    return home_ + "-" + name;
  }

  void MakeClass(const std::string& name, const std::string& mode) {
    Send("POST", kStorageClasses,
         {{"apiVersion", "storage.k8s.io/v1"},
          {"kind", "StorageClass"},
          {"metadata", {{"name", OfTest(name)}}},
          {"provisioner", "example.com/disk"},
          {"volumeBindingMode", mode}});
    made_.push_back(std::string(kStorageClasses) + "/" + OfTest(name));
  }

  void MakeClaim(const std::string& name, const std::string& of_class,
                 const std::string& mode = "ReadWriteOnce") {
    Send("POST", Path("persistentvolumeclaims"),
         {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"accessModes", Json::array({mode})},
            {"storageClassName", OfTest(of_class)},
            {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  }

  // Which node was announced to the claim; "" if none was.
  std::string SelectedNode(const std::string& claim) {
    const Json object = Get("persistentvolumeclaims/" + claim);
    return object["metadata"]
        .value("annotations", Json::object())
        .value("volume.kubernetes.io/selected-node", "");
  }

  // As a provisioner does: a volume on this node, which is the claim's.
  void Provision(const std::string& claim, const std::string& node,
                 const std::string& mode = "ReadWriteOnce") {
    const Json of = Get("persistentvolumeclaims/" + claim);
    const std::string name = OfTest(claim);
    const Json here = {{"key", "kubernetes.io/hostname"},
                       {"operator", "In"},
                       {"values", Json::array({node})}};
    const Json term = {{"matchExpressions", Json::array({here})}};
    Json spec = {{"capacity", {{"storage", "1Gi"}}},
                 {"accessModes", Json::array({mode})},
                 {"storageClassName", of["spec"]["storageClassName"]},
                 {"persistentVolumeReclaimPolicy", "Retain"},
                 {"csi", {{"driver", "example.com"}, {"volumeHandle", name}}}};
    spec["claimRef"] = {{"kind", "PersistentVolumeClaim"},
                        {"apiVersion", "v1"},
                        {"namespace", home_},
                        {"name", claim},
                        {"uid", of["metadata"]["uid"]}};
    spec["nodeAffinity"]["required"]["nodeSelectorTerms"] = Json::array({term});
    Send("POST", kVolumes,
         {{"apiVersion", "v1"},
          {"kind", "PersistentVolume"},
          {"metadata", {{"name", name}}},
          {"spec", spec}});
    made_.push_back(std::string(kVolumes) + "/" + name);
  }

  static std::string Uses(const std::string& claim) {
    return "volumes: [{name: data, persistentVolumeClaim: {claimName: " +
           claim + "}}]";
  }

 private:
  std::vector<std::string> made_;
};

TEST_F(VolumesOnKubernetes, ClaimThatComesLaterIsWaitedForAndFollowed) {
  Submit(BarePod("a", "a", 1, {.more = Uses("data")}));
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("a").find("\"data\" does not exist") != std::string::npos;
  })) << ReasonOf("a");
  EXPECT_TRUE(
      Comes([&] { return EventsOf("a", "FailedScheduling").size() == 1; }));
  MakeClass("eager", "Immediate");
  MakeClaim("data", "eager");
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("a").find("has no volume yet") != std::string::npos;
  })) << ReasonOf("a");
  Provision("data", Node(1));
  EXPECT_TRUE(Comes("a", "bound"));
  EXPECT_EQ(PodNamed("a").node_name, Node(1));
  EXPECT_EQ(SelectedNode("data"), "");
}

TEST_F(VolumesOnKubernetes, GangIsBoundWhenAllItsVolumesHaveBeenMade) {
  MakeClass("lazy", "WaitForFirstConsumer");
  for (const char* const pod : {"a", "b"}) {
    MakeClaim(std::string("data-") + pod, "lazy");
    Submit(BarePod(pod, "gang", 2,
                   {.cpu = 3, .more = Uses(std::string("data-") + pod)}));
  }
  EXPECT_TRUE(Comes([&] {
    return !SelectedNode("data-a").empty() && !SelectedNode("data-b").empty();
  }));
  EXPECT_NE(SelectedNode("data-a"), SelectedNode("data-b"));
  EXPECT_EQ(StateOf("gang"), "allocated");
  Provision("data-a", SelectedNode("data-a"));
  EXPECT_TRUE(Comes([&] {
    return Get("persistentvolumeclaims/data-a")["status"]["phase"] == "Bound";
  }));
  EXPECT_EQ(Bound("gang"), 0);
  StopScheduler();  // what it waits for is not lost with it
  StartScheduler();
  Provision("data-b", SelectedNode("data-b"));
  EXPECT_TRUE(Comes("gang", "bound"));
  EXPECT_EQ(PodNamed("a").node_name, SelectedNode("data-a"));
  EXPECT_EQ(PodNamed("b").node_name, SelectedNode("data-b"));
}

TEST_F(VolumesOnKubernetes, NodeThatTheProvisionerGivesBackIsLeft) {
  MakeClass("lazy", "WaitForFirstConsumer");
  MakeClaim("data", "lazy");
  Submit(BarePod("a", "a", 1, {.more = Uses("data")}));
  EXPECT_TRUE(Comes([&] { return !SelectedNode("data").empty(); }));
  const std::string first = SelectedNode("data");
  const std::string other = first == Node(0) ? Node(1) : Node(0);
  Patch("nodes/" + first, {{"spec", {{"unschedulable", true}}}});
  ASSERT_TRUE(HearsOfCordon(first));  // or it would be announced again
  Patch(
      "persistentvolumeclaims/data",
      {{"metadata",
        {{"annotations", {{"volume.kubernetes.io/selected-node", nullptr}}}}}});
  EXPECT_TRUE(Comes([&] { return SelectedNode("data") == other; }));
  Provision("data", other);
  EXPECT_TRUE(Comes("a", "bound"));
  EXPECT_EQ(PodNamed("a").node_name, other);
}

TEST_F(VolumesOnKubernetes, EphemeralVolumeIsMadeWhereItsPodGoes) {
  MakeClass("lazy", "WaitForFirstConsumer");
  Submit(BarePod("a", "a", 1,
                 {.more = "volumes: [{name: scratch, ephemeral: "
                          "{volumeClaimTemplate: {spec: {accessModes: "
                          "[ReadWriteOnce], storageClassName: " +
                          OfTest("lazy") +
                          ", resources: {requests: {storage: 1Gi}}}}}}]"}));
  EXPECT_TRUE(Comes([&] { return StateOf("a") == "allocated"; }));
  EXPECT_TRUE(Comes([&] { return !SelectedNode("a-scratch").empty(); }));
  Provision("a-scratch", SelectedNode("a-scratch"));
  EXPECT_TRUE(Comes("a", "bound"));
  EXPECT_EQ(PodNamed("a").node_name, SelectedNode("a-scratch"));
}

TEST_F(VolumesOnKubernetes, ClaimForOnePodIsUsedByOneAtATime) {
  MakeClass("eager", "Immediate");
  MakeClaim("data", "eager", "ReadWriteOncePod");
  Provision("data", Node(1), "ReadWriteOncePod");
  Submit(BarePod("a", "a", 1, {.more = Uses("data")}));
  EXPECT_TRUE(Comes("a", "bound"));
  Submit(BarePod("b", "b", 1, {.more = Uses("data")}));
  EXPECT_TRUE(Comes([&] {
    return ReasonOf("b").find("in use by pod a") != std::string::npos;
  })) << ReasonOf("b");
  EndPod("a");
  EXPECT_TRUE(Comes("b", "bound"));
}

TEST_F(OnKubernetes, NamespacesAreSelectedByTheLabelsThatTheyHaveNow) {
  const std::string shop = AddNamespace();
  const auto label = [&](const char* team) {
    Send("PATCH", "/api/v1/namespaces/" + shop,
         {{"metadata", {{"labels", {{"team", team}}}}}}, kMergePatch);
  };
  label("a");
  Submit(
      "{apiVersion: v1, kind: Pod, metadata: {name: web, labels: "
      "{app: web}}, spec: {nodeName: " +
          Node(0) + ", containers: [{name: web, image: web}]}}",
      shop);
  const auto term = [](const char* kind, const char* team) {
    return std::string("affinity: {") + kind +
           ": {requiredDuringSchedulingIgnoredDuringExecution: "
           "[{topologyKey: kubernetes.io/hostname, labelSelector: "
           "{matchLabels: {app: web}}, namespaceSelector: "
           "{matchExpressions: [{key: team, operator: In, values: [" +
           team + "]}]}}]}}";
  };
  // It starts when the label is known, and not before.
  Submit(BarePod("with", "with", 1, {.more = term("podAffinity", "a")}));
  EXPECT_TRUE(Comes("with", "bound"));
  EXPECT_EQ(PodNamed("with").node_name, Node(0));
  Submit(BarePod("apart", "apart", 1, {.more = term("podAntiAffinity", "a")}));
  EXPECT_TRUE(Comes("apart", "bound"));
  EXPECT_EQ(PodNamed("apart").node_name, Node(1));
  Submit(BarePod("near", "near", 1, {.more = term("podAffinity", "b")}));
  EXPECT_TRUE(Comes([&] { return !ReasonOf("near").empty(); }));
  EXPECT_EQ(Bound("near"), 0);
  label("b");
  EXPECT_TRUE(Comes("near", "bound"));
  EXPECT_EQ(PodNamed("near").node_name, Node(0));
}

}  // namespace
}  // namespace fluxnetes::testing
