// Groups with a topology: all pods on nodes with the same value of a label,
// through a Schedule.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>

#include "tests/workers/support/schedule_story.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

constexpr const char* kRack = "topology.kubernetes.io/rack";
constexpr const char* kZone = "topology.kubernetes.io/zone";

// "node0 cpu=4 r0 za" and the like, one per line.
void RackedNodes(Story& story, const std::string& text) {
  std::string nodes;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == ' ' && text.compare(at + 1, 1, "r") == 0) {
      nodes += std::string(" ") + kRack + "=";
    } else if (text[at] == ' ' && text.compare(at + 1, 1, "z") == 0) {
      nodes += std::string(" ") + kZone + "=";
    } else {
      nodes += text[at];
    }
  }
  story.Nodes(nodes);
}

constexpr const char* kThreeRacks =
    "node0 cpu=4 r0 za\nnode1 cpu=4 r0 za\n"
    "node2 cpu=4 r1 za\nnode3 cpu=2 r1 za\n"
    "node4 cpu=4 r2 zb\nnode5 cpu=4 r2 zb\nnode6 cpu=8";

GroupOptions Together(const std::string& required,
                      const std::string& preferred = "") {
  GroupOptions options;
  options.rules.topology = {required, preferred};
  return options;
}

TEST(ScheduleTopology, RequiredRackIsTheTightestThatHoldsTheGroup) {
  Story story;
  RackedNodes(story, kThreeRacks);
  story.Group("3x2", Together(kRack));
  story.Group("4x2", Together(kRack));
  story.Group("4x2", Together(kRack));
  story.Group("1x2", Together(kRack));
  EXPECT_EQ(story.Decide(0),
            "1: node2 node2 node3, 2: node0 node0 node1 node1, 3: node4 node4 "
            "node5 node5");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("no place is free in one rack "
                        "(topology.kubernetes.io/rack); 1 node has no label "
                        "topology.kubernetes.io/rack, 6 have too little cpu"));
}

TEST(ScheduleTopology, PreferredLevelFallsBackToTheRequiredOneOrAnywhere) {
  Story story;
  RackedNodes(story, kThreeRacks);
  story.Group("2x2", Together(kZone, kRack));
  EXPECT_EQ(story.Decide(0), "1: node2 node2");
  story.Group("5x2", Together(kZone, kRack));
  EXPECT_EQ(story.Decide(1), "2: node0 node0 node1 node1 node3");
  story.Group("7x2", Together("", kRack));
  EXPECT_EQ(story.Decide(2), "3: node4 node4 node5 node5 node6 node6 node6");
}

TEST(ScheduleTopology, GroupThatWaitsForARackStartsWhenOneHasRoom) {
  Story story;
  RackedNodes(story, kThreeRacks);
  story.Group("4x1", Together(kRack));
  story.Group("1x4");
  story.Group("1x4");
  EXPECT_EQ(story.Decide(0), "1: node2 node2 node2 node2, 2: node0, 3: node1");
  story.Group("1x4");
  EXPECT_EQ(story.Decide(1), "4: node4");
  story.Group("4x2", Together(kRack));
  EXPECT_EQ(story.Decide(2), "");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("; 2 of 4 places are free now in one rack "
                        "(topology.kubernetes.io/rack)"));
  story.End(4);
  EXPECT_EQ(story.Decide(3), "5: node4 node4 node5 node5");
}

TEST(ScheduleTopology, ReservationIsForOneRack) {
  Story story;
  RackedNodes(story, "node0 cpu=4 r0\nnode1 cpu=4 r0\nnode2 cpu=4 r1");
  story.Group("1x4", {.duration = 100});
  story.Group("1x4", {.duration = 300});
  EXPECT_EQ(story.Decide(0), "1: node0, 2: node1");
  GroupOptions together = Together(kRack);
  together.duration = 10;
  story.Group("2x4", together);
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "3 at 300 on node0 node1");
}

TEST(ScheduleTopology, NodesAreDrainedInOneRack) {
  Story story;
  RackedNodes(story,
              "node0 cpu=4 r0\nnode1 cpu=4 r1\nnode2 cpu=4 r0\nnode3 cpu=4 r1");
  for (int i = 0; i < 4; ++i) story.Group("1x3");
  story.Decide(0);
  story.Group("2x4", Together(kRack));
  story.Decide(1);
  EXPECT_EQ(story.Reserved(), "5 drains node0 node2");
  story.End(1);
  story.Group("1x4");
  EXPECT_EQ(story.Decide(2), "");
  story.End(3);
  EXPECT_EQ(story.Decide(3), "5: node0 node2");
}

