// Groups whose pods take parts of their nodes, through a Schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "sql/faults.h"
#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTwoSockets = "sockets: 2, numa: 4, cores: 16";

GroupOptions Aligned(std::optional<std::int64_t> duration = std::nullopt,
                     const std::string& domain = "numa") {
  GroupOptions options;
  options.rules.inside.align = domain;
  options.duration = duration;
  return options;
}

void AddStructured(Story& story, const std::string& name,
                   const std::string& structure = kTwoSockets) {
  cluster::Node node = Story::MakeNode(name + " cpu=16");
  if (!structure.empty()) node.structure.Own() = structure;
  story.schedule.SetNode(node);
}

// What the pods of the group got in the last decision.
std::vector<std::string> PartsOfGroup(const Story& story, GroupId group) {
  std::vector<std::string> parts;
  for (const Placed& placed : story.decision.placed) {
    if (placed.group != group) continue;
    for (const PlacedMember& member : placed.members)
      parts.push_back(member.parts);
  }
  return parts;
}

Held HeldFrom(const Placed& placed, Story& story, const GroupOptions& options,
              const std::string& pods) {
  Held held;
  held.group = placed.group;
  held.queue = placed.queue;
  held.namespace_name = "default";
  held.start = placed.start;
  held.end = placed.end;
  held.members = placed.members;
  held.size = std::ssize(held.members);
  const PendingGroup same = story.MakeGroup(placed.group, pods, options);
  for (std::size_t i = 0; i < held.members.size(); ++i)
    held.members[i].request = same.members[i].request;
  return held;
}

TEST(ScheduleInside, EachPodOfAGangLandsInOneNumaDomain) {
  Story story;
  AddStructured(story, "node0");
  story.Group("4x3", Aligned());
  EXPECT_EQ(story.Decide(0), "1: node0 node0 node0 node0");
  EXPECT_THAT(
      PartsOfGroup(story, 1),
      ElementsAre("socket0/numa0/core[0-2]", "socket0/numa1/core[4-6]",
                  "socket1/numa2/core[8-10]", "socket1/numa3/core[12-14]"));
  const Placed& placed = story.decision.placed.front();
  ASSERT_EQ(placed.resource_sets.size(), 4U);
  EXPECT_THAT(
      placed.resource_sets[1],
      ::testing::AllOf(HasSubstr("\"version\": 1"),
                       HasSubstr("\"core\": \"4-6\""), HasSubstr("\"node0\"")));
}

TEST(ScheduleInside, WhatIsFreeMustBeInOneDomain) {
  Story story;
  story.schedule.SetQueue(
      {.queue_policy = QueuePolicy::kHybrid, .reservation_depth = 0});
  AddStructured(story, "node0");
  story.Group("4x3", Aligned());
  story.Decide(0);
  // Four cores are free, one in each domain.
  story.Group("1x2", Aligned());
  EXPECT_EQ(story.Decide(1), "");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("no place is free; 1 node has (2 cpu, 1Gi) "
                        "free, but not in one NUMA domain"));
  story.Group("1x2");  // the same amounts, anywhere
  EXPECT_EQ(story.Decide(2), "3: node0");
  EXPECT_THAT(PartsOfGroup(story, 3), ElementsAre(""));
  story.End(1);
  EXPECT_EQ(story.Decide(3), "2: node0");
}

TEST(ScheduleInside, PreferredAlignmentTakesPartsOfSeveralDomains) {
  Story story;
  AddStructured(story, "node0");
  story.Group("4x3", Aligned());
  story.Decide(0);
  GroupOptions preferred = Aligned();
  preferred.rules.inside.align_required = false;
  story.Group("1x2", preferred);
  EXPECT_EQ(story.Decide(1), "2: node0");
  EXPECT_THAT(PartsOfGroup(story, 2),
              ElementsAre("socket0/numa0/core3 socket0/numa1/core7"));
}

