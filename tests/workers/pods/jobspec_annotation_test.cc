#include "workers/pods/jobspec_annotation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "workers/jobspecs/pod_jobspec.h"
#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

// Two racks of two nodes with two pods of eight cores each in one socket.
std::string RacksOfSockets(const std::string& attributes = "") {
  return R"(
version: 1
resources:
  - type: rack
    count: 2
    with:
      - type: node
        count: 2
        exclusive: true
        with:
          - type: slot
            label: default
            count: 2
            with:
              - {type: socket, count: 1, with: [{type: core, count: 8}]}
tasks: [{command: [train], slot: default, count: {per_slot: 1}}]
attributes: {)" +
         attributes + "}\n";
}

class JobspecAnnotations : public ::testing::Test {
 protected:
  // A pod of the Job train with eight cpus.
  static cluster::Pod PodWith(
      std::map<std::string, std::string> labels,
      std::map<std::string, std::string> annotations = {}) {
    cluster::Pod pod;
    pod.namespace_name = "science";
    pod.name = "train-0";
    pod.request.resources.cpu_milli = 8000;
    pod.labels = std::move(labels);
    pod.annotations = std::move(annotations);
    pod.controller = cluster::Owner{"Job", "train", "job-uid"};
    return pod;
  }
  static cluster::Pod PodWithJobspec(
      const std::string& text = RacksOfSockets(),
      std::map<std::string, std::string> labels = {}) {
    return PodWith(std::move(labels), {{kJobspecAnnotation, text}});
  }

  void PutJob(const std::string& text) {
    auto job = std::make_shared<cluster::JobAnnotations>();
    job->uid = "job-uid";
    job->resource_version = std::to_string(++version_);
    job->annotations[kJobspecAnnotation] = text;
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::shared_ptr<const cluster::JobAnnotations>(std::move(job))};
    cache_.Apply({&event, 1});
  }

  GroupLabels Read(const cluster::Pod& pod) const {
    return ReadGroupTerms(pod, cache_, &topologies_);
  }

  cluster::ClusterCache cache_;
  QueueTopologies topologies_;
  int version_ = 0;
};

TEST_F(JobspecAnnotations, PoolsAreAskedForBesideIt) {
  const GroupLabels labels =
      Read(PodWithJobspec(RacksOfSockets(), {{"fluxnetes.pool/matlab", "3"}}));
  EXPECT_EQ(labels.refused, "");
  EXPECT_EQ(labels.topology.pools, (cluster::PoolAmounts{{"matlab", 3}}));
  EXPECT_TRUE(labels.topology.whole_nodes);
}

TEST_F(JobspecAnnotations, GivesTheGroupOfAJobItsSizeAndTopology) {
  const GroupLabels labels = Read(PodWithJobspec());
  EXPECT_EQ(labels.refused, "");
  EXPECT_EQ(labels.group_name, "train");
  EXPECT_EQ(labels.group_size, 8);
  EXPECT_EQ(labels.topology.required_parts,
            (std::vector<cluster::TopologyLevel>{
                {"topology.kubernetes.io/rack", 4}}));
  EXPECT_EQ(labels.topology.per_node, (cluster::PodsPerNode{2, false}));
  EXPECT_TRUE(labels.topology.whole_nodes);
  EXPECT_THAT(labels.inside.jobspec, HasSubstr("socket"));
}

TEST_F(JobspecAnnotations, NamesLevelsAsTheQueueDoes) {
  topologies_["default"] = {"example.com/rack"};
  EXPECT_EQ(Read(PodWithJobspec()).topology.required_parts,
            (std::vector<cluster::TopologyLevel>{{"example.com/rack", 4}}));
}

TEST_F(JobspecAnnotations, NamesLevelsAsTheQueueThatItNamesItselfDoes) {
  topologies_["default"] = {"example.com/rack"};
  topologies_["deep"] = {"deep.example.com/rack"};
  EXPECT_EQ(
      Read(PodWithJobspec(RacksOfSockets("system: {queue: deep}")))
          .topology.required_parts,
      (std::vector<cluster::TopologyLevel>{{"deep.example.com/rack", 4}}));
  EXPECT_EQ(Read(PodWithJobspec(RacksOfSockets("system: {queue: plain}")))
                .topology.required_parts,
            (std::vector<cluster::TopologyLevel>{
                {"topology.kubernetes.io/rack", 4}}));
}

TEST_F(JobspecAnnotations, OfTheJobIsJudgedBeforeTheJobIsCreated) {
  cluster::JobAnnotations job;
  EXPECT_EQ(WhyLabelsAreRefused(PodWith({}), &job), "");
  job.annotations[kJobspecAnnotation] = RacksOfSockets();
  EXPECT_EQ(WhyLabelsAreRefused(PodWith({}), &job), "");
  EXPECT_THAT(WhyLabelsAreRefused(PodWith({{kGroupSizeLabel, "6"}}), &job),
              HasSubstr("annotation fluxnetes.jobspec of Job train: "
                        "resources[0].count: the jobspec has 8 slots"));
}