TEST(ScheduleTopology, GroupLargerThanAnyRackIsToldWhatOneCouldTake) {
  Story story;
  RackedNodes(story, kThreeRacks);
  story.Group("5x2", Together(kRack));
  story.Decide(0);
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_TRUE(story.decision.verdicts[0].unsatisfiable);
  EXPECT_EQ(story.decision.verdicts[0].reason,
            "needs 5 × (2 cpu, 1Gi); no rack (topology.kubernetes.io/rack) has "
            "room for all 5 pods, even empty; the largest could take 4");
  RackedNodes(story, "node7 cpu=2 r2 zb\n");
  EXPECT_EQ(story.Decide(1), "1: node4 node4 node5 node5 node7");
}

TEST(ScheduleTopology, NodesWithoutTheLabelTakeNothing) {
  Story story;
  RackedNodes(story, "node0 cpu=4\nnode1 cpu=4");
  story.Group("1x2", Together(kRack));
  story.Group("1x2", Together("", kRack));
  EXPECT_EQ(story.Decide(0), "2: node0");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("all pods must be in one rack "
                        "(topology.kubernetes.io/rack), and no node has the "
                        "label"));
  RackedNodes(story, "node1 cpu=4 r0");
  EXPECT_EQ(story.Decide(1), "1: node1");
}

// Adds a replacement of a lost member.
void ComesLate(Story& story, GroupId group, const std::string& pods,
               const GroupOptions& options) {
  story.schedule.Add(story.MakeGroup(group, pods, options, 100));
}

TEST(ScheduleTopology, LateMemberGoesWhereTheOthersAre) {
  Story story;
  RackedNodes(story, kThreeRacks);
  story.Group("4x2", Together(kRack));
  story.Group("1x4", Together(kRack));
  EXPECT_EQ(story.Decide(0), "1: node0 node0 node1 node1, 2: node2");
  // The rack with the least room is that of node2 and node3.
  story.schedule.Release(1, Uid(1, 0));
  ComesLate(story, 1, "1x2", Together(kRack));
  EXPECT_EQ(story.Decide(1), "1: node0");
  // There is no room any more in the rack of the other members.
  story.schedule.Release(1, Uid(1, 1));
  story.Group("1x1", {.priority = 1, .selector = std::string(kRack) + "=r0"});
  EXPECT_EQ(story.Decide(2), "3: node0");
  ComesLate(story, 1, "1x2", Together(kRack));
  EXPECT_EQ(story.Decide(3), "");
  EXPECT_THAT(story.OnlyReason(),
              HasSubstr("no place is free beside its other pods, in one rack "
                        "(topology.kubernetes.io/rack); 5 nodes are of another "
                        "rack (topology.kubernetes.io/rack)"));
  story.End(3);
  EXPECT_EQ(story.Decide(4), "1: node0");
}

TEST(ScheduleTopology, LateMembersOfTwoGroupsDoNotHinderOneAnother) {
  Story story;
  RackedNodes(story, "node0 cpu=4 r0\nnode1 cpu=4 r1");
  story.Group("2x2", Together(kRack));
  story.Group("2x2", Together(kRack));
  EXPECT_EQ(story.Decide(0), "1: node0 node0, 2: node1 node1");
  story.schedule.Release(1, Uid(1, 0));
  story.Group("1x1", {.selector = std::string(kRack) + "=r0"});
  EXPECT_EQ(story.Decide(1), "3: node0");
  story.schedule.Release(2, Uid(2, 0));
  ComesLate(story, 1, "1x2", Together(kRack));
  ComesLate(story, 2, "1x2", Together(kRack));
  EXPECT_EQ(story.Decide(2), "2: node1");
}

TEST(ScheduleTopology, LateMemberWaitsIfTheOthersAreInNoRack) {
  Story story;
  RackedNodes(story, "node0 cpu=4 r0\nnode1 cpu=4 r1");
  story.Group("2x2", Together(kRack));
  EXPECT_EQ(story.Decide(0), "1: node0 node0");
  story.schedule.Release(1, Uid(1, 0));
  RackedNodes(story, "node0 cpu=4");
  ComesLate(story, 1, "1x2", Together(kRack));
  EXPECT_EQ(story.Decide(1), "");
  ASSERT_EQ(story.decision.verdicts.size(), 1U);
  EXPECT_THAT(story.decision.verdicts[0].reason,
              HasSubstr("the nodes of those that have a place lack the label"));
  RackedNodes(story, "node0 cpu=4 r1");
  EXPECT_EQ(story.Decide(2), "1: node0");
}

