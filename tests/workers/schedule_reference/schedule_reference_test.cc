#include "tests/workers/schedule_reference/schedule_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <utility>

namespace fluxnetes::workers {
namespace {

enum class Ends { kAsPlanned, kEarlier, kSomeUnknown };

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  std::int64_t Up(std::int64_t from, std::int64_t to) {
    return std::uniform_int_distribution<std::int64_t>(from, to)(engine_);
  }

 private:
  std::mt19937 engine_;
};

Workload Draw(unsigned seed, Ends ends) {
  Random random(seed);
  Workload workload;
  const std::int64_t largest = random.Up(2, 8);
  for (std::int64_t i = random.Up(1, 6); i > 0; --i) {
    workload.cpus.push_back(random.Up(1, largest));
  }
  const std::int64_t pods = random.Up(1, 8);
  const std::int64_t hurry = random.Up(0, 30);
  const std::int64_t levels = random.Up(0, 2);
  std::int64_t now = 0;
  for (GroupId id = 1; id <= 40; ++id) {
    TimedGroup group;
    group.id = id;
    group.comes = now += random.Up(0, hurry);
    group.priority = static_cast<int>(random.Up(0, levels));
    group.pods = static_cast<int>(random.Up(1, pods));
    group.cpu = random.Up(1, largest);
    const std::int64_t planned = 10 * random.Up(1, 12);
    group.runs = ends == Ends::kAsPlanned ? planned : random.Up(1, planned);
    if (ends != Ends::kSomeUnknown || random.Up(0, 2) > 0) {
      group.duration = planned;
    }
    std::int64_t room = 0;
    for (const std::int64_t cpu : workload.cpus) room += cpu / group.cpu;
    group.pods = static_cast<int>(std::min<std::int64_t>(group.pods, room));
    if (group.pods > 0) {
      workload.groups.push_back(group);
    } else {
      --id;
    }
  }
  return workload;
}

// Levels of two racks or three in each of two zones; racks of several zones may
// have the same name, and some nodes have none.
cluster::LabelMap DrawLabels(Random& random, std::int64_t node) {
  cluster::LabelMap labels;
  labels["host"] = "h" + std::to_string(node);
  const std::string zone = random.Up(0, 1) == 0 ? "a" : "b";
  labels["zone"] = zone;
  const std::string rack = "r" + std::to_string(random.Up(0, 2));
  if (random.Up(0, 9) > 0)
    labels["rack"] = random.Up(0, 2) == 0 ? rack : zone + rack;
  return labels;
}

// Returns the number that the group's size must be a multiple of.
int DrawTopology(Random& random, cluster::GroupTopology& topology) {
  const int number = static_cast<int>(random.Up(1, 3));
  const int more = number * static_cast<int>(random.Up(1, 2));
  switch (random.Up(0, 11)) {
    case 0:
      topology.required = "zone";
      return 1;
    case 1:
      topology.required = "rack";
      return 1;
    case 2:
      topology.preferred = "rack";
      return 1;
    case 3:
      topology.preferred = "rack";
      topology.required = "zone";
      return 1;
    case 4:
      topology.required_parts = {{"rack", number}};
      return number;
    case 5:
      topology.required_parts = {{"rack", number}};
      topology.required = "zone";
      return number;
    case 6:
      topology.required_parts = {{"rack", number}, {"zone", more}};
      return more;
    case 7:
      topology.required_parts = {{"host", number}, {"rack", more}};
      topology.required = "zone";
      return more;
    case 8:
      topology.preferred_parts = {{"host", number}, {"rack", more}};
      return more;
    case 9:
      topology.preferred_parts = {{"rack", number}};
      topology.preferred = "zone";
      return number;
    case 10:
      topology.preferred_parts = {{"host", number}};
      topology.required_parts = {{"rack", more}};
      topology.required = "zone";
      return more;
    default:
      return 1;
  }
}

// The same on more nodes that are in racks and zones, which most groups ask
// for. A few can never fit.
Workload DrawLevels(unsigned seed, Ends ends) {
  Random random(seed + 7'000'000);
  Workload workload = Draw(seed, ends);
  while (workload.cpus.size() < 6 || random.Up(0, 4) > 0)
    workload.cpus.push_back(random.Up(1, 8));
  for (std::int64_t i = 0; i < std::ssize(workload.cpus); ++i)
    workload.labels.push_back(DrawLabels(random, i));
  for (TimedGroup& group : workload.groups) {
    const int of = DrawTopology(random, group.topology);
    group.pods = of * static_cast<int>(random.Up(1, std::max(1, 12 / of)));
    group.cpu = random.Up(1, 3);
    if (!FitsEmptyNodes(workload, group) && random.Up(0, 9) > 0) {
      group.topology = {};
      group.pods = 1;
      group.cpu = 1;
    }
  }
  return workload;
}

void CompareOne(const PolicyUnderTest& policy, const Workload& workload,
                unsigned seed) {
  const std::string expected = RunReference(workload, policy);
  const std::string got = RunSchedule(workload, policy);
  ASSERT_TRUE(expected == got)
      << "seed " << seed << FirstDifference(expected, got);
}

// FLUXNETES_TEST_LONG: twenty times as many. FLUXNETES_TEST_SEED: that alone.
void Compare(const PolicyUnderTest& policy, Ends ends, unsigned seeds = 300,
             Workload (*draw)(unsigned, Ends) = Draw) {
  const char* const only = std::getenv("FLUXNETES_TEST_SEED");
  const auto first = static_cast<unsigned>(only ? std::atoi(only) : 0);
  if (only != nullptr)
    seeds = 1;
  else if (std::getenv("FLUXNETES_TEST_LONG") != nullptr)
    seeds *= 20;
  for (unsigned seed = first; seed < first + seeds; ++seed) {
    CompareOne(policy, draw(seed, ends), seed);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(ScheduleReference, TellsFcfsFromEasy) {
  const Workload workload = {{4},
                             {{1, 0, 0, 1, 3, 100, 100},
                              {2, 0, 0, 1, 4, 50, 50},
                              {3, 0, 0, 1, 1, 200, 200},
                              {4, 0, 0, 1, 1, 100, 100}}};
  EXPECT_EQ(RunReference(workload, QueuePolicy::kFcfs),
            "0: 1 on node0\n100: 2 on node0\n150: 3 on node0\n"
            "150: 4 on node0\n");
  EXPECT_EQ(RunReference(workload, QueuePolicy::kEasy),
            "0: 1 on node0\n0: 4 on node0\n0: 2 at 100 on node0\n"
            "100: 2 on node0\n100: 3 at 150 on node0\n150: 3 on node0\n");
}

TEST(ScheduleReference, FcfsStartsTheSame) {
  Compare(QueuePolicy::kFcfs, Ends::kAsPlanned);
  Compare(QueuePolicy::kFcfs, Ends::kEarlier);
}

TEST(ScheduleReference, FcfsStartsTheSameWhereEndsAreUnknown) {
  Compare(QueuePolicy::kFcfs, Ends::kSomeUnknown);
}

TEST(ScheduleReference, EasyStartsAndReservesTheSame) {
  Compare(QueuePolicy::kEasy, Ends::kAsPlanned);
  Compare(QueuePolicy::kEasy, Ends::kEarlier);
}

TEST(ScheduleReference, TellsWhatLevelsAskFor) {
  Workload workload;
  workload.cpus = {2, 2, 4, 4};
  workload.labels = {{{"rack", "a"}}, {{"rack", "a"}}, {{"rack", "b"}}, {}};
  workload.groups = {{1, 0, 0, 4, 1, 10, 10}, {2, 0, 0, 4, 1, 10, 10}};
  // All 4 in one rack: that with the least free, of cpu, memory and pods.
  workload.groups[0].topology.required = "rack";
  // Two times 2; only one rack is left.
  workload.groups[1].topology.required_parts = {{"rack", 2}};
  EXPECT_EQ(RunReference(workload, QueuePolicy::kEasy),
            "0: 1 on node2 node2 node2 node2\n"
            "0: 2 on node0 node0 node1 node1\n");
  // Three to a rack: rack a has room for one such part, and so has b.
  workload.groups[0].topology = {};
  workload.groups[0].topology.preferred_parts = {{"rack", 3}};
  workload.groups[0].pods = 6;
  workload.groups[1].topology.required_parts = {{"rack", 5}};
  workload.groups[1].pods = 5;
  EXPECT_EQ(RunReference(workload, QueuePolicy::kEasy),
            "0: 1 on node0 node0 node1 node2 node2 node2\n");
}

TEST(ScheduleReference, FcfsStartsTheSameByLevels) {
  for (const Ends ends : {Ends::kAsPlanned, Ends::kEarlier, Ends::kSomeUnknown})
    Compare(QueuePolicy::kFcfs, ends, 100, DrawLevels);
}

TEST(ScheduleReference, EasyStartsAndReservesTheSameByLevels) {
  for (const Ends ends : {Ends::kAsPlanned, Ends::kEarlier})
    Compare(QueuePolicy::kEasy, ends, 100, DrawLevels);
}

// Planned anew, it would take other nodes. What comes is one that can never fit
// (352), or anyone at all after the reservation has moved (109) or one behind
// it was given up (1330).
TEST(ScheduleReference, EasyKeepsAReservationByLevelsWhoeverComesBehind) {
  constexpr std::pair<unsigned, Ends> kSeeds[] = {
      {352, Ends::kAsPlanned}, {109, Ends::kEarlier}, {1330, Ends::kAsPlanned}};
  for (const auto& [seed, ends] : kSeeds)
    CompareOne(QueuePolicy::kEasy, DrawLevels(seed, ends), seed);
}

TEST(ScheduleReference, ConservativeStartsAndReservesTheSameByLevels) {
  for (const Ends ends : {Ends::kAsPlanned, Ends::kEarlier})
    Compare(QueuePolicy::kConservative, ends, 30, DrawLevels);
}

TEST(ScheduleReference, HybridStartsAndReservesTheSameByLevels) {
  for (const int depth : {1, 3})
    for (const Ends ends : {Ends::kAsPlanned, Ends::kEarlier})
      Compare({QueuePolicy::kHybrid, depth}, ends, 30, DrawLevels);
}

TEST(ScheduleReference, TellsConservativeFromEasy) {
  // The second reservation prevents group 4 from starting.
  const Workload workload = {{4},
                             {{1, 0, 0, 1, 3, 100, 100},
                              {2, 0, 0, 1, 4, 50, 50},
                              {3, 0, 0, 1, 4, 50, 50},
                              {4, 0, 0, 1, 1, 60, 60}}};
  EXPECT_EQ(RunReference(workload, QueuePolicy::kConservative),
            "0: 1 on node0\n0: 4 on node0\n0: 2 at 100 on node0\n"
            "0: 3 at 150 on node0\n60: 2 at 100 on node0\n"
            "60: 3 at 150 on node0\n100: 2 on node0\n100: 3 at 150 on node0\n"
            "150: 3 on node0\n");
}

TEST(ScheduleReference, ConservativeStartsAndReservesTheSame) {
  Compare(QueuePolicy::kConservative, Ends::kAsPlanned, 30);
  Compare(QueuePolicy::kConservative, Ends::kEarlier, 40);
}

TEST(ScheduleReference, HybridStartsAndReservesTheSame) {
  for (const int depth : {1, 2, 3, 7}) {
    Compare({QueuePolicy::kHybrid, depth}, Ends::kAsPlanned, 15);
    Compare({QueuePolicy::kHybrid, depth}, Ends::kEarlier, 30);
  }
}

}  // namespace
}  // namespace fluxnetes::workers
