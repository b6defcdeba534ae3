#include <algorithm>
#include <variant>

#include "tests/cluster/contract/contract.h"

namespace fluxnetes::cluster {
namespace {

using std::chrono::seconds;

KubernetesJob SomeJob() {
  KubernetesJob job;
  job.namespace_name = "default";
  job.name = "train";
  job.parallelism = 3;
  job.completions = 3;
  job.indexed = true;
  job.pod_template.pod.scheduler_name = "fluxnetes";
  job.pod_template.pod.request.resources = {.cpu_milli = 100, .pods = 1};
  job.pod_template.run.length = std::nullopt;
  return job;
}

TEST_P(ClusterContract, DeletionChecksTheUid) {
  const auto pod = AddPod("a");
  EXPECT_FALSE(Door().Delete({"Pod", "default", "a", "another-uid"}));
  EXPECT_FALSE(Door().Delete({"Pod", "default", "b", ""}));
  EXPECT_FALSE(Door().Delete({"Job", "default", "a", ""}));
  EXPECT_TRUE(Door().Delete({"Pod", "default", "a", pod->uid}));
  EXPECT_EQ(Door().GetPod("default", "a"), std::nullopt);
}

TEST_P(ClusterContract, RunningPodIsTerminatingBeforeItIsGone) {
  AddNodes(1);
  const auto pod = AddPod("a", {.length = std::nullopt});
  ASSERT_EQ(Bind(BindingOf(*pod)).outcome, BindOutcome::kBound);
  ASSERT_TRUE(Until([&] {
    return cache_.Synced() &&
           cache_.PodByUid(pod->uid)->phase == PodPhase::kRunning;
  }));
  ASSERT_TRUE(Door().Delete({"Pod", "default", "a", ""}));
  ASSERT_TRUE(Until([&] { return cache_.PodByUid(pod->uid) == nullptr; }));
  EXPECT_TRUE(std::ranges::any_of(Told(), [&](const WatchEvent& event) {
    return UidOf(event) == pod->uid &&
           std::get<PodPointer>(event.object)->terminating;
  }));
}

TEST_P(ClusterContract, DeletingAJobDeletesItsPods) {
  ASSERT_TRUE(Behind().CreateJob(SomeJob()));
  ASSERT_TRUE(Until([&] { return cache_.Pods().size() == 3; }));
  EXPECT_TRUE(Door().Delete({"Job", "default", "train", ""}));
  EXPECT_TRUE(Until([&] { return cache_.Pods().empty(); }));
  EXPECT_FALSE(Door().Delete({"Job", "default", "train", ""}));
}

TEST_P(ClusterContract, TopOwnerIsFoundThroughItsJob) {
  KubernetesJob job = SomeJob();
  const std::string set = Behind().CreateOwner("JobSet", "default", "sweep");
  job.controller = Owner{"JobSet", "sweep", set};
  const auto created = Behind().CreateJob(job);
  const ObjectName own{"Job", "default", "train", created->uid};
  const auto top = Door().TopOwner(own);
  ASSERT_TRUE(top);
  EXPECT_EQ(top->kind, "JobSet");
  EXPECT_EQ(top->name, "sweep");
  EXPECT_EQ(top->uid, set);
  EXPECT_TRUE(Door().Delete(*top));
  EXPECT_EQ(Door().TopOwner(own), std::nullopt);
}

TEST_P(ClusterContract, JobWithoutAnOwnerIsItsOwnTop) {
  const auto created = Behind().CreateJob(SomeJob());
  const auto top = Door().TopOwner({"Job", "default", "train", created->uid});
  ASSERT_TRUE(top);
  EXPECT_EQ(top->kind, "Job");
  EXPECT_EQ(top->uid, created->uid);
  EXPECT_EQ(Door().TopOwner({"Job", "default", "train", "another-uid"}),
            std::nullopt);
}

TEST_P(ClusterContract, JobReplacesItsPodsUntilItIsOver) {
  AddNodes(1);
  KubernetesJob job = SomeJob();
  job.parallelism = 1;
  job.completions = 1;
  job.backoff_limit = 0;
  job.pod_template.run = {.length = seconds(1), .exit_code = 3};
  const auto created = Behind().CreateJob(job);
  const ObjectName own{"Job", "default", "train", created->uid};
  EXPECT_TRUE(Door().MayReplace(own));
  EXPECT_FALSE(Door().MayReplace({"Job", "default", "train", "another-uid"}));
  EXPECT_FALSE(Door().MayReplace({"Job", "default", "trains", ""}));
  ASSERT_TRUE(Until([&] { return cache_.Pods().size() == 1; }));
  ASSERT_EQ(Bind(BindingOf(*cache_.Pods().front())).outcome,
            BindOutcome::kBound);
  ASSERT_TRUE(Until([&] {
    return Behind().GetJob("default", "train")->state ==
           KubernetesJobStatus::State::kFailed;
  }));
  EXPECT_FALSE(Door().MayReplace(own));
  EXPECT_TRUE(Door().TopOwner(own)) << "it is there still";
}

TEST_P(ClusterContract, JobThatIsCompleteReplacesNothing) {
  KubernetesJob job = SomeJob();
  job.completions = 0;
  const auto created = Behind().CreateJob(job);
  EXPECT_FALSE(Door().MayReplace({"Job", "default", "train", created->uid}));
}

TEST_P(ClusterContract, ControllerOfAnotherKindReplacesWhileItIsThere) {
  const std::string uid = Behind().CreateOwner("ReplicaSet", "default", "web");
  const ObjectName own{"ReplicaSet", "default", "web", uid};
  EXPECT_TRUE(Door().MayReplace(own));
  ASSERT_TRUE(Door().Delete(own));
  EXPECT_FALSE(Door().MayReplace(own));
}

TEST_P(ClusterContract, ControllersSayWhatTheyMake) {
  using Life = ControllerState::Life;
  AddNodes(1);
  KubernetesJob job = SomeJob();
  job.parallelism = 2;
  job.completions = 3;
  job.backoff_limit = 4;
  job.pod_template.run = {.length = seconds(1), .exit_code = 0};
  const auto created = Behind().CreateJob(job);
  const std::string set = Behind().CreateOwner("ReplicaSet", "default", "web");
  const std::vector<ObjectName> names = {
      {"Job", "default", "train", created->uid},
      {"Job", "default", "train", "another-uid"},
      {"Job", "default", "trains", ""},
      {"ReplicaSet", "default", "web", set},
      {"ReplicaSet", "default", "none", ""},
      {"Sorcery", "default", "train", ""}};
  auto states = Door().ReadControllers(names);
  ASSERT_EQ(states.size(), 6U);
  EXPECT_EQ(states[0].life, Life::kLives);
  EXPECT_TRUE(states[0].job);
  EXPECT_EQ(states[0].at_once, 2);
  EXPECT_EQ(states[0].completions, 3);
  EXPECT_EQ(states[0].backoff_limit, 4);
  EXPECT_EQ(states[0].active, 2);
  EXPECT_EQ(states[0].succeeded, 0);
  EXPECT_EQ(states[1].life, Life::kGone);
  EXPECT_EQ(states[2].life, Life::kGone);
  EXPECT_EQ(states[3].life, Life::kUnknown);
  EXPECT_EQ(states[4].life, Life::kGone);
  EXPECT_EQ(states[5].life, Life::kUnknown);
  ASSERT_TRUE(Until([&] { return cache_.Pods().size() == 2; }));
  ASSERT_EQ(Bind(BindingOf(*cache_.Pods().front())).outcome,
            BindOutcome::kBound);
  ASSERT_TRUE(Until(
      [&] { return Behind().GetJob("default", "train")->succeeded == 1; }));
  states = Door().ReadControllers(names);
  EXPECT_EQ(states[0].succeeded, 1);
  ASSERT_TRUE(Behind().SuspendJob("default", "train", true));
  EXPECT_TRUE(Door().ReadControllers(names)[0].suspended);
  ASSERT_TRUE(Behind().Delete(names[0]));
  EXPECT_EQ(Door().ReadControllers(names)[0].life, Life::kGone);
}

}  // namespace
}  // namespace fluxnetes::cluster