TEST(ScheduleTopology, LateMemberFollowsItsGroupToAnotherRack) {
  Story story;
  RackedNodes(story, "node0 cpu=2 r0\nnode1 cpu=4 r1");
  story.Group("1x2", Together(kRack));
  EXPECT_EQ(story.Decide(0), "1: node0");
  ComesLate(story, 1, "1x2", Together(kRack));
  EXPECT_EQ(story.Decide(1), "");
  // node0 is full, but now in the rack of node1.
  RackedNodes(story, "node0 cpu=2 r1");
  EXPECT_EQ(story.Decide(2), "1: node1");
}

TEST(ScheduleTopology, LateMemberOfAGroupThatHoldsNothingMoreIsFree) {
  Story story;
  RackedNodes(story, "node0 cpu=2 r0\nnode1 cpu=2 r1");
  story.Group("1x2", Together(kRack));
  EXPECT_EQ(story.Decide(0), "1: node0");
  ComesLate(story, 1, "1x2", Together(kRack));
  EXPECT_EQ(story.Decide(1), "");
  story.schedule.RemoveNode("node0");
  story.End(1);
  EXPECT_EQ(story.Decide(2), "1: node1");
}

// Gangs of one shape, one after the other, on few nodes whose labels change,
// compared with an exhaustive search.
class RandomTopologies {
 public:
  explicit RandomTopologies(unsigned seed) : random_(seed) {
    for (int node = 0; node < 6; ++node) {
      cpu_[node] = Pick(1, 6);
      Label(node);
    }
  }

  void Run(int steps) {
    for (int step = 0; step < steps && !::testing::Test::HasFailure(); ++step) {
      const int what = Pick(0, 9);
      if (what < 4) {
        Start();
      } else if (what < 6) {
        Replace();
      } else if (what < 8) {
        Label(Pick(0, 5));
      } else {
        EndOne();
      }
    }
  }

  int placed() const { return placed_; }
  int refused() const { return refused_; }

 private:
  using Labels = std::map<std::string, std::string>;
  struct Running {
    GroupOptions options;
    int cpu = 1;
    std::map<std::string, int> nodes;  // by uid
  };

  int Pick(int low, int high) {
    return std::uniform_int_distribution(low, high)(random_);
  }

  void Label(int node) {
    labels_[node].clear();
    if (Pick(0, 4) > 0) labels_[node][kRack] = "r" + std::to_string(Pick(0, 2));
    if (Pick(0, 4) > 0) labels_[node][kZone] = "z" + std::to_string(Pick(0, 1));
    std::string line =
        "node" + std::to_string(node) + " cpu=" + std::to_string(cpu_[node]);
    for (const auto& [key, value] : labels_[node])
      line.append(" ").append(key).append("=").append(value);
    story_.Nodes(line);
  }

  GroupOptions PickOptions() {
    switch (Pick(0, 4)) {
      case 0:
        return Together(kRack);
      case 1:
        return Together(kZone);
      case 2:
        return Together(kZone, kRack);
      case 3:
        return Together("", kRack);
      default:
        return {};
    }
  }

  int FreeOn(int node) const {
    int free = cpu_.at(node);
    for (const auto& [id, group] : running_) {
      for (const auto& [uid, on] : group.nodes) {
        if (on == node) free -= group.cpu;
      }
    }
    return free;
  }

  std::string ValueOf(int node, const std::string& key) const {
    const auto label = labels_.at(node).find(key);
    return label == labels_.at(node).end() ? "" : label->second;
  }

  // The values of both keys; an empty one where no key is asked for.
  using Values = std::pair<std::string, std::string>;
  std::optional<Values> ValuesOf(int node, const std::string& key,
                                 const std::string& outer) const {
    const std::string value = ValueOf(node, key);
    const std::string beyond = outer.empty() ? "" : ValueOf(node, outer);
    if (value.empty() || (!outer.empty() && beyond.empty()))
      return std::nullopt;
    return Values(value, beyond);
  }

