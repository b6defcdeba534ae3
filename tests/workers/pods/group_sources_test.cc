// Groups from labels and objects of other systems (group_labels.h).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "workers/pods/group_labels.h"

namespace fluxnetes::workers {
namespace {

using cluster::PodGroupApi;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Marks = std::map<std::string, std::string>;

constexpr const char* kCoscheduling = cluster::kCoschedulingLabel;

class GroupSources : public ::testing::Test {
 protected:
  static cluster::Pod PodWith(const Marks& labels, Marks annotations = {}) {
    cluster::Pod pod;
    pod.namespace_name = "science";
    pod.name = "train-0";
    pod.labels = labels;
    pod.annotations = std::move(annotations);
    return pod;
  }
  static cluster::Pod OfJob(const Marks& labels, Marks annotations = {}) {
    cluster::Pod pod = PodWith(labels, std::move(annotations));
    pod.controller = cluster::Owner{"Job", "train", "job-uid"};
    return pod;
  }
  static cluster::Pod OfNativeGroup(const Marks& labels = {}) {
    cluster::Pod pod = PodWith(labels);
    pod.scheduling_group = "workers";
    return pod;
  }

  template <typename Object>
  void Put(Object object) {
    object.resource_version = std::to_string(++version_);
    const cluster::WatchEvent event{
        cluster::WatchEvent::Kind::kChanged,
        std::make_shared<const Object>(std::move(object))};
    cache_.Apply({&event, 1});
  }
  void PutGroup(PodGroupApi api, const std::string& name,
                std::optional<std::int32_t> size, bool unknown = false) {
    cluster::PodGroup group;
    group.name = {api, "science", name};
    group.min_members = size;
    group.unknown_policy = unknown;
    Put(group);
  }
  void PutJob(Marks annotations, int parallelism) {
    cluster::JobAnnotations job;
    job.uid = "job-uid";
    job.annotations = std::move(annotations);
    job.parallelism = parallelism;
    Put(job);
  }

  // "name of size", or the reason of the refusal.
  std::string Read(const cluster::Pod& pod) const {
    const GroupLabels labels = ReadGroupLabels(pod, cache_);
    EXPECT_EQ(labels.group_size.has_value(), labels.refused.empty());
    if (!labels.refused.empty()) return labels.refused;
    return labels.group_name + " of " + std::to_string(*labels.group_size);
  }