TEST_F(JobspecAnnotations, OfTheJobCountsForItsPods) {
  EXPECT_EQ(Read(PodWith({})).group_size, 1);
  PutJob(RacksOfSockets());
  EXPECT_EQ(Read(PodWith({})).group_size, 8);
  EXPECT_EQ(Read(PodWithJobspec()).refused, "");
  EXPECT_EQ(Read(PodWithJobspec(RacksOfSockets("user: {}"))).refused,
            "annotation fluxnetes.jobspec: the pod's Job train has another "
            "one; both must be the same, or one left out");
  PutJob("version: 1");
  EXPECT_EQ(Read(PodWith({})).refused,
            "annotation fluxnetes.jobspec of Job train: line 1: the jobspec: "
            "has no \"resources\", which is required");
}

TEST_F(JobspecAnnotations, SizeOfALabelMustBeThatOfTheJobspec) {
  EXPECT_EQ(
      Read(PodWithJobspec(RacksOfSockets(), {{kGroupSizeLabel, "8"}})).refused,
      "");
  EXPECT_EQ(
      Read(PodWithJobspec(RacksOfSockets(), {{kGroupSizeLabel, "6"}})).refused,
      "annotation fluxnetes.jobspec: resources[0].count: the jobspec has "
      "8 slots, but the group has 6 pods; a slot is a pod, so both must "
      "be the same");
  cluster::Pod alone = PodWithJobspec();
  alone.controller.reset();
  EXPECT_THAT(Read(alone).refused, HasSubstr("but the group has 1 pods"));
}

TEST_F(JobspecAnnotations, LabelsForTheSameAreRefused) {
  for (const auto& [label, value] : std::map<std::string, std::string>{
           {"fluxnetes.topology-required", "rack"},
           {"fluxnetes.pods-per-node", "2"},
           {"fluxnetes.exclusive", "true"},
           {"fluxnetes.align", "numa"},
           {"fluxnetes.cpus", "exclusive"}}) {
    EXPECT_EQ(Read(PodWithJobspec(RacksOfSockets(), {{label, value}})).refused,
              "label " + label + " is \"" + value +
                  "\": the annotation fluxnetes.jobspec says all of it; it "
                  "must be left out");
  }
  cluster::Pod of_kueue = PodWithJobspec();
  of_kueue.annotations["kueue.x-k8s.io/podset-required-topology"] =
      "topology.kubernetes.io/rack";
  EXPECT_THAT(Read(of_kueue).refused, HasSubstr("annotations of Kueue"));
}

TEST_F(JobspecAnnotations, QueueDurationAndNodesAreTheJobspecsWhereNotSaid) {
  const std::string text = RacksOfSockets(
      "system: {queue: debug, duration: 60, constraints: {properties: "
      "[\"a/x\"]}}");
  const GroupLabels labels = Read(PodWithJobspec(text));
  EXPECT_EQ(labels.refused, "");
  EXPECT_EQ(labels.queue, "debug");
  EXPECT_EQ(labels.duration, std::chrono::seconds(60));
  EXPECT_EQ(Read(PodWithJobspec(text, {{kQueueLabel, "long"}})).refused,
            "annotation fluxnetes.jobspec: attributes.system.queue: is "
            "\"debug\", but the label fluxnetes.queue is \"long\"; both must "
            "be the same, or one left out");
  cluster::Pod pod = PodWithJobspec(text);
  pod.active_deadline = std::chrono::seconds(30);
  EXPECT_EQ(Read(pod).duration, std::chrono::seconds(30));
  pod.request.node_affinity = {{{"b/y", "Exists", {}}},
                               {{"b/z", "Exists", {}}}};
  const auto request = RequestOf(pod, Read(pod));
  ASSERT_EQ(request.node_affinity.size(), 2U);
  EXPECT_EQ(request.node_affinity[0].size(), 2U);
  EXPECT_EQ(request.node_affinity[1][1].key, "a/x");
}

TEST_F(JobspecAnnotations, AmountsOfThePodMustBeThoseOfTheSlot) {
  cluster::Pod pod = PodWithJobspec();
  pod.request.resources.cpu_milli = 4000;
  EXPECT_THAT(Read(pod).refused,
              HasSubstr("the slot has 8 cores, but the pod requests 4 cores"));
}

TEST_F(JobspecAnnotations, PodOfADaemonSetHasNoNodeForItself) {
  cluster::Pod pod = PodWithJobspec(
      "{\"version\": 1, \"resources\": [{\"type\": \"slot\", \"label\": "
      "\"default\", \"count\": 1, \"with\": [{\"type\": \"node\", \"count\": "
      "1}]}], \"tasks\": [], \"attributes\": null}");
  EXPECT_EQ(Read(pod).refused, "");
  pod.controller = cluster::Owner{"DaemonSet", "agent", "set-uid"};
  EXPECT_THAT(Read(pod).refused, HasSubstr("a pod of a DaemonSet shares"));
}

TEST_F(JobspecAnnotations, LabelOfTheNameIsRefused) {
  EXPECT_NE(Read(PodWith({{kJobspecAnnotation, "x"}})).refused, "");
}

}  // namespace
}  // namespace fluxnetes::workers