  // True if this many pods fit on the nodes that share some value of both keys,
  // which must be that of each node in `beside`, if any.
  bool FitsIn(const std::string& key, const std::string& outer, int pods,
              int cpu, const std::set<int>& beside) const {
    std::map<Values, int> room;
    for (const auto& [node, labels] : labels_) {
      if (const auto values = ValuesOf(node, key, outer))
        room[*values] += FreeOn(node) / cpu;
    }
    std::set<std::string> near;
    std::set<std::string> beyond;
    for (const int node : beside) {
      near.insert(ValueOf(node, key));
      if (!outer.empty()) beyond.insert(ValueOf(node, outer));
    }
    return std::any_of(room.begin(), room.end(), [&](const auto& each) {
      const auto& [value, outer_value] = each.first;
      return each.second >= pods &&
             (beside.empty() ||
              (near.contains(value) &&
               (outer.empty() || beyond.contains(outer_value))));
    });
  }

  bool FitsAnywhere(int pods, int cpu) const {
    int room = 0;
    for (const auto& [node, labels] : labels_) room += FreeOn(node) / cpu;
    return room >= pods;
  }

  void Start() {
    Running group{PickOptions(), Pick(1, 2), {}};
    const int pods = Pick(1, 5);
    const GroupId id = ++last_;
    story_.schedule.Add(story_.MakeGroup(
        id, std::to_string(pods) + "x" + std::to_string(group.cpu),
        group.options));
    Judge(id, group, pods);
  }

  void Replace() {
    if (running_.empty()) return;
    auto at = running_.begin();
    std::advance(at, Pick(0, static_cast<int>(running_.size()) - 1));
    const GroupId id = at->first;
    Running group = at->second;
    if (group.nodes.size() < 2) return;
    story_.schedule.Release(id, group.nodes.begin()->first);
    group.nodes.erase(group.nodes.begin());
    at->second = group;
    last_member_ += 1;
    story_.schedule.Add(story_.MakeGroup(id, "1x" + std::to_string(group.cpu),
                                         group.options, last_member_));
    Judge(id, group, 1);
  }

  void Judge(GroupId id, Running group, int pods) {
    const std::string& required = group.options.rules.topology.required;
    const std::string& preferred = group.options.rules.topology.preferred;
    std::set<int> beside;
    for (const auto& [uid, node] : group.nodes) beside.insert(node);
    const bool near = !preferred.empty() &&
                      FitsIn(preferred, required, pods, group.cpu, beside);
    const bool fits = near || (required.empty() ? FitsAnywhere(pods, group.cpu)
                                                : FitsIn(required, "", pods,
                                                         group.cpu, beside));
    const std::string text = story_.Decide(++now_);
    EXPECT_EQ(!text.empty(), fits) << text;
    if (text.empty()) {
      ++refused_;
      story_.schedule.Remove(id);
      return;
    }
    ++placed_;
    std::set<int> on;
    for (const PlacedMember& member : story_.decision.placed.at(0).members) {
      const int node = std::stoi(member.node.substr(4));
      group.nodes[member.uid] = node;
      on.insert(node);
    }
    if (near) ExpectTogether(preferred, on, beside);
    if (!required.empty()) ExpectTogether(required, on, beside);
    running_[id] = group;
  }

  void ExpectTogether(const std::string& key, const std::set<int>& on,
                      const std::set<int>& beside) const {
    std::set<std::string> values;
    for (const int node : on) values.insert(ValueOf(node, key));
    EXPECT_EQ(values.size(), 1U) << key;
    EXPECT_NE(*values.begin(), "") << key;
    const bool among =
        beside.empty() || std::any_of(beside.begin(), beside.end(), [&](int n) {
          return ValueOf(n, key) == *values.begin();
        });
    EXPECT_TRUE(among) << key;
  }

  void EndOne() {
    if (running_.empty()) return;
    auto at = running_.begin();
    std::advance(at, Pick(0, static_cast<int>(running_.size()) - 1));
    story_.End(at->first);
    running_.erase(at);
  }

  std::mt19937 random_;
  Story story_;
  std::map<int, int> cpu_;  // by node
  std::map<int, Labels> labels_;
  std::map<GroupId, Running> running_;
  GroupId last_ = 0;
  int last_member_ = 100;
  matcher::Time now_ = 0;
  int placed_ = 0;
  int refused_ = 0;
};

TEST(ScheduleTopology, GroupIsNeverSplitAndPlacedIfAnyDomainHoldsIt) {
  int placed = 0;
  int refused = 0;
  for (unsigned seed = 1; seed <= 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomTopologies run(seed);
    run.Run(120);
    placed += run.placed();
    refused += run.refused();
  }
  EXPECT_GT(placed, 500);
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace fluxnetes::workers
