// Kubernetes' rules of placement, one by one, through a Schedule.
#include <gtest/gtest.h>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using cluster::LabelMap;
using cluster::PodRules;

constexpr const char* kTwoZones = R"(
    node0 cpu=4 zone=a host=0
    node1 cpu=4 zone=a host=1
    node2 cpu=4 zone=b host=2
    node3 cpu=4 zone=b host=3)";

PodRules Apart(const std::string& app, const std::string& key) {
  PodRules rules;
  rules.anti_affinity = {Near(app, key)};
  return rules;
}

PodRules Beside(const std::string& app, const std::string& key) {
  PodRules rules;
  rules.affinity = {Near(app, key)};
  return rules;
}

PodRules Spread(const std::string& app, const std::string& key, bool required) {
  PodRules rules;
  rules.spread = {{.topology_key = key,
                   .selector = cluster::PodSelector{{"app", "In", {app}}},
                   .required = required}};
  return rules;
}

// A pod of another scheduler that needs no resources.
cluster::Pod OthersPod(const LabelMap& labels, const PodRules& rules = {}) {
  cluster::Pod pod;
  pod.namespace_name = "default";
  pod.uid = "others";
  pod.labels = labels;
  pod.request.rules.Own() = rules;
  return pod;
}

const LabelMap kWeb = {{"app", "web"}};
const LabelMap kDb = {{"app", "db"}};

TEST(ScheduleRules, NodeSelectorAndTolerationsDecideByTheNode) {
  Story story;
  story.Nodes("node0 cpu=4 taint=x\nnode1 cpu=4 zone=a\nnode2 cpu=4");
  story.Group("1x1");
  story.Group("1x1", {.selector = "zone=a"});
  story.Group("1x1", {.tolerations = {{"x", true, "", "NoSchedule"}}});
  EXPECT_EQ(story.Decide(0), "1: node1, 2: node1, 3: node0");
}

TEST(ScheduleRules, PreferredNodesComeFirst) {
  Story story;
  story.Nodes("node0 cpu=1\nnode1 cpu=1 disk=ssd");
  PodRules rules;
  rules.preferred_nodes = {{10, {{"disk", "In", {"ssd"}}}}};
  story.Group("1x1", {.rules = rules});
  story.Group("1x1", {.rules = rules});
  EXPECT_EQ(story.Decide(0), "1: node1, 2: node0");
}

TEST(ScheduleRules, AntiAffinityKeepsMembersAndGroupsApart) {
  Story story;
  story.Nodes(kTwoZones);
  const GroupOptions web{.rules = Apart("web", "host"), .labels = kWeb};
  story.Group("3x1", web);
  story.Group("2x1", web);
  EXPECT_EQ(story.Decide(0), "1: node0 node1 node2");
  story.schedule.Release(1, Uid(1, 1));
  EXPECT_EQ(story.Decide(1), "2: node1 node3");
}

TEST(ScheduleRules, AntiAffinityHoldsAgainstThoseWhoComeLaterToo) {
  Story story;
  story.Nodes(kTwoZones);
  story.Group("1x1", {.rules = Apart("web", "zone")});
  story.Group("1x1", {.labels = kWeb});
  story.Group("1x1", {.labels = kDb});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node2, 3: node0");
}

TEST(ScheduleRules, DomainThatGoesHoldsAGangBackNoMore) {
  Story story;
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kFcfs});
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  story.Group("1x4", {.selector = "zone=b"});
  story.Group("3x1", {.rules = Spread("web", "zone", true), .labels = kWeb});
  EXPECT_EQ(story.Decide(0), "1: node1");
  EXPECT_EQ(story.Decide(0), "");
  story.Nodes("node1 cpu=4 zone=a");
  EXPECT_EQ(story.Decide(1), "2: node0 node0 node0");
}

TEST(ScheduleRules, EndOfAPodFreesItsWholeDomain) {
  Story story;
  story.Nodes("node0 cpu=1 zone=a\nnode1 cpu=4 zone=a");
  const GroupOptions web{.rules = Apart("web", "zone"), .labels = kWeb};
  story.Group("1x1", web);
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x2", web);
  EXPECT_EQ(story.Decide(1), "");
  story.End(1);
  EXPECT_EQ(story.Decide(2), "2: node1");
}

TEST(ScheduleRules, AffinityWaitsForThePodsThatItAsksFor) {
  Story story;
  story.Nodes(kTwoZones);
  story.Group("2x1", {.rules = Beside("db", "zone")});
  EXPECT_EQ(story.Decide(0), "");
  EXPECT_TRUE(story.decision.verdicts.empty());
  story.Group("1x1", {.selector = "host=3", .labels = kDb});
  EXPECT_EQ(story.Decide(1), "2: node3");
  EXPECT_TRUE(story.schedule.More());
  EXPECT_EQ(story.Decide(1), "1: node2 node2");
}

