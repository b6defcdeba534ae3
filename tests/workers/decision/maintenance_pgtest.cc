#include "tests/workers/support/start_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

class MaintenanceTest : public StartTest {
 protected:
  MaintenanceTest() { Observe(); }

  // Announces maintenance of nodes by name or by labels; seconds after kNoon.
  void Announce(const std::string& what, int from, int until = 0) {
    const std::string column =
        what[0] == '{' && what[1] == '"' ? "node_selector" : "nodes";
    database.Execute(
        "INSERT INTO maintenance (" + column +
        ", starts_at, ends_at, made_at) VALUES ('" + what + "', to_timestamp(" +
        AfterNoon(from) + "), " +
        (until == 0 ? "NULL" : "to_timestamp(" + AfterNoon(until) + ")") +
        ", now())");
  }

  void CreateLimited(const std::string& name, int seconds) {
    cluster::Pod pod = PodOf({.name = name, .group = name});
    pod.active_deadline = std::chrono::seconds(seconds);
    door.Put(pod);
  }

  void SetLabel(const std::string& name, const std::string& rack) {
    cluster::Node node;
    node.name = name;
    node.labels["rack"] = rack;
    node.allocatable = {.cpu_milli = 64'000,
                        .memory_bytes = 1L << 40,
                        .ephemeral_bytes = 0,
                        .pods = 110,
                        .extended = {}};
    door.PutNode(node);
    Observe();
  }
};

TEST_F(MaintenanceTest, GroupsGoWhereTheyEndInTime) {
  Announce("{n0,n1}", 100, 200);
  CreateLimited("short", 100);
  CreateLimited("long", 101);
  CreateGang("endless", 2);
  Pass(0);
  EXPECT_EQ(PlacesOf("short"), "n0");
  EXPECT_EQ(PlacesOf("long"), "n2");
  EXPECT_EQ(PlacesOf("endless"), "n2 n2");
}

TEST_F(MaintenanceTest, EditTakesEffectAtOnceAndTimeEndsIt) {
  Pass(0);
  Announce("{n0,n1,n2}", -10, 100);
  CreateGang("train", 2);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending reserved");
  EXPECT_THAT(ReasonOf("train"), HasSubstr("kept free for maintenance"));
  EXPECT_EQ(std::to_string(*match->worker.NextDue()), AfterNoon(100));
  database.Execute("UPDATE maintenance SET nodes = '{n0,n1}'");
  Pass(1);
  EXPECT_EQ(PlacesOf("train"), "n2 n2");
  CreateLimited("next", 5);
  Announce("{n2}", 0, 50);
  Pass(2);
  EXPECT_EQ(StateOf("next"), "pending reserved");
  Pass(50);
  EXPECT_EQ(PlacesOf("next"), "n2");
}

TEST_F(MaintenanceTest, DrainedNodesAreLikeCordonedOnesUntilItIsUndone) {
  database.Execute(
      "INSERT INTO maintenance (node_selector, "
      "starts_at, made_at) VALUES ('{}', to_timestamp(" +
      AfterNoon(0) + "), now())");
  CreateGang("train", 2);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "unsatisfiable");
  Restart();
  Pass(1);
  EXPECT_EQ(StateOf("train"), "unsatisfiable");
  database.Execute("DELETE FROM maintenance");
  Pass(2);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(MaintenanceTest, LabelsSayWhichNodesAsTheyAreNow) {
  SetLabel("n0", "r1");
  SetLabel("n1", "r1");
  Announce(R"({"rack": "r1"})", 0);
  Pass(0);
  CreateGang("first", 2);
  Pass(0);
  EXPECT_EQ(PlacesOf("first"), "n2 n2");
  SetLabel("n2", "r1");
  SetLabel("n1", "r2");
  CreateGang("second", 2);
  Pass(1);
  EXPECT_EQ(PlacesOf("second"), "n1 n1");
}

// Otherwise a drained node would never be empty.
TEST_F(MaintenanceTest, ReplacementDoesNotTakeAPlaceOnANodeInMaintenance) {
  SetLabel("n0", "r1");
  CreateGang("train", 2);
  Pass(0);
  ASSERT_EQ(PlacesOf("train"), "n0 n0");
  BindPlaced();
  Pass(1);
  Announce("{n0}", 100, 200);
  const auto fail = [this](const std::string& pod, int seconds) {
    door.End("default/" + pod, cluster::PodPhase::kFailed);
    Pass(seconds);
    ASSERT_EQ(Ask("SELECT count(*) FROM placements WHERE held_until IS NOT "
                  "NULL"),
              "1");
    Create({.name = pod + "x", .group = "train", .size = 2, .owner = "train"});
    Pass(seconds);
  };
  fail("train-0", 50);
  EXPECT_EQ(Ask("SELECT l.node_name FROM placements l JOIN pods p ON p.uid = "
                "l.pod_uid WHERE p.pod_name = 'train-0x'"),
            "n0")
      << "it has not begun";
  database.Execute(
      "UPDATE maintenance SET nodes = NULL, node_selector = "
      "'{\"rack\": \"r1\"}'");
  fail("train-1", 100);
  EXPECT_EQ(Ask("SELECT l.node_name FROM placements l JOIN pods p ON p.uid = "
                "l.pod_uid WHERE p.pod_name = 'train-1x'"),
            "n1");
}

TEST_F(MaintenanceTest, MemoryComparesEqualWithTheRecords) {
  CreateGang("train", 2);
  Pass(0);
  Announce("{n0}", 0);
  Announce("{n1}", 100, 200);
  Pass(1);
  EXPECT_FALSE(match->worker.Compare().again);
}

TEST_F(MaintenanceTest, ViewSaysWhoIsInTheWay) {
  CreateGang("train", 2);
  Pass(0);
  Announce("{n0,n1}", 100, 200);
  for (const char* node : {"n0", "n1"})
    database.Execute(std::string("INSERT INTO nodes (node_name, cpu_milli, "
                                 "memory_bytes, pods, seen_at) VALUES ('") +
                     node + "', 1, 1, 1, now())");
  EXPECT_EQ(AskAll("SELECT node_name, groups_in_the_way FROM node_maintenance "
                   "ORDER BY node_name"),
            "n0|1\nn1|0");
}

TEST_F(MaintenanceTest, RowThatMakesNoSenseIsRefused) {
  for (const char* values :
       {"NULL, NULL, now(), NULL", "'{}', NULL, now(), NULL",
        "'{n0}', '{}', now(), NULL", "'{n0}', NULL, now(), now()",
        "NULL, '[]', now(), NULL", "NULL, '{\"a\": 1}', now(), NULL",
        "'{n0}', NULL, NULL, NULL", "'{n0}', NULL, 'infinity', NULL",
        "'{n0}', NULL, '-infinity', NULL", "'{n0}', NULL, now(), 'infinity'",
        "'{n0,NULL}', NULL, now(), NULL", "'{{n0,n1}}', NULL, now(), NULL"})
    EXPECT_THROW(
        database.Execute(
            std::string("INSERT INTO maintenance (nodes, node_selector, "
                        "starts_at, ends_at, made_at) VALUES (") +
            values + ", now())"),
        std::exception)
        << values;
}

}  // namespace
}  // namespace fluxnetes::workers
