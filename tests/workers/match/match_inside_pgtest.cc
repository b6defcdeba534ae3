// Parts inside of nodes, from the labels of pods to their bindings.
#include "tests/workers/support/match_fixture.h"
#include "workers/match/node_reporter.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

class MatchInsideTest : public MatchTest {
 protected:
  MatchInsideTest() {
    for (const char* name : {"n0", "n1", "n2"}) AddStructure(name, 16'000);
  }

  void AddStructure(const std::string& name, std::int64_t cpu_milli) {
    cluster::Node node;
    node.name = name;
    node.allocatable = {.cpu_milli = cpu_milli,
                        .memory_bytes = 1L << 40,
                        .ephemeral_bytes = 0,
                        .pods = 110,
                        .extended = {}};
    node.structure.Own() = "sockets: 2, numa: 4, cores: 16";
    door.PutNode(node);
  }

  void CreateAligned(const std::string& gang, int size, std::int64_t cpus) {
    door.owners["uid-of-" + gang] = {"Job", "default", gang, "uid-of-" + gang};
    for (int i = 0; i < size; ++i) {
      cluster::Pod pod = PodOf({.name = gang + "-" + std::to_string(i),
                                .group = gang,
                                .size = size,
                                .owner = gang,
                                .cpu = 1'000 * cpus});
      pod.labels["fluxnetes.align"] = "numa";
      door.Put(pod);
    }
  }

  std::string PartsOfGang(const std::string& gang) {
    return Ask(
        "SELECT string_agg(l.parts, ' ' ORDER BY p.pod_name) FROM placements "
        "l JOIN pods p ON p.uid = l.pod_uid JOIN pod_groups g ON g.id = "
        "p.group_id WHERE g.group_name = '" +
        gang + "'");
  }
};

TEST_F(MatchInsideTest, PartsAreRecordedBoundAndKnownAfterARestart) {
  CreateAligned("train", 2, 3);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("train"), "n0 n0");
  EXPECT_EQ(PartsOfGang("train"),
            "socket0/numa0/core[0-2] socket0/numa1/core[4-6]");
  BindPlaced();
  const cluster::LabelMap annotations =
      door.GetPod("default", "train-1")->annotations;
  ASSERT_TRUE(annotations.contains(cluster::kResourceSetAnnotation));
  EXPECT_THAT(annotations.at(cluster::kResourceSetAnnotation),
              HasSubstr("\"children\": {\"core\": \"4-6\"}"));
  Observe();
  const auto before = match->worker.Describe();
  StartMatch();
  Match();
  EXPECT_EQ(match->worker.Describe(), before);
  EXPECT_THAT(before, HasSubstr("socket0/numa1/core[4-6]"));
  // It stays clear of what the first gang has.
  CreateAligned("tests", 2, 4);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PartsOfGang("tests"),
            "socket1/numa2/core[8-11] socket1/numa3/core[12-15]");
}

TEST_F(MatchInsideTest, ViewShowsWhatTheGangHasAsOneResourceSet) {
  CreateAligned("train", 5, 3);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(Ask("SELECT inside #>> '{execution,nodelist}' FROM resource_sets"),
            "[\"n0\", \"n1\"]");
  EXPECT_EQ(Ask("SELECT jsonb_array_length(inside #> '{execution,R_lite}') "
                "FROM resource_sets"),
            "5");
  EXPECT_EQ(Ask("SELECT inside #>> '{execution,R_lite,4}' FROM resource_sets"),
            "{\"rank\": \"1\", \"children\": {\"core\": \"0-2\"}}");
}

TEST_F(MatchInsideTest, CopyOfTheNodesHasEachStructureOnce) {
  cluster::Node bare;
  bare.name = "bare";
  bare.allocatable.cpu_milli = 1'000;
  door.PutNode(bare);
  Observe();
  NodeReporter reporter(database.pool(), *cache, {});
  reporter.Write(kNoon);
  EXPECT_EQ(
      database.AskAll("SELECT n.node_name, s.structure FROM nodes n LEFT "
                      "JOIN node_structures s ON s.id = n.structure "
                      "ORDER BY 1"),
      "bare|NULL\nn0|sockets: 2, numa: 4, cores: 16\nn1|sockets: 2, numa: "
      "4, cores: 16\nn2|sockets: 2, numa: 4, cores: 16");
  EXPECT_EQ(Ask("SELECT count(*) FROM node_structures"), "1");
}

TEST_F(MatchInsideTest, CopyOfTheNodesSaysWhatTheirKubeletsRefuse) {
  Observe();
  cluster::Node node = *cache->NodeByName("n1");
  node.topology_policy = cluster::TopologyPolicy::kRestricted;
  door.PutNode(node);
  node.name = "n2";
  node.topology_policy = cluster::TopologyPolicy::kSingleNumaNode;
  door.PutNode(node);
  Observe();
  NodeReporter reporter(database.pool(), *cache, {});
  reporter.Write(kNoon);
  EXPECT_EQ(database.AskAll("SELECT node_name, topology_policy FROM nodes "
                            "ORDER BY 1"),
            "n0|NULL\nn1|restricted\nn2|single-numa-node");
}

TEST_F(MatchInsideTest, StructuresThatNoNodeHasAnyMoreAreDeleted) {
  Observe();
  NodeReporter reporter(database.pool(), *cache, {});
  reporter.Write(kNoon);
  const auto change = [&](const std::string& name, const std::string& to) {
    cluster::Node node = *cache->NodeByName(name);
    node.structure.Own() = to;
    door.PutNode(node);
    Observe();
    reporter.Note({name});
    reporter.Write(kNoon);
    return database.AskAll("SELECT structure FROM node_structures ORDER BY 1");
  };
  const std::string other = "sockets: 1, cores: 16";
  const std::string both = other + "\nsockets: 2, numa: 4, cores: 16";
  EXPECT_EQ(change("n0", other), both);
  EXPECT_EQ(change("n1", other), both);
  EXPECT_EQ(change("n2", other), other);
  // Another replica writes all anew.
  database.Execute("INSERT INTO node_structures VALUES ('old', 'cores: 1')");
  reporter.Forget();
  reporter.Write(kNoon);
  EXPECT_EQ(database.AskAll("SELECT structure FROM node_structures"), other);
}

TEST_F(MatchInsideTest, ReplacementTakesThePartsOfTheFailedPod) {
  CreateAligned("train", 2, 3);
  ObserveAndPromote();
  Match();
  BindPlaced();
  Observe();
  const std::string before = PartsOfGang("train");
  door.ChangePod("default/train-0", [](cluster::Pod& pod) {
    pod.phase = cluster::PodPhase::kFailed;
  });
  Observe();
  cluster::Pod again = PodOf({.name = "train-0-again",
                              .group = "train",
                              .size = 2,
                              .owner = "train",
                              .cpu = 3'000});
  again.labels["fluxnetes.align"] = "numa";
  door.Put(again);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(Ask("SELECT l.parts FROM placements l JOIN pods p ON p.uid = "
                "l.pod_uid WHERE p.pod_name = 'train-0-again'"),
            "socket0/numa0/core[0-2]");
}

TEST_F(MatchInsideTest, ChangedLabelIsANewRequest) {
  CreateAligned("train", 1, 17);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("train"), "unsatisfiable");
  door.ChangePod("default/train-0", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.align"] = "socket";
    pod.request.resources.cpu_milli = 8'000;
  });
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PartsOfGang("train"),
            "socket0/numa0/core[0-3] socket0/numa1/core[4-7]");
}

}  // namespace
}  // namespace fluxnetes::workers
