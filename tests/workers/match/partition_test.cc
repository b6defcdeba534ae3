#include "workers/match/partition.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>

namespace fluxnetes::workers {
namespace {

cluster::NodePointer Node(const std::string& name,
                          const std::map<std::string, std::string>& labels) {
  cluster::Node node;
  node.name = name;
  node.labels = labels;
  return std::make_shared<const cluster::Node>(node);
}

// "{a b} {c}"
std::string Said(Partition& partition) {
  std::string text;
  for (const auto& component : partition.Components())
    text += fmt::format("{}{{{}}}", text.empty() ? "" : " ",
                        fmt::join(component, " "));
  return text;
}

TEST(Partition, QueuesWithoutNodesAreEachAlone) {
  Partition partition;
  partition.SetQueues({{"b", {}}, {"a", {}}});
  EXPECT_EQ(Said(partition), "{a} {b}");
}

TEST(Partition, QueuesThatShareANodeAreOneComponentDirectlyOrThroughOthers) {
  Partition partition;
  partition.SetQueues({{"a", {{"a", "1"}}},
                       {"b", {{"b", "1"}}},
                       {"c", {{"c", "1"}}},
                       {"d", {{"d", "1"}}}});
  partition.SetNode(Node("n0", {{"a", "1"}, {"c", "1"}}));
  partition.SetNode(Node("n1", {{"b", "1"}, {"c", "1"}}));
  partition.SetNode(Node("n2", {{"d", "1"}}));
  EXPECT_EQ(Said(partition), "{a b c} {d}");
}

TEST(Partition, FollowsLabelsNodesAndSelectors) {
  Partition partition;
  partition.SetQueues(
      {{"blue", {{"pool", "blue"}}}, {"red", {{"pool", "red"}}}});
  partition.SetNode(Node("n0", {{"pool", "blue"}}));
  partition.SetNode(Node("n1", {{"pool", "red"}}));
  EXPECT_EQ(Said(partition), "{blue} {red}");
  partition.SetQueues({{"blue", {{"pool", "blue"}}}, {"red", {}}});
  EXPECT_EQ(Said(partition), "{blue red}");
  partition.SetNode(Node("n0", {{"pool", "green"}}));
  EXPECT_EQ(Said(partition), "{blue} {red}");
  partition.SetNode(Node("n0", {{"pool", "blue"}}));
  EXPECT_EQ(Said(partition), "{blue red}");
  partition.RemoveNode("n0");
  EXPECT_EQ(Said(partition), "{blue} {red}");
}

// After any history the result is that of a new partition.
TEST(Partition, SaysTheSameAsOneThatIsMadeAnew) {
  std::mt19937 random(1);
  const auto labels = [&] {
    std::map<std::string, std::string> some;
    for (const char* name : {"a", "b", "c"})
      if (random() % 3 == 0) some[name] = std::to_string(random() % 2);
    return some;
  };
  Partition old;
  std::map<std::string, std::map<std::string, std::string>> queues, nodes;
  for (int step = 0; step < 2'000; ++step) {
    const std::string name = fmt::format("{}", random() % 6);
    switch (random() % 4) {
      case 0:
        queues[name] = labels();
        old.SetQueues(queues);
        break;
      case 1:
        nodes.erase(name);
        old.RemoveNode(name);
        break;
      default:
        nodes[name] = labels();
        old.SetNode(Node(name, nodes[name]));
    }
    Partition anew;
    anew.SetQueues(queues);
    for (const auto& [node, with] : nodes) anew.SetNode(Node(node, with));
    ASSERT_EQ(Said(old), Said(anew)) << "after step " << step;
  }
}

}  // namespace
}  // namespace fluxnetes::workers
