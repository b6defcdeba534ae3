// Preemption for groups whose pods take parts of their nodes: victims are those
// that leave a domain, not amounts alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

GroupOptions InOneDomain(std::int32_t priority = 0) {
  GroupOptions options;
  options.rules.inside.align = "numa";
  options.priority = priority;
  return options;
}

// A node of 16 cpus in 4 NUMA domains.
void AddFourDomains(Story& story, const std::string& name,
                    const std::vector<int>& given = {}) {
  cluster::Node node = Story::MakeNode(name + " cpu=16");
  node.structure.Own() = "numa: 4, cores: 16";
  std::vector<cluster::NumaZone> zones;
  for (const int cpus : given) {
    cluster::NumaZone& zone = zones.emplace_back();
    zone.number = static_cast<int>(zones.size()) - 1;
    zone.allocatable.cpu_milli = 4'000;
    zone.available.cpu_milli = 4'000 - cpus * 1'000;
  }
  node.zones = zones;
  story.schedule.SetNode(node);
}

class PreemptionInside : public ::testing::Test {
 protected:
  PreemptionInside() {
    story.schedule.SetQueue({.preemption = Preemption::kLowerPriority});
  }

  // Runs groups of one aligned pod of so many cpus each, in this order.
  void Run(const std::vector<std::pair<int, std::int32_t>>& cpus_and_priority) {
    for (const auto& [cpus, priority] : cpus_and_priority) {
      story.Group("1x" + std::to_string(cpus), Options(priority));
      story.Decide(0);
      ASSERT_EQ(story.decision.placed.size(), 1U);
    }
  }

  std::vector<GroupId> Victims() const {
    std::vector<GroupId> victims;
    for (const Eviction& evicted : story.decision.evicted)
      victims.push_back(evicted.group);
    return victims;
  }

  // Submits one pod of so many cpus.
  void Ask(int cpus, std::int32_t priority) {
    story.Group("1x" + std::to_string(cpus), Options(priority));
    story.Decide(1);
  }

  GroupOptions Options(std::int32_t priority) const {
    GroupOptions options = InOneDomain(priority);
    options.guaranteed = guaranteed;
    return options;
  }

  Story story;
  bool guaranteed = false;
};

// Two cpus are free, in two domains. The lowest group leaves a third one.
TEST_F(PreemptionInside, OneThatLeavesADomainGoesBeforeLowerOnesThatDoNot) {
  AddFourDomains(story, "node0");
  Run({{3, 50}, {3, 50}, {3, 50}, {4, 5}, {1, 1}});
  Ask(2, 10);
  EXPECT_THAT(Victims(), ElementsAre(4));
  story.End(4);
  EXPECT_EQ(story.Decide(2), "6: node0");
}

TEST_F(PreemptionInside, TwoOfOneDomainAreEvictedTogether) {
  AddFourDomains(story, "node0");
  Run({{2, 50}, {2, 1}, {2, 50}, {2, 1}, {2, 50}, {2, 1}, {2, 3}, {2, 3}});
  Ask(4, 10);
  EXPECT_THAT(Victims(), UnorderedElementsAre(7, 8));
}

TEST_F(PreemptionInside, NoneIsEvictedWhereAmountsWouldBeAllThatIsLeft) {
  AddFourDomains(story, "node0");
  Run({{2, 50}, {2, 1}, {2, 50}, {2, 1}, {2, 50}, {2, 1}, {2, 50}, {2, 1}});
  Ask(4, 10);
  EXPECT_THAT(Victims(), IsEmpty());
  Ask(4, 60);
  EXPECT_EQ(Victims().size(), 2U);
}

// The kubelet has put the second group beside the third: both leave a domain.
TEST_F(PreemptionInside, GroupsAreWhereTheirKubeletHasPutThem) {
  AddFourDomains(story, "node0");
  guaranteed = true;
  Run({{1, 50}, {3, 2}, {1, 1}, {4, 50}, {4, 50}});
  AddFourDomains(story, "node0", {1, 4, 4, 4});
  story.schedule.SetAdmitted(
      "node0", {"uid-1-0", "uid-2-0", "uid-3-0", "uid-4-0", "uid-5-0"});
  Ask(4, 10);
  EXPECT_THAT(Victims(), UnorderedElementsAre(2, 3));
}

// More groups than are tried one by one leave enough amounts.
TEST_F(PreemptionInside, TheOneThatHelpsIsFoundBehindManyThatDoNot) {
  for (int i = 0; i < 10; ++i)
    AddFourDomains(story, "node" + std::to_string(i));
  std::vector<std::pair<int, std::int32_t>> groups(39, {3, 50});
  groups.emplace_back(4, 5);
  groups.insert(groups.end(), 20, {1, 1});
  Run(groups);
  Ask(2, 10);
  EXPECT_THAT(Victims(), ElementsAre(40));
}

}  // namespace
}  // namespace fluxnetes::workers
