// Pods on nodes whose kubelets refuse what is not in one NUMA domain: what the
// scheduler plans, and what such a kubelet makes of it. FLUXNETES_TEST_SEED is
// the seed of the random runs.
#include <cstdlib>
#include <random>

#include "sql/faults.h"
#include "tests/invariants/behaviour/behaviour.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;

class BehaviourOfInsides : public Behaviour {
 protected:
  explicit BehaviourOfInsides(const std::string& count = "1",
                              const std::string& policy = "single-numa-node")
      : Behaviour("nodes: [{count: " + count +
                  ", name: node, cpu: 16, memory: 64Gi, resources: "
                  "{nvidia.com/gpu: 4}, structure: \"sockets: 2, numa: 4, "
                  "cores: 16, gpus: 4\", topology-policy: " +
                  policy + "}]") {}

  int CountRefused() {
    return static_cast<int>(std::ranges::count_if(
        system.cluster.TakeSnapshot().pods, [](const auto& pod) {
          return pod->reason == "TopologyAffinityError";
        }));
  }
};

// Gangs of random sizes that come faster than they end.
class RandomInsides : public BehaviourOfInsides {
 protected:
  explicit RandomInsides(const std::string& policy = "single-numa-node")
      : BehaviourOfInsides("3", policy) {}
  ~RandomInsides() override { sql::PlantBug(""); }

  void Run(int gangs, const std::string& align) {
    const char* const given = std::getenv("FLUXNETES_TEST_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : 7;
    RecordProperty("FLUXNETES_TEST_SEED", std::to_string(seed));
    std::mt19937_64 random(seed);
    const auto some = [&random](int least, int most) {
      return std::uniform_int_distribution<int>(least, most)(random);
    };
    for (int gang = 0; gang < gangs; ++gang) {
      system.Submit(GangOf("g" + std::to_string(gang), some(1, 6),
                           {.cpu = std::to_string(some(1, 4)),
                            .gpus = some(0, 3) == 0 ? 1 : 0,
                            .seconds = some(5, 120),
                            .backoff_limit = 0,
                            .align = align,
                            .guaranteed = true}));
      system.Settle();
      system.Advance(seconds(some(0, 25)));
    }
  }
};

class RandomInsidesOfRestricted : public RandomInsides {
 protected:
  RandomInsidesOfRestricted() : RandomInsides("restricted") {}
};

// 4 cpus are free, one in each domain.
TEST_F(BehaviourOfInsides, GuaranteedPodsWaitForADomainWithoutALabel) {
  Submit(GangOf("threes", 4, {.cpu = "3", .seconds = 100, .guaranteed = true}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("threes"), "bound");
  Submit(GangOf("two", 1, {.cpu = "2", .seconds = 10, .guaranteed = true}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("two"), "pending");
  EXPECT_THAT(
      system.Ask("SELECT reason FROM pending WHERE group_name = 'two'"),
      ::testing::HasSubstr(
          "free, but not in as few NUMA domains as the kubelet demands"));
  // Pods of other classes share the cpus that are left.
  Submit(GangOf("shared", 1, {.cpu = "2", .seconds = 10, .priority = 1}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("shared"), "bound");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(CountRefused(), 0);
}

TEST_F(BehaviourOfInsides, WithAlignmentThePodWaitsForADomain) {
  Submit(GangOf("threes", 4, {.cpu = "3", .seconds = 100, .align = "numa"}));
  system.Advance(seconds(1));
  Submit(GangOf("two", 1, {.cpu = "2", .seconds = 10, .align = "numa"}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("two"), "pending");
  system.Advance(seconds(110));
  EXPECT_EQ(StateOf("threes"), "");
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(CountRefused(), 0);
}

TEST_F(BehaviourOfInsides, CpusThatOthersHaveOfADomainAreLeftToThem) {
  AddOther("agent", "node0", 3);
  system.Advance(seconds(1));
  Submit(GangOf("threes", 3, {.cpu = "3", .seconds = 60, .align = "numa"}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("threes"), "bound");
  EXPECT_EQ(CountRefused(), 0);
  // 4 cpus are free, one in each domain.
  Submit(GangOf("more", 1, {.cpu = "2", .seconds = 10, .align = "numa"}));
  system.Advance(seconds(1));
  EXPECT_EQ(StateOf("more"), "pending");
  RemoveOther("agent");
  EXPECT_EQ(StateOf("more"), "bound");
  system.Advance(seconds(1));
  EXPECT_EQ(CountRefused(), 0);
}

TEST_F(RandomInsides, AlignedPodsAreNeverRefused) {
  Run(80, "numa");
  EXPECT_EQ(CountRefused(), 0);
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(CountRefused(), 0);
}

TEST_F(RandomInsides, PodsWithoutLabelsAreNeverRefused) {
  Run(40, "");
  EXPECT_EQ(CountRefused(), 0);
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(CountRefused(), 0);
}

TEST_F(RandomInsidesOfRestricted, PodsWithoutLabelsAreNeverRefused) {
  Run(30, "");
  EXPECT_EQ(CountRefused(), 0);
  RunToEndAndExpectNothingLeft();
  EXPECT_EQ(CountRefused(), 0);
}

// So the kubelets would have had reason.
TEST_F(RandomInsides, WithoutThePlanSomeAreRefused) {
  sql::PlantBug("kubelets-forgotten");
  Run(20, "");
  EXPECT_GT(CountRefused(), 0);
}

TEST_F(RandomInsidesOfRestricted, WithoutThePlanSomeAreRefused) {
  sql::PlantBug("kubelets-forgotten");
  Run(20, "");
  EXPECT_GT(CountRefused(), 0);
}

// The low group has whole cpus, but no label; the high one needs its domain.
TEST_F(BehaviourOfInsides, PreemptionLeavesTheDomainThatIsNeeded) {
  system.database.Execute("UPDATE queues SET preemption = 'lower_priority'");
  Submit(GangOf("stays", 3,
                {.cpu = "3", .seconds = 900, .priority = 9, .align = "numa"}));
  Submit(GangOf("low", 1, {.cpu = "4", .seconds = 900, .guaranteed = true}));
  Submit(GangOf("lower", 1, {.cpu = "1", .seconds = 900, .priority = -1}));
  system.Advance(seconds(1));
  // Two cpus are free, and three without "lower".
  Submit(GangOf("high", 1,
                {.cpu = "2", .seconds = 60, .priority = 5, .align = "numa"}));
  system.Advance(seconds(60));
  EXPECT_EQ(StateOf("high"), "bound");
  EXPECT_EQ(StateOf("lower"), "bound");
  EXPECT_NE(StateOf("low"), "bound");
  EXPECT_EQ(CountRefused(), 0);
}

TEST_F(BehaviourOfInsides, HistoryKeepsWhatPodsHad) {
  Submit(GangOf("threes", 2, {.cpu = "3", .seconds = 10, .align = "numa"}));
  system.Advance(seconds(60));
  EXPECT_EQ(system.Ask("SELECT string_agg(pod ->> 'inside', ' ' ORDER BY pod "
                       "->> 'name') FROM group_history, "
                       "jsonb_array_elements(pods) AS pod"),
            "socket0/numa0/core[0-2] socket0/numa1/core[4-6]");
}

}  // namespace
}  // namespace fluxnetes::testing
