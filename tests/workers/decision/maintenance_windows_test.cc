#include "workers/decision/maintenance_windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;

class WindowsTest : public ::testing::Test {
 protected:
  WindowsTest() {
    for (const char* name : {"b", "a", "c"}) {
      cluster::Node& node = nodes.emplace_back();
      node.name = name;
      node.labels["rack"] = *name == 'c' ? "r2" : "r1";
    }
  }

  std::optional<std::vector<NodeClosure>> At(matcher::Time now) {
    return windows.TakeChanges(now, [this] {
      MaintenanceWindows::Nodes known;
      for (const cluster::Node& node : nodes) known.push_back(&node);
      return known;
    });
  }

  std::vector<cluster::Node> nodes;
  MaintenanceWindows windows;
};

TEST_F(WindowsTest, NodesAreThoseOfTheNamesOrTheLabels) {
  windows.Set({{1, {"a", "x"}, {}, 10, 20},
               {2, {}, {{"rack", "r1"}}, 10, 20},
               {3, {}, {}, 10, 20},
               {4, {"x"}, {}, 10, 20}});
  const auto closures = At(0);
  ASSERT_TRUE(closures);
  EXPECT_THAT(*closures, ElementsAre(NodeClosure{1, 10, 20, {"a"}},
                                     NodeClosure{2, 10, 20, {"a", "b"}},
                                     NodeClosure{3, 10, 20, {"a", "b", "c"}}));
}

TEST_F(WindowsTest, NothingIsSaidTwice) {
  EXPECT_FALSE(At(0));
  windows.Set({{1, {"a"}, {}, 10, 20}});
  EXPECT_TRUE(At(0));
  EXPECT_FALSE(At(1));
  windows.Set({{1, {"a"}, {}, 10, 20}});
  EXPECT_FALSE(At(2));
  windows.NoteNode();
  EXPECT_TRUE(At(3));
}

TEST_F(WindowsTest, TimeEndsIt) {
  windows.Set({{1, {"a"}, {}, 10, 20}, {2, {"b"}, {}, 15, std::nullopt}});
  EXPECT_EQ(At(0)->size(), 2U);
  EXPECT_EQ(windows.NextDue(), 15) << "it shuts its nodes then";
  EXPECT_FALSE(At(14));
  EXPECT_EQ(At(15)->size(), 2U);
  EXPECT_EQ(windows.NextDue(), 20);
  EXPECT_THAT(*At(20), ElementsAre(NodeClosure{2, 15, std::nullopt, {"b"}}));
  EXPECT_EQ(windows.NextDue(), std::nullopt);
  windows.Clear();
  EXPECT_TRUE(At(21)->empty());
}

}  // namespace
}  // namespace fluxnetes::workers
