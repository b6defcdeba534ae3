#include "workers/schedule/schedule_reason.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/json/request_json.h"
#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

TEST(ScheduleVerdict, WhatCanNeverFitIsSaidOnceAndOutOfTheWay) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=2");
  story.Group("1x8");
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "2: node0");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  const Verdict verdict = story.decision.verdicts[0];
  EXPECT_EQ(verdict.group, 1);
  EXPECT_TRUE(verdict.unsatisfiable);
  EXPECT_EQ(verdict.reason,
            "needs 1 × (8 cpu, 1Gi); no node that it may use has 8 cpu, the "
            "most is 4 cpu");
  EXPECT_TRUE(story.decision.reserved.empty());
  story.End(2);
  story.Decide(1);
  EXPECT_TRUE(story.decision.verdicts.empty());
}

TEST(ScheduleVerdict, IsTakenBackBeforeThePlacementWhenANodeComes) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x8");
  story.Decide(0);
  story.Nodes("node1 cpu=8");
  EXPECT_EQ(story.Decide(1), "1: node1");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_FALSE(story.decision.verdicts[0].unsatisfiable);
}

TEST(ScheduleVerdict, KnownFromTheDatabaseIsNotSaidAgain) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x8", {.unsatisfiable = true});
  story.Group("1x4", {.unsatisfiable = true});
  EXPECT_EQ(story.Decide(0), "2: node0");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_EQ(story.decision.verdicts[0].group, 2);
  EXPECT_FALSE(story.decision.verdicts[0].unsatisfiable);
}

TEST(ScheduleVerdict, FollowsWhenTheLastSuitableNodeGoes) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=8");
  story.Group("1x8");
  story.Group("1x8");
  EXPECT_EQ(story.Decide(0), "1: node1");
  EXPECT_TRUE(story.decision.verdicts.empty());
  story.schedule.RemoveNode("node1");
  story.Decide(1);
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_EQ(story.decision.verdicts[0].group, 2);
  EXPECT_EQ(story.decision.unreserved, std::vector<GroupId>{2});
}

std::string WhyNever(const std::string& nodes, const std::string& pods,
                     const GroupOptions& options = {}) {
  Story story;
  story.schedule.SetQueue({.name = "a", .node_selector = {{"zone", "a"}}});
  story.Nodes(nodes);
  story.Group(pods, options);
  story.Decide(0);
  if (story.decision.verdicts.empty()) return "";
  const std::string& reason = story.decision.verdicts[0].reason;
  return reason.substr(reason.find(';') + 2);
}

TEST(ScheduleVerdict, NamesTheCause) {
  EXPECT_EQ(WhyNever("", "1x1"), "no node is open");
  EXPECT_EQ(WhyNever("n0 cpu=4 cordoned=1", "1x1"), "no node is open");
  // A replica has only the nodes of its queues.
  for (const char* nodes : {"n0 cpu=4", ""})
    EXPECT_EQ(WhyNever(nodes, "1x1", {.queue = "a"}),
              "no open node has the labels of queue a: {zone: a}");
  EXPECT_EQ(WhyNever("n0 cpu=4", "1x1", {.selector = "zone=b"}),
            "no node has the labels of the node selector {zone: b}");
  EXPECT_EQ(WhyNever("n0 cpu=4 taint=x", "1x1"),
            "the taints of the nodes are not tolerated: x:NoSchedule");
  EXPECT_EQ(WhyNever("n0 cpu=4\nn1 cpu=4", "5x2"),
            "all nodes that it may use, empty, hold 4 × (2 cpu, 1Gi)");
}

TEST(ScheduleReason, SaysWhatIsMissingAndNothingWhileNothingChanges) {
  Story story;
  story.Nodes("node0 cpu=4");
  story.Group("1x4");
  story.Decide(0);
  story.Group("2x2");
  story.Decide(1);
  EXPECT_EQ(story.OnlyReason(),
            "needs 2 × (2 cpu, 1Gi); no place is free; 1 node has too little "
            "cpu free");
  story.Group("2x2");
  story.Decide(2);
  EXPECT_TRUE(story.decision.reasons.empty());
  story.End(1);
  EXPECT_EQ(story.Decide(3), "2: node0 node0");
  story.End(2);
  EXPECT_EQ(story.Decide(4), "3: node0 node0");
  EXPECT_EQ(story.OnlyReason(), "");
}