TEST(ScheduleRules, WhoWaitsForOtherPodsKeepsNoNodesFree) {
  Story story;
  story.Nodes("node0 cpu=4 zone=a");
  story.Group("1x1", {.rules = Beside("db", "zone")});
  story.Decide(0);
  EXPECT_EQ(story.Reserved(), "");
  story.Group("1x4");
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(ScheduleRules, AffinityToItsOwnKindStartsASeriesInOneDomain) {
  Story story;
  story.Nodes("node0 cpu=1 zone=a\nnode1 cpu=2 zone=b\nnode2 cpu=2 zone=b");
  const GroupOptions web{.rules = Beside("web", "zone"), .labels = kWeb};
  story.Group("3x1", web);
  EXPECT_EQ(story.Decide(0), "1: node1 node1 node2");
}

TEST(ScheduleRules, PreferredAffinityIsAScore) {
  Story story;
  story.Nodes(kTwoZones);
  story.Group("1x1", {.selector = "host=2", .labels = kDb});
  PodRules rules;
  rules.preferred_pods = {{50, Near("db", "zone")}};
  story.Group("1x1", {.rules = rules});
  rules.preferred_pods = {{-50, Near("db", "zone")}};
  story.Group("1x1", {.rules = rules});
  EXPECT_EQ(story.Decide(0), "1: node2, 2: node2, 3: node0");
}

TEST(ScheduleRules, SpreadCountsPodsPerDomain) {
  Story story;
  story.Nodes(kTwoZones);
  const GroupOptions web{.rules = Spread("web", "zone", true), .labels = kWeb};
  story.Group("4x1", web);
  EXPECT_EQ(story.Decide(0), "1: node0 node2 node0 node2");
  story.Nodes("node2 cpu=4 zone=b host=2 cordoned=1");
  story.Nodes("node3 cpu=4 zone=b host=3 cordoned=1");
  story.Group("2x1", web);
  EXPECT_EQ(story.Decide(1), "");
  story.schedule.Release(1, Uid(1, 0));
  EXPECT_EQ(story.Decide(2), "2: node0 node0");
}

TEST(ScheduleRules, SpreadThatIsNotRequiredIsAScore) {
  Story story;
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=1 zone=b");
  story.Group("3x1", {.rules = Spread("web", "zone", false), .labels = kWeb});
  EXPECT_EQ(story.Decide(0), "1: node0 node1 node0");
}

TEST(ScheduleRules, HostPortIsGivenOnceOnANode) {
  Story story;
  story.Nodes("node0 cpu=4\nnode1 cpu=4\nnode2 cpu=4");
  PodRules rules;
  rules.host_ports = {{8080}};
  const cluster::Pod daemon = OthersPod({}, rules);
  story.Unmanaged("node1", &daemon);
  story.Group("2x1", {.rules = rules});
  story.Group("1x1", {.rules = rules});
  EXPECT_EQ(story.Decide(0), "1: node0 node2");
  story.Unmanaged("node1", nullptr);
  EXPECT_EQ(story.Decide(1), "2: node1");
}

TEST(ScheduleRules, PodsOfOthersCountAsOnesOwn) {
  Story story;
  story.Nodes(kTwoZones);
  story.Group("1x1", {.rules = Apart("web", "zone")});
  const cluster::Pod web = OthersPod(kWeb);
  story.Unmanaged("node0", &web);
  EXPECT_EQ(story.Decide(0), "1: node2");
  const cluster::Pod alone = OthersPod({}, Apart("db", "zone"));
  story.Unmanaged("node3", &alone);
  story.Group("1x1", {.labels = kDb});
  EXPECT_EQ(story.Decide(1), "2: node0");
}

TEST(ScheduleRules, PodsOfOtherNamespacesDoNotCountUnlessNamed) {
  Story story;
  story.Nodes(kTwoZones);
  cluster::Pod web = OthersPod(kWeb);
  web.namespace_name = "shop";
  PodRules named = Apart("web", "zone");
  named.anti_affinity[0].namespaces = {"shop"};
  PodRules all = Apart("web", "zone");
  all.anti_affinity[0].namespace_selector = cluster::PodSelector{};
  story.Group("1x1", {.rules = Apart("web", "zone")});
  story.Group("1x1", {.rules = named});
  story.Group("1x1", {.rules = all});
  story.Unmanaged("node0", &web);
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node2, 3: node2");
}

TEST(ScheduleRules, NamespacesCountByTheLabelsThatTheyHaveNow) {
  Story story;
  story.Nodes(kTwoZones);
  cluster::Pod web = OthersPod(kWeb);
  web.namespace_name = "shop";
  PodRules rules = Apart("web", "zone");
  rules.anti_affinity[0].namespace_selector =
      cluster::PodSelector{{"team", "In", {"a"}}};
  story.Namespaces({{"shop", {{"team", "a"}}}, {"default", {}}});
  story.Group("1x1", {.rules = rules});
  story.Unmanaged("node0", &web);
  EXPECT_EQ(story.Decide(0), "1: node2");

  rules = Beside("web", "zone");
  rules.affinity[0].namespace_selector =
      cluster::PodSelector{{"team", "In", {"b"}}};
  story.Group("1x1", {.rules = rules});
  EXPECT_EQ(story.Decide(1), "");  // waits: no namespace of team b
  story.Namespaces({{"shop", {{"team", "b"}}}, {"default", {}}});
  EXPECT_EQ(story.Decide(2), "2: node0");
}

TEST(ScheduleRules, SymmetryFollowsTheLabelsOfNamespacesToo) {
  Story story;
  story.Nodes("node0 cpu=4 zone=a");
  PodRules rules = Apart("web", "zone");
  rules.anti_affinity[0].namespace_selector =
      cluster::PodSelector{{"team", "Exists", {}}};
  story.Namespaces({{"default", {{"team", "a"}}}});
  story.Group("1x1", {.rules = rules});
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", {.labels = kWeb});
  EXPECT_EQ(story.Decide(1), "");  // repelled by the running pod
  story.Namespaces({{"default", {}}});
  EXPECT_EQ(story.Decide(2), "2: node0");
}

TEST(ScheduleRules, ChangedLabelsOfAPodCountAtOnce) {
  Story story;
  story.Nodes("node0 cpu=4 zone=a");
  story.Group("1x1", {.labels = kWeb});
  story.Decide(0);
  story.Group("1x1", {.rules = Apart("web", "zone")});
  EXPECT_EQ(story.Decide(1), "");
  story.Relabel(1, kDb);
  EXPECT_EQ(story.Decide(2), "2: node0");
}

TEST(ScheduleRules, SelectorThatComesLaterFindsThePodsThatRun) {
  Story story;
  story.Nodes(kTwoZones);
  story.Group("1x1", {.labels = kWeb});
  EXPECT_EQ(story.Decide(0), "1: node0");
  story.Group("1x1", {.rules = Apart("web", "zone")});
  EXPECT_EQ(story.Decide(1), "2: node2");
}

TEST(ScheduleRules, LabelsThatNobodyLooksAtMakeNoShapes) {
  Story story;
  for (int i = 0; i < 100; ++i) {
    const std::string name = "pod-" + std::to_string(i);
    story.Group("1x1", {.labels = {{"name", name}, {"app", "web"}}});
  }
  EXPECT_EQ(story.schedule.shapes(), 1U);
  story.Group("1x2", {.rules = Apart("web", "zone"), .labels = kDb});
  EXPECT_EQ(story.schedule.shapes(), 2U);
  PodRules named;
  named.anti_affinity = {
      {cluster::PodSelector{{"name", "In", {"pod-7"}}}, "zone"}};
  story.Group("1x3", {.rules = named});
  // The shapes are pod-7, the other names, and the two groups with rules.
  EXPECT_EQ(story.schedule.shapes(), 4U);
}

TEST(ScheduleRules, MoreApartThanThereAreDomainsCanNeverFit) {
  Story story;
  story.Nodes(kTwoZones);
  story.Group("3x1", {.rules = Apart("web", "zone"), .labels = kWeb});
  story.Decide(0);
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_EQ(story.decision.verdicts[0].reason,
            "needs 3 × (1 cpu, 1Gi); all nodes that it may use, empty, hold "
            "2 × (1 cpu, 1Gi) by its rules about other pods");
}

TEST(ScheduleRules, ReservationKeepsToTheRules) {
  Story story;
  story.Nodes("node0 cpu=4 zone=a\nnode1 cpu=4 zone=b");
  const GroupOptions web{
      .duration = 100, .rules = Apart("web", "zone"), .labels = kWeb};
  story.Group("1x4", {.duration = 50});
  story.Group("2x4", web);
  EXPECT_EQ(story.Decide(0), "1: node0");
  EXPECT_EQ(story.Decide(0), "");
  EXPECT_EQ(story.Reserved(), "2 at 50 on node0 node1");
  story.Group("1x1", {.duration = 200, .rules = Apart("web", "zone")});
  EXPECT_EQ(story.Decide(1), "");
  story.End(1);
  EXPECT_EQ(story.Decide(50), "2: node0 node1");
}

}  // namespace
}  // namespace fluxnetes::workers