TEST(ScheduleInside, NodeOfUnknownStructureTakesNoneUntilItIsKnown) {
  Story story;
  AddStructured(story, "node0", "");
  story.Group("1x3", Aligned());
  EXPECT_EQ(story.Decide(0), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("asks for a place in one NUMA domain, and what the "
                        "nodes that it may use have inside is not known"));
  AddStructured(story, "node0");
  EXPECT_EQ(story.Decide(1), "1: node0");
}

TEST(ScheduleInside, DomainThatIsTooSmallIsSaidOnce) {
  Story story;
  AddStructured(story, "node0");
  story.Group("1x5", Aligned());
  EXPECT_EQ(story.Decide(0), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_TRUE(story.decision.verdicts[0].unsatisfiable);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("no node that it may use has (5 cpu, 1Gi) in "
                        "one NUMA domain, even empty"));
}

TEST(ScheduleInside, RestoredScheduleHoldsTheSameParts) {
  Story story;
  AddStructured(story, "node0");
  story.Group("4x3", Aligned());
  story.Decide(0);
  story.schedule.Release(1, Uid(1, 1));
  Story after;
  AddStructured(after, "node0");
  Held held = HeldFrom(story.decision.placed[0], after, Aligned(), "4x3");
  held.members.erase(held.members.begin() + 1);
  after.schedule.Restore(held);
  EXPECT_EQ(story.schedule.Describe(), after.schedule.Describe());
  EXPECT_THAT(after.schedule.Describe(),
              HasSubstr("socket1/numa3/core[12-14]"));
  // The domain that was given back is the only one with room.
  after.Group("1x4", Aligned());
  after.Decide(1);
  EXPECT_EQ(after.decision.placed.at(0).members.at(0).parts,
            "socket0/numa1/core[4-7]");
}

TEST(ScheduleInside, MembersThatComeLaterKeepWhatTheOthersHave) {
  Story story;
  AddStructured(story, "node0");
  story.Group("3x3", Aligned());
  story.Decide(0);
  story.schedule.Release(1, Uid(1, 0));
  // A replacement of the first one.
  story.schedule.Add(story.MakeGroup(1, "1x4", Aligned(), 7));
  EXPECT_EQ(story.Decide(1), "1: node0");
  EXPECT_THAT(PartsOfGroup(story, 1), ElementsAre("socket0/numa0/core[0-3]"));
  const std::string all = story.schedule.Describe();
  EXPECT_THAT(all, HasSubstr("socket0/numa0/core[0-3]"));
  EXPECT_THAT(all, HasSubstr("socket0/numa1/core[4-6]"));
  EXPECT_THAT(all, HasSubstr("socket1/numa2/core[8-10]"));
}

TEST(ScheduleInside, ReservationHoldsItsPartsAgainstGroupsBehind) {
  Story story;
  AddStructured(story, "node0");
  story.Group("4x3", Aligned(100));
  story.Decide(0);
  story.Group("4x4", Aligned(50));
  story.Group("1x1", Aligned(1'000));  // would be in a domain then
  story.Group("1x1", Aligned(90));
  EXPECT_EQ(story.Decide(1), "4: node0");
  EXPECT_EQ(story.Reserved(), "2 at 100 on node0");
  ASSERT_EQ(story.decision.reserved.size(), 1U);
  EXPECT_EQ(story.decision.reserved[0].parts.size(), 4U);
  story.End(1);
  story.End(4);
  EXPECT_EQ(story.Decide(100), "2: node0 node0 node0 node0");
}

TEST(ScheduleInside, RememberedReservationIsBookedWithItsParts) {
  Story before;
  before.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative});
  AddStructured(before, "node0");
  before.Group("4x3", Aligned(100));
  before.Decide(0);
  const Placed runs = before.decision.placed.at(0);
  before.Group("4x4", Aligned(50));
  before.Decide(1);
  ASSERT_EQ(before.Reserved(), "2 at 100 on node0");
  const Reservation promised = before.decision.reserved.at(0);

  Story after;
  after.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative});
  AddStructured(after, "node0");
  after.schedule.Restore(HeldFrom(runs, after, Aligned(100), "4x3"));
  after.schedule.Promised(promised);
  after.schedule.Add(after.MakeGroup(2, "4x4", Aligned(50)));
  after.schedule.ForgetPromised();
  EXPECT_EQ(after.Decide(2), "");
  EXPECT_THAT(after.decision.reserved, IsEmpty());  // nothing has changed
  EXPECT_EQ(after.schedule.NextDue(), 100);
}

