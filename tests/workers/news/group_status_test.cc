#include "workers/news/group_status.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using cluster::PodGroupApi;

// "P": waits, "B": bound, "R": runs, "S": succeeded, "F": failed.
std::vector<cluster::PodPointer> Pods(const std::string& letters) {
  std::vector<cluster::PodPointer> pods;
  for (const char letter : letters) {
    cluster::Pod pod;
    if (letter != 'P') pod.node_name = "n0";
    if (letter == 'R') pod.phase = cluster::PodPhase::kRunning;
    if (letter == 'S') pod.phase = cluster::PodPhase::kSucceeded;
    if (letter == 'F') pod.phase = cluster::PodPhase::kFailed;
    pods.push_back(std::make_shared<const cluster::Pod>(pod));
  }
  return pods;
}

cluster::PodGroup Group(PodGroupApi api) {
  cluster::PodGroup group;
  group.name = {api, "default", "train"};
  group.min_members = 3;
  return group;
}

std::string PhaseOf(const std::string& pods) {
  return StatusOf(Group(PodGroupApi::kCoscheduling), Pods(pods), "").phase;
}

TEST(GroupStatus, PhaseIsThatOfTheCoschedulingController) {
  EXPECT_EQ(PhaseOf(""), "Pending");
  EXPECT_EQ(PhaseOf("PP"), "Pending");
  EXPECT_EQ(PhaseOf("PPP"), "Scheduling");
  EXPECT_EQ(PhaseOf("BBB"), "Scheduling");
  EXPECT_EQ(PhaseOf("RRB"), "Scheduling");
  EXPECT_EQ(PhaseOf("RRR"), "Running");
  EXPECT_EQ(PhaseOf("RSR"), "Running");
  EXPECT_EQ(PhaseOf("RRF"), "Failed");
  EXPECT_EQ(PhaseOf("SSS"), "Finished");
  EXPECT_EQ(PhaseOf("SSSF"), "Finished");
}

TEST(GroupStatus, PodsAreCountedByPhase) {
  const auto status =
      StatusOf(Group(PodGroupApi::kCoscheduling), Pods("PRRSF"), "no room");
  EXPECT_EQ(status.running, 2);
  EXPECT_EQ(status.succeeded, 1);
  EXPECT_EQ(status.failed, 1);
  EXPECT_EQ(status.scheduled, 4);
  EXPECT_EQ(status.condition, "");
}

TEST(GroupStatus, WhatIsOverStaysSoUntilThereAreEnoughPodsAgain) {
  cluster::PodGroup group = Group(PodGroupApi::kCoscheduling);
  for (const char* pods : {"SSS", "RRF"}) {
    group.status = StatusOf(group, Pods(pods), "");
    for (const char* left : {"SS", ""})
      EXPECT_EQ(StatusOf(group, Pods(left), ""), group.status) << left;
    EXPECT_EQ(StatusOf(group, Pods("PPP"), "").phase, "Scheduling");
  }
}

TEST(GroupStatus, GroupIsOccupiedByTheControllerOfItsPodsOnceThereAreEnough) {
  cluster::PodGroup group = Group(PodGroupApi::kCoscheduling);
  const auto made = [](const std::string& owner, int count) {
    cluster::Pod pod;
    pod.namespace_name = "default";
    pod.controller = cluster::Owner{"Job", owner, "u"};
    return std::vector(static_cast<std::size_t>(count),
                       std::make_shared<const cluster::Pod>(pod));
  };
  EXPECT_EQ(StatusOf(group, made("a", 2), "").occupied_by, "");
  group.status = StatusOf(group, made("a", 3), "");
  EXPECT_EQ(group.status.occupied_by, "default/a");
  EXPECT_EQ(StatusOf(group, made("b", 3), "").occupied_by, "default/a");
  EXPECT_EQ(
      StatusOf(Group(PodGroupApi::kCoscheduling), Pods("PPP"), "").occupied_by,
      "");
}

TEST(GroupStatus, LongMessageIsCutBetweenCharacters) {
  std::string why = "x";
  for (int i = 0; i < 20'000; ++i) why += "\u00d7";
  const auto status = StatusOf(Group(PodGroupApi::kNative), Pods("P"), why);
  EXPECT_LE(status.message.size(), 32'768U);
  EXPECT_GT(status.message.size(), 32'000U);
  EXPECT_EQ(status.message.size() % 2, 1U);
}

TEST(GroupStatus, NativeGroupIsUnschedulableAsLongAsSomebodySaysWhy) {
  cluster::PodGroup group = Group(PodGroupApi::kNative);
  EXPECT_EQ(StatusOf(group, Pods("PPP"), ""), cluster::PodGroupStatus{});
  group.status = StatusOf(group, Pods("PPP"), "no room");
  EXPECT_EQ(group.status.condition, "False");
  EXPECT_EQ(group.status.reason, "Unschedulable");
  EXPECT_EQ(group.status.message, "no room");
  EXPECT_EQ(StatusOf(group, Pods("BPP"), ""), group.status);
}

TEST(GroupStatus, NativeGroupThatWasScheduledStaysSo) {
  cluster::PodGroup group = Group(PodGroupApi::kNative);
  group.status = StatusOf(group, Pods("BBBP"), "no room for one more");
  EXPECT_EQ(group.status.condition, "True");
  EXPECT_EQ(group.status.reason, "Scheduled");
  EXPECT_EQ(StatusOf(group, Pods("PPP"), "no room"), group.status);
}

}  // namespace
}  // namespace fluxnetes::workers
