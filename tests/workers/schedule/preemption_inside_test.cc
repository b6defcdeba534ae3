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
void AddFourDomains(Story& story, const std::string& name) {
  cluster::Node node = Story::MakeNode(name + " cpu=16");
  node.structure.Own() = "numa: 4, cores: 16";
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
      story.Group("1x" + std::to_string(cpus), InOneDomain(priority));
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
    story.Group("1x" + std::to_string(cpus), InOneDomain(priority));
    story.Decide(1);
  }

  Story story;
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