  cluster::ClusterCache cache_;
  int version_ = 0;
};

constexpr const char* kAlone = "fluxnetes-group-science-train-0 of 1";

TEST_F(GroupSources, FluenceNamesAndSizesByLabelOrAnnotation) {
  const Marks marks = {{kFluenceNameLabel, "lammps"}, {kFluenceSizeLabel, "4"}};
  EXPECT_EQ(Read(PodWith(marks)), "lammps of 4");
  EXPECT_EQ(Read(PodWith({}, marks)), "lammps of 4");
  EXPECT_EQ(Read(PodWith({{kFluenceNameLabel, "lammps"}},
                         {{kFluenceSizeLabel, "4"}})),
            "lammps of 4");
  EXPECT_EQ(Read(PodWith({{kFluenceNameLabel, "lammps"}})), "lammps of 1");
}

TEST_F(GroupSources, FluenceLabelAndAnnotationThatDisagreeAreRefused) {
  EXPECT_EQ(Read(PodWith({{kFluenceNameLabel, "a"}, {kFluenceSizeLabel, "4"}},
                         {{kFluenceNameLabel, "a"}, {kFluenceSizeLabel, "5"}})),
            "label and annotation fluence.flux-framework.org/group-size are "
            "\"4\" and \"5\": they must be the same");
}

TEST_F(GroupSources, FluenceValueThatCannotBeUsedIsRefusedByItsName) {
  EXPECT_THAT(Read(PodWith(
                  {}, {{kFluenceNameLabel, "a"}, {kFluenceSizeLabel, "many"}})),
              StartsWith("annotation fluence.flux-framework.org/group-size is "
                         "\"many\": it is not a whole number"));
  EXPECT_THAT(Read(PodWith({{kFluenceNameLabel, "-"}})),
              StartsWith("label fluence.flux-framework.org/pod-group is "));
}

TEST_F(GroupSources, FluenceNameWithoutSizeOnAJobsPodsHasItsParallelism) {
  const auto pod = OfJob({{kFluenceNameLabel, "lammps"}});
  EXPECT_THAT(Read(pod), HasSubstr("must be accompanied by "
                                   "fluence.flux-framework.org/group-size"));
  PutJob({{kFluenceNameLabel, "lammps"}}, 8);
  EXPECT_EQ(Read(pod), "lammps of 8");
}

TEST_F(GroupSources, FluenceMarksOfTheJobCountForItsPods) {
  EXPECT_EQ(Read(OfJob({})), kAlone);
  PutJob({{kFluenceNameLabel, "lammps"}, {kFluenceSizeLabel, "3"}}, 8);
  EXPECT_EQ(Read(OfJob({})), "lammps of 3");
  PutJob({{kFluenceNameLabel, "lammps"}}, 8);
  EXPECT_EQ(Read(OfJob({})), "lammps of 8");
  PutJob({{kFluenceNameLabel, "lammps"}, {kFluenceSizeLabel, "0"}}, 8);
  EXPECT_THAT(Read(OfJob({})),
              StartsWith("label fluence.flux-framework.org/group-size of Job "
                         "train is \"0\": a group has at least one pod"));
}

TEST_F(GroupSources, JobWithoutAWordIsNoGang) {
  EXPECT_EQ(Read(OfJob({{"batch.kubernetes.io/job-name", "train"},
                        {"jobset.sigs.k8s.io/jobset-name", "set"}})),
            kAlone);
}

TEST_F(GroupSources, SizeAloneMakesAGangOfTheJob) {
  EXPECT_EQ(Read(OfJob({{kGroupSizeLabel, "8"}})), "train of 8");
  EXPECT_EQ(Read(OfJob({{kGroupSizeLabel, "1"}})), kAlone);
  EXPECT_EQ(Read(OfJob({{kGroupSizeLabel, "8"}, {kGroupByLabel, "job"}})),
            "train of 8");
  EXPECT_EQ(Read(OfJob({{kGroupSizeLabel, "1"}, {kGroupByLabel, "job"}})),
            kAlone);
  EXPECT_THAT(Read(OfJob({{kGroupSizeLabel, "x"}})),
              StartsWith("label fluxnetes.group-size is \"x\""));
  EXPECT_THAT(Read(PodWith({{kGroupSizeLabel, "8"}})),
              HasSubstr("the pod names no group"));
}

TEST_F(GroupSources, SizeOfAJobSetMakesAGangOfIt) {
  const char* const set = "jobset.sigs.k8s.io/jobset-name";
  const auto read = [&](Marks labels) {
    labels[kGroupByLabel] = "jobset";
    return Read(OfJob(labels));
  };
  EXPECT_EQ(read({{kGroupSizeLabel, "12"}, {set, "llm"}}), "llm of 12");
  EXPECT_EQ(read({{kGroupSizeLabel, "1"}, {set, "llm"}}), "llm of 1");
  EXPECT_EQ(Read(OfJob({{kGroupSizeLabel, "4"}, {set, "llm"}})), "train of 4");
  EXPECT_THAT(read({{kGroupSizeLabel, "4"}}), HasSubstr("is of no JobSet"));
  EXPECT_THAT(read({{set, "llm"}}),
              HasSubstr("accompanied by the label fluxnetes.group-size"));
  EXPECT_THAT(
      read({{kGroupNameLabel, "a"}, {kGroupSizeLabel, "4"}, {set, "llm"}}),
      HasSubstr("it must be left out"));
  EXPECT_THAT(Read(OfJob({{kGroupSizeLabel, "4"}, {kGroupByLabel, "set"}})),
              HasSubstr("it must be job, jobset or leaderworkerset"));
}

TEST_F(GroupSources, ReplicaOfALeaderWorkerSetIsAGang) {
  const std::string of_set = "leaderworkerset.sigs.k8s.io/";
  auto worker = PodWith({{kGroupByLabel, "leaderworkerset"},
                         {of_set + "name", "vllm"},
                         {of_set + "group-index", "2"},
                         {of_set + "worker-index", "1"}});
  worker.annotations[of_set + "size"] = "4";
  EXPECT_EQ(Read(worker), "vllm-2 of 4");
  EXPECT_FALSE(ReadGroupLabels(worker, cache_).begins_group);
  auto leader = worker;
  leader.labels[of_set + "worker-index"] = "0";
  EXPECT_EQ(Read(leader), "vllm-2 of 4");
  EXPECT_TRUE(ReadGroupLabels(leader, cache_).begins_group);

  auto plain = worker;
  plain.labels.erase(kGroupByLabel);
  EXPECT_EQ(Read(plain), kAlone);
  auto other = worker;
  other.labels[kGroupSizeLabel] = "3";
  EXPECT_THAT(Read(other),
              HasSubstr("that of LeaderWorkerSet vllm, of size 4"));
  for (const char* mark : {"name", "group-index"}) {
    auto lacking = worker;
    lacking.labels.erase(of_set + mark);
    EXPECT_THAT(Read(lacking),
                HasSubstr("is of no LeaderWorkerSet: it has no label " +
                          of_set + mark));
  }
  worker.annotations.clear();
  EXPECT_THAT(Read(worker),
              HasSubstr("it has no annotation " + of_set + "size"));
}

TEST_F(GroupSources, CoschedulingGroupHasTheSizeOfItsPodGroup) {
  const auto pod = PodWith({{kCoscheduling, "workers"}});
  PutGroup(PodGroupApi::kCoscheduling, "workers", 3);
  EXPECT_EQ(Read(pod), "workers of 3");
  PutGroup(PodGroupApi::kCoscheduling, "workers", 4);
  EXPECT_EQ(Read(pod), "workers of 4");
}

TEST_F(GroupSources, PodWaitsForItsPodGroup) {
  EXPECT_EQ(Read(PodWith({{kCoscheduling, "workers"}})),
            "label scheduling.x-k8s.io/pod-group names PodGroup "
            "science/workers (scheduling.x-k8s.io), which is not there; its "
            "pods wait for it");
  EXPECT_EQ(Read(OfNativeGroup()),
            "spec.schedulingGroup names PodGroup science/workers "
            "(scheduling.k8s.io), which is not there; its pods wait for it");
  const auto labels = ReadGroupLabels(OfNativeGroup(), cache_);
  EXPECT_EQ(labels.group_name, "workers");
}

TEST_F(GroupSources, PodGroupWithoutAUsableSizeIsRefused) {
  PutGroup(PodGroupApi::kCoscheduling, "workers", std::nullopt);
  EXPECT_EQ(Read(PodWith({{kCoscheduling, "workers"}})),
            "PodGroup science/workers (scheduling.x-k8s.io) has no minMember "
            "from 1 on");
  PutGroup(PodGroupApi::kCoscheduling, "workers", -1);
  EXPECT_THAT(Read(PodWith({{kCoscheduling, "workers"}})),
              HasSubstr("has no minMember"));
}

TEST_F(GroupSources, NativeGroupIsAGangIfItsPolicySaysSo) {
  PutGroup(PodGroupApi::kNative, "workers", 5);
  EXPECT_EQ(Read(OfNativeGroup()), "workers of 5");
  PutGroup(PodGroupApi::kNative, "workers", std::nullopt);
  EXPECT_EQ(Read(OfNativeGroup()), kAlone);
  PutGroup(PodGroupApi::kNative, "workers", std::nullopt, true);
  EXPECT_THAT(Read(OfNativeGroup()), HasSubstr("neither gang nor basic"));
}

TEST_F(GroupSources, ConstraintOfANativeGroupIsRequired) {
  cluster::PodGroup group;
  group.name = {PodGroupApi::kNative, "science", "workers"};
  group.min_members = 5;
  group.topology = {"topology.kubernetes.io/rack"};
  group.priority = 7;
  Put(group);
  const auto labels = ReadGroupLabels(OfNativeGroup(), cache_);
  EXPECT_EQ(labels.topology.required, "topology.kubernetes.io/rack");
  EXPECT_EQ(labels.priority, 7);
  EXPECT_EQ(Read(OfNativeGroup({{"fluxnetes.topology-required", "rack"}})),
            "workers of 5");
  EXPECT_EQ(Read(OfNativeGroup({{"fluxnetes.topology-preferred", "host"}})),
            "workers of 5");
  EXPECT_EQ(Read(OfNativeGroup({{"fluxnetes.topology-required", "zone"}})),
            "fluxnetes.topology-required is \"topology.kubernetes.io/zone\": "
            "the group is that of PodGroup science/workers (scheduling.k8s.io)"
            ", which constrains topology.kubernetes.io/rack; it must be the "
            "same, or left out");
  EXPECT_THAT(Read(OfNativeGroup({{"fluxnetes.topology-preferred", "zone"}})),
              HasSubstr("wider than rack"));
  group.min_members.reset();
  Put(group);
  EXPECT_THAT(Read(OfNativeGroup()),
              HasSubstr("has a topology constraint and the policy basic"));
}

TEST_F(GroupSources, NativeGroupWithResourceClaimsIsRefused) {
  cluster::PodGroup group;
  group.name = {PodGroupApi::kNative, "science", "workers"};
  group.min_members = 5;
  group.resource_claims = {"fabric"};
  Put(group);
  EXPECT_EQ(Read(OfNativeGroup()),
            "PodGroup science/workers (scheduling.k8s.io) has resourceClaims "
            "(dynamic resource allocation), which this scheduler does not "
            "support");
}

TEST_F(GroupSources, FirstThatNamesAGroupCounts) {
  PutGroup(PodGroupApi::kCoscheduling, "b", 3);
  PutGroup(PodGroupApi::kNative, "workers", 5);
  PutJob({{kFluenceNameLabel, "c"}, {kFluenceSizeLabel, "6"}}, 8);
  Marks labels = {{kGroupNameLabel, "ours"},
                  {kGroupSizeLabel, "2"},
                  {kFluenceNameLabel, "a"},
                  {kFluenceSizeLabel, "4"},
                  {kCoscheduling, "b"}};
  const auto read = [&] {
    cluster::Pod pod = OfJob(labels);
    pod.scheduling_group = "workers";
    return Read(pod);
  };
  EXPECT_EQ(read(), "ours of 2");
  labels.erase(kGroupNameLabel);
  labels.erase(kGroupSizeLabel);
  EXPECT_EQ(read(), "a of 4");
  labels.erase(kFluenceNameLabel);
  EXPECT_EQ(read(), "b of 3");
  labels.erase(kCoscheduling);
  EXPECT_EQ(read(), "workers of 5");
  EXPECT_EQ(Read(OfJob({{kGroupSizeLabel, "7"}})), "train of 7");
  EXPECT_EQ(Read(OfJob({})), "c of 6");
}

TEST_F(GroupSources, OurSizeMustAgreeWithTheirs) {
  PutGroup(PodGroupApi::kCoscheduling, "b", 3);
  EXPECT_EQ(Read(PodWith({{kCoscheduling, "b"}, {kGroupSizeLabel, "3"}})),
            "b of 3");
  EXPECT_EQ(Read(PodWith({{kCoscheduling, "b"}, {kGroupSizeLabel, "4"}})),
            "label fluxnetes.group-size is \"4\": the group is that of "
            "PodGroup science/b (scheduling.x-k8s.io), of size 3; it must be "
            "the same, or left out");
}

TEST_F(GroupSources, BeforeItIsCreatedOnlyLabelsAreJudged) {
  const cluster::JobAnnotations job;
  EXPECT_EQ(WhyLabelsAreRefused(PodWith({{kCoscheduling, "b"}}), nullptr), "");
  EXPECT_EQ(WhyLabelsAreRefused(PodWith({{kFluenceNameLabel, "b"}}), &job), "");
  EXPECT_EQ(WhyLabelsAreRefused(PodWith({{kGroupSizeLabel, "8"}}), &job), "");
  EXPECT_THAT(WhyLabelsAreRefused(PodWith({{kGroupSizeLabel, "8"}}), nullptr),
              HasSubstr("the pod names no group"));
}

}  // namespace
}  // namespace fluxnetes::workers