TEST(ScheduleInside, ReservationWithoutItsPartsIsPlannedAnew) {
  Story story;
  story.schedule.SetQueue({.queue_policy = QueuePolicy::kConservative});
  AddStructured(story, "node0");
  story.Group("4x3", Aligned(100));
  story.Decide(0);
  Reservation promised;
  promised.group = 2;
  promised.queue = "default";
  promised.start = 100;
  promised.nodes = {"node0"};
  promised.places = {0, 0, 0, 0};
  story.schedule.Promised(promised);
  story.Group("4x4", Aligned(50));
  story.Decide(1);
  ASSERT_EQ(story.Reserved(), "2 at 100 on node0");
  EXPECT_EQ(story.decision.reserved[0].parts.size(), 4U);
}

TEST(ScheduleInside, VictimsAreThoseThatLeaveADomain) {
  Story story;
  story.schedule.SetQueue({.preemption = Preemption::kLowerPriority});
  AddStructured(story, "node0");
  GroupOptions low = Aligned();
  for (int i = 0; i < 4; ++i) story.Group("1x3", low);
  story.Decide(0);
  // Two cores are free in sum, but the pod needs three in one domain.
  GroupOptions high = Aligned();
  high.priority = 10;
  story.Group("1x4", high);
  story.Decide(1);
  EXPECT_THAT(story.Evicted(), HasSubstr("for 5"));
  EXPECT_EQ(story.decision.evicted.size(), 1U);
  story.End(story.decision.evicted.at(0).group);
  EXPECT_EQ(story.Decide(2), "5: node0");
}

TEST(ScheduleInside, PlantedBugLosesPartsAtARestart) {
  Story story;
  AddStructured(story, "node0");
  story.Group("4x3", Aligned());
  story.Decide(0);
  sql::PlantBug("inside-forgotten");
  Story after;
  AddStructured(after, "node0");
  after.schedule.Restore(
      HeldFrom(story.decision.placed[0], after, Aligned(), "4x3"));
  sql::PlantBug("");
  EXPECT_NE(story.schedule.Describe(), after.schedule.Describe());
}

TEST(ScheduleInside, WhatTheKubeletGaveToOthersIsLeftOut) {
  Story story;
  cluster::Node node = Story::MakeNode("node0 cpu=16");
  node.structure.Own() = kTwoSockets;
  std::vector<cluster::NumaZone> zones(4);
  for (int i = 0; i < 4; ++i) {
    zones[i].number = i;
    zones[i].allocatable.cpu_milli = 4'000;
    zones[i].available.cpu_milli = i == 1 ? 4'000 : 2'500;
  }
  node.zones = zones;
  story.schedule.SetNode(node);
  story.Group("2x3", Aligned());
  EXPECT_EQ(story.Decide(0), "");
  // Others have left numa2.
  zones[2].available.cpu_milli = 4'000;
  node.zones = zones;
  story.schedule.SetNode(node);
  EXPECT_EQ(story.Decide(0), "1: node0 node0");
  EXPECT_THAT(PartsOfGroup(story, 1), ElementsAre("socket0/numa1/core[4-6]",
                                                  "socket1/numa2/core[8-10]"));
}

}  // namespace
}  // namespace fluxnetes::workers
