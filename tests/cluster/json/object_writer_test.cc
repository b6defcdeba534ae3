#include "cluster/json/object_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cluster/json/objects.h"

namespace fluxnetes::cluster {
namespace {

using Json = nlohmann::json;

Pod FullPod() {
  Pod pod;
  pod.namespace_name = "a";
  pod.name = "train-0";
  pod.uid = "1234-5678";
  pod.resource_version = "42";
  pod.scheduler_name = "fluxnetes";
  pod.node_name = "node\"7\\";
  pod.phase = PodPhase::kFailed;
  pod.reason = "OutOfcpu";
  pod.terminating = true;
  pod.gated = true;
  pod.labels = {{"fluxnetes.group-name", "tr\x01in 'ü' 𝄞"},
                {"fluxnetes.group-size", "3"}};
  pod.annotations = {{"fluxnetes.io/note", "x\ny"}};
  pod.request.resources.cpu_milli = 1'500;
  pod.request.resources.memory_bytes = 4'294'967'297;
  pod.request.resources.ephemeral_bytes = 10'000'000;
  pod.request.resources.pods = 1;
  pod.request.resources.SetExtended("nvidia.com/gpu", 2);
  pod.request.node_selector = {{"zone", "a"}};
  pod.request.node_affinity = {{{"rack", "In", {"1", "2"}, false},
                                {"metadata.name", "In", {"n1"}, true}},
                               {{"gpu", "Exists", {}, false}}};
  pod.request.tolerations = {{"k", false, "v", "NoSchedule"},
                             {"", true, "", ""}};
  pod.priority = -5;
  pod.preempts = false;
  pod.grace = std::chrono::seconds(0);
  pod.active_deadline = std::chrono::seconds(90);
  pod.controller = Owner{"Job", "train", "99"};
  pod.completion_index = 0;
  pod.created_at = Time(std::chrono::microseconds(1'767'225'600'123'456));
  return pod;
}

TEST(ObjectWriter, PodComesBackAsItWas) {
  const Pod pod = FullPod();
  const Pod read = DecodePod(Json::parse(WritePod(pod)));
  EXPECT_EQ(read.request, pod.request);
  EXPECT_EQ(WritePod(read), WritePod(pod));
  EXPECT_EQ(read.labels, pod.labels);
  EXPECT_EQ(read.annotations, pod.annotations);
  EXPECT_EQ(read.node_name, pod.node_name);
  EXPECT_EQ(read.phase, pod.phase);
  EXPECT_EQ(read.reason, pod.reason);
  EXPECT_TRUE(read.terminating);
  EXPECT_TRUE(read.gated);
  EXPECT_EQ(read.priority, pod.priority);
  EXPECT_FALSE(read.preempts);
  EXPECT_EQ(read.grace, pod.grace);
  EXPECT_EQ(read.active_deadline, pod.active_deadline);
  EXPECT_EQ(read.controller, pod.controller);
  EXPECT_EQ(read.completion_index, pod.completion_index);
  EXPECT_EQ(read.created_at, pod.created_at);
  EXPECT_EQ(read.scheduler_name, pod.scheduler_name);
  EXPECT_EQ(read.resource_version, pod.resource_version);
}

TEST(ObjectWriter, PlainPodHasNoMoreThanItNeeds) {
  Pod pod;
  pod.namespace_name = "a";
  pod.name = "b";
  pod.uid = "c";
  const Json json = Json::parse(WritePod(pod));
  EXPECT_EQ(json["metadata"],
            Json({{"namespace", "a"}, {"name", "b"}, {"uid", "c"}}));
  EXPECT_EQ(json["status"], Json({{"phase", "Pending"}}));
  EXPECT_FALSE(json["spec"].contains("nodeName"));
}

TEST(ObjectWriter, ConditionIsShownOnThePod) {
  const Json json = Json::parse(WritePod(
      FullPod(), PodCondition{"a", "train-0", "", "Unschedulable", "wait"}));
  const Json& condition = json["status"]["conditions"][0];
  EXPECT_EQ(condition["type"], "PodScheduled");
  EXPECT_EQ(condition["status"], "False");
  EXPECT_EQ(condition["reason"], "Unschedulable");
  EXPECT_EQ(condition["message"], "wait");
}

TEST(ObjectWriter, ConditionSaysThatAPodIsToGo) {
  PodCondition condition{"a", "train-0", "", "PreemptionByScheduler", "for b"};
  condition.type = PodCondition::Type::kDisruptionTarget;
  const Json json = Json::parse(WriteConditionPatch(condition));
  EXPECT_EQ(json["status"]["conditions"],
            Json({{{"type", "DisruptionTarget"},
                   {"status", "True"},
                   {"reason", "PreemptionByScheduler"},
                   {"message", "for b"}}}));
}

TEST(ObjectWriter, NodeComesBackAsItWas) {
  Node node;
  node.name = "n1";
  node.uid = "u";
  node.resource_version = "7";
  node.allocatable.cpu_milli = 64'000;
  node.allocatable.memory_bytes = std::int64_t{256} << 30U;
  node.allocatable.pods = 110;
  node.allocatable.SetExtended("nvidia.com/gpu", 8);
  node.labels = {{"zone", "a"}};
  node.taints = {{"gpu", "", "NoSchedule"}, {"k", "v", "NoExecute"}};
  node.unschedulable = true;
  node.ready = false;
  node.structure.Own() = "sockets: 2, cores: 8";
  EXPECT_EQ(DecodeNode(Json::parse(WriteNode(node))), node);
  EXPECT_EQ(DecodeNode(Json::parse(WriteNode(Node{}))), Node{});
}

TEST(ObjectWriter, JobShowsItsState) {
  KubernetesJobStatus status;
  status.job.namespace_name = "a";
  status.job.name = "train";
  status.job.parallelism = 3;
  status.job.completions = std::nullopt;
  status.job.indexed = true;
  status.job.suspend = true;
  status.uid = "u";
  status.state = KubernetesJobStatus::State::kFailed;
  status.reason = "BackoffLimitExceeded";
  status.failed = 7;
  status.ended_at = Time(std::chrono::seconds(1));
  const Json json = Json::parse(WriteJob(status));
  const KubernetesJob read = DecodeJob(json);
  EXPECT_EQ(read.parallelism, 3);
  EXPECT_EQ(read.completions, std::nullopt);
  EXPECT_TRUE(read.indexed);
  EXPECT_TRUE(read.suspend);
  EXPECT_EQ(json["status"]["failed"], 7);
  EXPECT_EQ(json["status"]["conditions"][0]["type"], "Failed");
  EXPECT_EQ(json["status"]["conditions"][0]["reason"], "BackoffLimitExceeded");
  EXPECT_FALSE(json["status"].contains("completionTime"));
  status.state = KubernetesJobStatus::State::kComplete;
  EXPECT_EQ(Json::parse(WriteJob(status))["status"]["completionTime"],
            "1970-01-01T00:00:01Z");
}

TEST(ObjectWriter, BindingNamesItsPreconditions) {
  EXPECT_EQ(Json::parse(WriteBinding({"a", "p", "uid", "7", "n1"})),
            Json::parse(R"({"apiVersion": "v1", "kind": "Binding",
              "metadata": {"namespace": "a", "name": "p", "uid": "uid",
                           "resourceVersion": "7"},
              "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}})"));
  EXPECT_FALSE(
      Json::parse(WriteBinding({"a", "p", "", "", "n1"}))["metadata"].contains(
          "resourceVersion"));
}

TEST(ObjectWriter, DeleteIsInTheBackgroundAndOfOneUid) {
  EXPECT_EQ(Json::parse(WriteDeleteOptions("u")),
            Json::parse(R"({"apiVersion": "v1", "kind": "DeleteOptions",
              "propagationPolicy": "Background",
              "preconditions": {"uid": "u"}})"));
  EXPECT_FALSE(Json::parse(WriteDeleteOptions("")).contains("preconditions"));
}

TEST(ObjectWriter, TouchIsNoAnnotationThatWeRead) {
  Json pod = Json::parse(WritePod(FullPod()));
  const Pod before = DecodePod(pod);
  pod.merge_patch(Json::parse(WriteTouchPatch(before.uid, "mark")));
  EXPECT_EQ(pod["metadata"]["annotations"][kTouchAnnotation], "mark");
  EXPECT_EQ(DecodePod(pod).annotations, before.annotations);
}

}  // namespace
}  // namespace fluxnetes::cluster
