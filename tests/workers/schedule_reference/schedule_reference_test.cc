#include "tests/workers/schedule_reference/schedule_reference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

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

void Compare(const PolicyUnderTest& policy, Ends ends, unsigned seeds = 300) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Workload workload = Draw(seed, ends);
    const std::string expected = RunReference(workload, policy);
    const std::string got = RunSchedule(workload, policy);
    ASSERT_TRUE(expected == got)
        << "seed " << seed << FirstDifference(expected, got);
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
