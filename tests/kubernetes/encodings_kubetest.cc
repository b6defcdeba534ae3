// What a real API server sends is read as the same in Protobuf and in JSON, in
// lists and in watches; and it reads what we write in Protobuf.
#include <gmock/gmock.h>

#include "cluster/json/object_writer.h"
#include "cluster/json/watch_line.h"
#include "cluster/kubernetes/api_answer.h"
#include "cluster/kubernetes/kubernetes_watch.h"
#include "cluster/kubernetes/protobuf_bodies.h"
#include "cluster/protobuf/envelope.h"
#include "cluster/text/timestamp.h"
#include "tests/kubernetes/support/kube_test.h"

namespace fluxnetes::testing {
namespace {

using cluster::ListPage;
using cluster::WatchedKind;
using cluster::WatchEvent;
using std::chrono::milliseconds;

// With each field that is read of a pod.
constexpr const char* kRichPod = R"(
apiVersion: v1
kind: Pod
metadata:
  name: rich
  labels: {app: web, tier: front, empty: ""}
  annotations: {fluxnetes.queue: default, other: x}
spec:
  schedulerName: nobody
  hostNetwork: true
  terminationGracePeriodSeconds: 45
  activeDeadlineSeconds: 3600
  nodeSelector: {disk: ssd}
  schedulingGates: [{name: example.com/gate}]
  containers:
  - name: main
    image: none
    ports: [{containerPort: 80, hostPort: 80}, {containerPort: 53, hostPort: 53, protocol: UDP, hostIP: 10.0.0.1}]
    resources:
      requests: {cpu: 1500m, memory: 1Gi}
      limits: {memory: 2Gi, example.com/gpu: 1}
  - {name: second, image: none}
  initContainers:
  - {name: once, image: none, resources: {requests: {cpu: 3}}}
  - {name: side, image: none, restartPolicy: Always}
  volumes:
  - {name: data, persistentVolumeClaim: {claimName: data-0}}
  - name: scratch
    ephemeral:
      volumeClaimTemplate:
        spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
  tolerations:
  - {key: gpu, operator: Exists, effect: NoSchedule}
  - {key: k, value: v}
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
        - matchExpressions: [{key: gpu, operator: Gt, values: ["2"]}]
          matchFields: [{key: metadata.name, operator: In, values: [node-1]}]
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 7
        preference: {matchExpressions: [{key: fast, operator: Exists}]}
    podAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
      - topologyKey: zone
        namespaces: [a, b]
        namespaceSelector: {}
        labelSelector: {matchLabels: {app: web}}
        matchLabelKeys: [tier]
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
      - weight: 5
        podAffinityTerm:
          topologyKey: host
          labelSelector: {matchExpressions: [{key: app, operator: In, values: [web, db]}]}
  topologySpreadConstraints:
  - maxSkew: 2
    minDomains: 3
    topologyKey: zone
    whenUnsatisfiable: DoNotSchedule
    nodeTaintsPolicy: Honor
    labelSelector: {matchLabels: {app: web}}
)";

template <typename Object>
const Object& ObjectOf(const WatchEvent& event) {
  return *std::get<std::shared_ptr<const Object>>(event.object);
}

constexpr const char* kPlainPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec:
  schedulerName: nobody
  containers: [{name: main, image: none}]
)";

class Encodings : public OnKubernetes {
 protected:
  Encodings() { starts_ = false; }

  void TearDown() override {
    OnKubernetes::TearDown();
    for (const std::string& path : made_) Send("DELETE", path);
  }

  cluster::HttpResponse SendProtobuf(const std::string& path,
                                     const std::string& body) {
    return plane().api().Send({.method = "POST",
                               .path = path,
                               .body = body,
                               .content_type = cluster::kProtobufType,
                               .accept = cluster::kProtobufType});
  }

  ListPage ListIn(WatchedKind kind, const std::string& path, bool protobuf) {
    cluster::HttpRequest request;
    request.path = path;
    if (protobuf) request.accept = cluster::kProtobufType;
    const cluster::HttpResponse answer = plane().api().Send(request);
    EXPECT_EQ(cluster::IsProtobuf(answer.body), protobuf) << path;
    return cluster::ReadListPage(kind, answer.body);
  }

  // Until nothing changes between the two lists.
  template <typename Object>
  void ExpectSameLists(WatchedKind kind, const std::string& path) {
    EXPECT_TRUE(Comes([&] {
      const ListPage json = ListIn(kind, path, false);
      const ListPage protobuf = ListIn(kind, path, true);
      if (json.resource_version != protobuf.resource_version) return false;
      EXPECT_FALSE(json.changes.empty());
      EXPECT_EQ(json.changes.size(), protobuf.changes.size());
      for (std::size_t i = 0; i < json.changes.size(); ++i)
        EXPECT_TRUE(ObjectOf<Object>(json.changes[i]) ==
                    ObjectOf<Object>(protobuf.changes[i]))
            << path << " " << i;
      return true;
    })) << path;
  }