TEST(ScheduleReason, OfThingsThereAreTooFew) {
  Story story;
  cluster::Node node = Story::MakeNode("node0 cpu=4");
  node.allocatable.pods = 1;
  story.schedule.SetNode(node);
  story.Group("1x1");
  story.Decide(0);
  story.Group("1x1");
  story.Decide(1);
  EXPECT_EQ(story.OnlyReason(),
            "needs 1 × (1 cpu, 1Gi); no place is free; 1 node has too few pods "
            "free");
}

TEST(ScheduleReason, NamesTheRequestThatHasTooFewDevices) {
  Story story;
  story.Nodes("node0 cpu=4");
  DeviceNews news;
  news.classes = {{.name = "gpu", .selectors = {"true"}}};
  news.slices = {{.name = "of-node0",
                  .driver = "gpu.example.com",
                  .pool = "node0",
                  .generation = 1,
                  .nodes = {.node = "node0"},
                  .devices = {{.name = "gpu-0"}}}};
  story.schedule.SetDevices(news);
  GroupOptions options;
  options.rules.resource_claims = {
      {.name = "gpus",
       .spec = R"({"devices":{"requests":[{"exactly":)"
               R"({"deviceClassName":"gpu"},"name":"one"}]}})"}};
  story.Group("1x1", options);
  story.Group("1x1", options);
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_EQ(story.OnlyReason(),
            "needs 1 × (1 cpu, 1Gi); no place is free; 1 node does not have "
            "the devices of its claims free (node node0: request one of claim "
            "gpus: 1 device of class gpu, none is free)");
}

TEST(ScheduleReason, NamesTheClassThatAnExtendedResourceStandsFor) {
  const auto why = [](Story& story, const std::string& resource) {
    PendingGroup group = story.MakeGroup(1, "1x1", {});
    cluster::PodRequest request = *group.members[0].request;
    request.resources.SetExtended(resource, 2);
    group.members[0].request = story.schedule.Intern(cluster::ToJson(request));
    story.schedule.Add(std::move(group));
    story.Decide(0);
    return story.decision.verdicts.empty() ? ""
                                           : story.decision.verdicts[0].reason;
  };
  DeviceNews news;
  news.classes = {{.name = "gpu.example.com",
                   .selectors = {"true"},
                   .extended_resource = "example.com/gpu"}};
  const std::string of_class =
      "; the DeviceClass gpu.example.com has devices for this resource, which "
      "are given to ResourceClaims only: let the pods claim them";
  const std::string implicit =
      "deviceclass.resource.kubernetes.io/gpu.example.com";
  for (const std::string& resource :
       {std::string("example.com/gpu"), implicit}) {
    Story story;
    story.Nodes("node0 cpu=4");
    EXPECT_THAT(why(story, resource), Not(HasSubstr("DeviceClass")));
    story.schedule.SetDevices(news);
    EXPECT_EQ(why(story, resource), "needs 1 × (1 cpu, 1Gi, 2 " + resource +
                                        "); no node that it may use has 2 " +
                                        resource + ", the most is none" +
                                        of_class);
    EXPECT_THAT(why(story, "example.com/nic"), Not(HasSubstr("DeviceClass")));
  }
}

TEST(ScheduleReason, HugepagesAreCountedNotTheirBytes) {
  Story story;
  story.Nodes("node0 cpu=4");
  PendingGroup group = story.MakeGroup(1, "1x1", {});
  cluster::PodRequest request = *group.members[0].request;
  request.resources.SetExtended("hugepages-2Mi", 2 << 20);
  group.members[0].request = story.schedule.Intern(cluster::ToJson(request));
  story.schedule.Add(std::move(group));
  story.Decide(0);
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_EQ(story.decision.verdicts[0].reason,
            "needs 1 × (1 cpu, 1Gi, 1 hugepage of 2Mi); no node that it may "
            "use has 1 hugepage of 2Mi, the most is none");
}

}  // namespace
}  // namespace fluxnetes::workers