  std::vector<std::string> made_;
};

TEST_F(Encodings, ListsOfPodsAndNodesAreTheSame) {
  Submit(kRichPod);
  ExpectSameLists<cluster::Pod>(WatchedKind::kPods,
                                "/api/v1/namespaces/" + home_ + "/pods");
  ExpectSameLists<cluster::Node>(WatchedKind::kNodes, "/api/v1/nodes");
}

TEST_F(Encodings, WatchInProtobufHasTheRichPodAsInJson) {
  Submit(kRichPod);
  const auto seen = [&](bool protobuf) {
    cluster::KubernetesWatchOptions options;
    options.protobuf = protobuf;
    cluster::KubernetesWatch watch(plane().api(), options);
    std::shared_ptr<const cluster::Pod> rich;
    EXPECT_TRUE(Comes([&] {
      for (const WatchEvent& event : watch.Next(1'000, milliseconds(20))) {
        const auto* pod =
            std::get_if<std::shared_ptr<const cluster::Pod>>(&event.object);
        if (pod != nullptr && *pod != nullptr &&
            (*pod)->namespace_name == home_)
          rich = *pod;
      }
      return rich != nullptr;
    }));
    return rich;
  };
  const auto json = seen(false);
  const auto protobuf = seen(true);
  ASSERT_TRUE(json && protobuf);
  EXPECT_EQ(protobuf->request.rules->host_ports.size(), 2);
  EXPECT_EQ(protobuf->resource_version, json->resource_version);
  EXPECT_TRUE(*protobuf == *json);
}

// The API server has namespaces of its own; of the other
// kinds one object each is made.
TEST_F(Encodings, ListsOfOtherKindsAreTheSame) {
  const auto make = [this](const std::string& path, Json object) {
    object["metadata"]["name"] = home_;
    Send("POST", path, object);
    // What is in a namespace is deleted with it.
    if (path.find("/namespaces/") == path.npos)
      made_.push_back(path + "/" + home_);
  };
  const std::string in_home = "/namespaces/" + home_;
  const Json container = {{"name", "c"}, {"image", "none"}};
  const Json node = {{"key", "zone"}, {"operator", "In"}, {"values", {"a"}}};
  const Json terms = {
      {"nodeSelectorTerms",
       Json::array({{{"matchExpressions", Json::array({node})}}})}};
  make("/apis/storage.k8s.io/v1/storageclasses",
       {{"provisioner", "example.com/disk"},
        {"volumeBindingMode", "WaitForFirstConsumer"}});
  make("/api/v1/persistentvolumes",
       {{"spec",
         {{"capacity", {{"storage", "1Gi"}}},
          {"accessModes", {"ReadWriteOnce"}},
          {"local", {{"path", "/none"}}},
          {"storageClassName", home_},
          {"nodeAffinity", {{"required", terms}}}}}});
  make("/api/v1" + in_home + "/persistentvolumeclaims",
       {{"spec",
         {{"accessModes", {"ReadWriteOnce"}},
          {"storageClassName", ""},
          {"selector", {{"matchLabels", {{"a", "b"}}}}},
          {"resources", {{"requests", {{"storage", "1Gi"}}}}}}}});
  make("/apis/batch/v1" + in_home + "/jobs",
       {{"spec",
         {{"suspend", true},
          {"parallelism", 3},
          {"template",
           {{"metadata",
             {{"annotations", {{"fluence.flux-framework.org/x", "y"}}}}},
            {"spec",
             {{"restartPolicy", "Never"},
              {"containers", Json::array({container})}}}}}}}});
  const Json opaque = {{"driver", "gpu.example.com"},
                       {"parameters", {{"mode", "fast"}, {"a", 1}}}};
  make(
      "/apis/resource.k8s.io/v1/deviceclasses",
      {{"spec",
        {{"selectors",
          Json::array({{{"cel", {{"expression", "device.driver == \"x\""}}}}})},
         {"config", Json::array({{{"opaque", opaque}}})}}}});
  make("/apis/resource.k8s.io/v1/resourceslices",
       {{"spec",
         {{"driver", "gpu.example.com"},
          {"nodeName", Node(0)},
          {"pool",
           {{"name", home_}, {"generation", 1}, {"resourceSliceCount", 1}}},
          {"devices",
           Json::array(
               {{{"name", "gpu-0"},
                 {"attributes",
                  {{"model", {{"string", "a"}}}, {"index", {{"int", 0}}}}},
                 {"capacity", {{"memory", {{"value", "40Gi"}}}}}}})}}}});
  make("/apis/resource.k8s.io/v1" + in_home + "/resourceclaims",
       {{"spec",
         {{"devices",
           {{"requests",
             Json::array(
                 {{{"name", "all"},
                   {"exactly",
                    {{"deviceClassName", home_}, {"allocationMode", "All"}}}},
                  {{"name", "one"},
                   {"exactly", {{"deviceClassName", home_}}}}})},
            {"config",
             Json::array({{{"requests", {"one"}}, {"opaque", opaque}}})}}}}}});

  ExpectSameLists<cluster::Namespace>(WatchedKind::kNamespaces,
                                      "/api/v1/namespaces");
  ExpectSameLists<cluster::StorageClass>(
      WatchedKind::kStorageClasses, "/apis/storage.k8s.io/v1/storageclasses");
  ExpectSameLists<cluster::Volume>(WatchedKind::kVolumes,
                                   "/api/v1/persistentvolumes");
  ExpectSameLists<cluster::VolumeClaim>(
      WatchedKind::kVolumeClaims,
      "/api/v1" + in_home + "/persistentvolumeclaims");
  ExpectSameLists<cluster::JobAnnotations>(
      WatchedKind::kJobs, "/apis/batch/v1" + in_home + "/jobs");
  ExpectSameLists<cluster::DeviceClass>(
      WatchedKind::kDeviceClasses, "/apis/resource.k8s.io/v1/deviceclasses");
  ExpectSameLists<cluster::ResourceSlice>(
      WatchedKind::kResourceSlices, "/apis/resource.k8s.io/v1/resourceslices");
  ExpectSameLists<cluster::ResourceClaim>(
      WatchedKind::kResourceClaims,
      "/apis/resource.k8s.io/v1" + in_home + "/resourceclaims");
}

TEST_F(Encodings, BindingInProtobufGivesThePodItsNode) {
  Submit(kPlainPod);
  const cluster::Pod pod = PodNamed("plain");
  const auto answer =
      SendProtobuf(Path("pods/plain") + "/binding",
                   cluster::BindingInProtobuf({home_,
                                               "plain",
                                               pod.uid,
                                               pod.resource_version,
                                               Node(0),
                                               {{"example.com/a", "b"}}}));
  EXPECT_EQ(answer.status, 201) << answer.body;
  EXPECT_TRUE(cluster::IsProtobuf(answer.body));
  EXPECT_EQ(PodNamed("plain").node_name, Node(0));
  EXPECT_EQ(Get("pods/plain")["metadata"]["annotations"]["example.com/a"], "b");
  // With the UID of another pod it is a conflict, which is said in Protobuf.
  const auto conflict = SendProtobuf(
      Path("pods/plain") + "/binding",
      cluster::BindingInProtobuf({home_, "plain", "other", "", Node(0)}));
  EXPECT_EQ(conflict.status, 409);
  EXPECT_TRUE(cluster::IsProtobuf(conflict.body));
  EXPECT_THAT(cluster::ReadStatusMessage(conflict.body),
              ::testing::HasSubstr("UID in precondition: other"));
}

TEST_F(Encodings, EventInProtobufIsWhatItIsInJson) {
  const std::string path = "/api/v1/namespaces/" + home_ + "/events";
  const cluster::PodEvent event{
      home_, "plain", "u", true, "FailedScheduling", "no room"};
  const auto time = cluster::ParseTimestamp("2026-01-02T03:04:05Z").value();
  EXPECT_EQ(
      SendProtobuf(path, cluster::EventInProtobuf(event, "a", time)).status,
      201);
  Send("POST", path, Json::parse(cluster::WriteEvent(event, "b", time)));
  Json protobuf = Send("GET", path + "/a");
  Json json = Send("GET", path + "/b");
  protobuf.erase("metadata");
  json.erase("metadata");
  EXPECT_EQ(protobuf, json);
}

TEST_F(Encodings, PatchIsAnsweredWithTheMetadataAlone) {
  Submit(kPlainPod);
  for (const bool in_protobuf : {true, false}) {
    cluster::HttpRequest request;
    request.method = "PATCH";
    request.path = Path("pods/plain") + "/status";
    request.body = cluster::WriteConditionPatch(
        {home_, "plain", "", "Unschedulable", in_protobuf ? "a" : "b"});
    request.content_type = "application/strategic-merge-patch+json";
    request.accept = cluster::ApiEncoding(in_protobuf).Metadata();
    const auto answer = plane().api().Send(request);
    EXPECT_EQ(answer.status, 200) << answer.body;
    EXPECT_EQ(cluster::IsProtobuf(answer.body), in_protobuf);
    EXPECT_EQ(in_protobuf ? cluster::OpenEnvelope(answer.body).kind
                          : std::string(Json::parse(answer.body)["kind"]),
              "PartialObjectMetadata");
    cluster::ApiEncoding(true).Read(
        answer, [&](const cluster::EncodedValue& object) {
          EXPECT_EQ(Text(At(object, "metadata"), "resourceVersion"),
                    PodNamed("plain").resource_version);
        });
  }
}

}  // namespace
}  // namespace fluxnetes::testing
