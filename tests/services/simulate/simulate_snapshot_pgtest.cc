// `fluxnetes simulate --snapshot`: simulates from the state of a scheduler on,
// with other nodes, another policy and more work.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "cluster/json/request_json.h"
#include "cluster/objects/pod_request.h"
#include "services/simulate/simulation_queries.h"
#include "services/simulate/simulation_snapshot.h"
#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

constexpr auto kSmallJob = R"(
apiVersion: v1
kind: Pod
metadata:
  name: small
  namespace: c
  annotations: {fluxnetes.io/run-seconds: "5"}
spec:
  schedulerName: fluxnetes
  restartPolicy: Never
  activeDeadlineSeconds: 10
  containers:
    - {name: main, image: x, resources: {requests: {cpu: "1"}}}
)";

// Two nodes of 4 cpus; on one of them unmanaged pods use a cpu. The group
// "runs" of two pods of 3 cpus has both nodes for another 100 s, "wide" of two
// such pods waits, and the small group "narrow" is behind it.
class SimulateSnapshot : public CommandDatabase {
 protected:
  SimulateSnapshot() {
    using std::chrono::seconds;
    run_.SetNow(std::chrono::floor<seconds>(run_.now()));
    run_.OnWait([] { return false; });
    database_.Execute(
        "INSERT INTO nodes (node_name, cpu_milli, memory_bytes, pods,"
        "  unmanaged_cpu_milli, labels, seen_at) VALUES"
        " ('n0', 4000, 1000, 110, 1000, '{\"zone\": \"a\"}', now()),"
        " ('n1', 4000, 1000, 110, 0, '{}', now())");
    const std::string before = At(seconds(-50));
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        "  priority, state, phase, shape, duration_seconds, submitted_at,"
        "  promoted_at, allocated_at, bound_at) VALUES"
        " (1, 'a', 'runs', 2, 'default', 0, 'bound', NULL, 1, 150, " +
        before + "," + before + "," + before + "," + before +
        "), (2, 'a', 'wide', 2, 'default', 0, 'pending', 'queued', 2, 60, " +
        before + "," + before +
        ", NULL, NULL), (3, 'b', 'narrow', 1,"
        "  'default', 0, 'pending', 'queued', 3, 20, " +
        At(seconds(-10)) + "," + At(seconds(-10)) + ", NULL, NULL)");
    database_.Execute(
        "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, term,"
        "  starts_at, ends_at) VALUES (1, 1, 'default', '{n0,n1}', 1, " +
        before + "," + At(seconds(100)) + ")");
    for (const char* node : {"n0", "n1"}) {
      database_.Execute(
          std::string("INSERT INTO placements (fluxion_job, pod_uid,"
                      "  node_name, cpu_milli, memory_bytes) VALUES (1, 'u-") +
          node + "', '" + node + "', 3000, 0)");
    }
    AddPod("w0", 2, "3");
    AddPod("w1", 2, "3");
    AddPod("x0", 3, "1");
    char name[] = "/tmp/fluxnetes-snapshot-XXXXXX";
    directory_ = mkdtemp(name);
  }
  ~SimulateSnapshot() override { std::filesystem::remove_all(directory_); }

  void AddPod(const std::string& uid, int group, const std::string& cpu) {
    database_.Execute(
        "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name,"
        "  resource_version, created_at, request) VALUES ('" +
        uid + "', " + std::to_string(group) + ", 'a', '" + uid + "', '" + uid +
        "', '1', now(), '{\"resources\": {\"cpu\": \"" + cpu +
        "\", \"pods\": \"1\"}}')");
  }

  // Returns the start of each group after now, by name; -1: none.
  std::map<std::string, std::int64_t> StartsOf(const std::string& arguments) {
    const std::string rows = directory_ + "/rows.csv";
    EXPECT_EQ(run_("simulate --snapshot --csv " + rows + " " + arguments),
              ExitCode::kOk)
        << run_.err();
    const std::int64_t now =
        std::chrono::floor<std::chrono::seconds>(run_.now().time_since_epoch())
            .count();
    std::map<std::string, std::int64_t> starts;
    std::ifstream in(rows);
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
      std::vector<std::string> cells;
      std::istringstream parts(line);
      for (std::string cell; std::getline(parts, cell, ',');)
        cells.push_back(cell);
      starts[cells.at(0)] =
          cells.at(6).empty() ? -1 : std::stoll(cells.at(6)) - now;
    }
    return starts;
  }

  std::string directory_;
};

using Starts = std::map<std::string, std::int64_t>;

TEST_F(SimulateSnapshot, KnowsWhatNodesHaveInsideAndWhatTheirKubeletsRefuse) {
  database_.Execute("INSERT INTO node_structures VALUES ('s', 'cores: 4')");
  database_.Execute(
      "UPDATE nodes SET structure = 's', topology_policy = 'restricted' "
      "WHERE node_name = 'n1'");
  database_.UseCatalogues({queries::kAllSimulation});
  const auto nodes = ReadSnapshotNodes(database_.pool());
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].topology_policy, cluster::TopologyPolicy::kNone);
  EXPECT_EQ(*nodes[1].structure, "cores: 4");
  EXPECT_EQ(nodes[1].topology_policy, cluster::TopologyPolicy::kRestricted);
}

TEST_F(SimulateSnapshot, WhoMayNotStartDoesNot) {
  EXPECT_EQ(StartsOf("").at("a/wide"), 100);
  database_.Execute("UPDATE pod_groups SET held_at = now() WHERE id = 2");
  database_.Execute("UPDATE pod_groups SET start_after = " +
                    At(std::chrono::seconds(30)) + " WHERE id = 3");
  const auto starts = StartsOf("");
  EXPECT_FALSE(starts.contains("a/wide"));
  EXPECT_EQ(starts.at("b/narrow"), 30);
  database_.Execute("UPDATE pod_groups SET start_after = NULL WHERE id = 3");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
}

// The pod of "runs" on n1 has failed, and the one in its stead waits.
TEST_F(SimulateSnapshot, GroupBoundInPartRunsOnAndTheRestOfItWaitsFirst) {
  database_.Execute(
      "UPDATE pod_groups SET state = 'pending', phase = 'queued',"
      "  first_in_line = true, went_back_at = now() WHERE id = 1;"
      "DELETE FROM placements WHERE pod_uid = 'u-n1'");
  AddPod("r2", 1, "3");
  const auto starts = StartsOf("");
  EXPECT_EQ(starts.at("a/runs (pods that wait)"), 0);
  EXPECT_EQ(starts.at("a/wide"), 150);
}

TEST_F(SimulateSnapshot, NodesInMaintenanceWithoutEndTakeNothing) {
  const auto announce = [&](int from, const std::string& until) {
    database_.Execute("DELETE FROM maintenance");
    database_.Execute(
        "INSERT INTO maintenance (node_selector, starts_at, ends_at, made_at) "
        "VALUES ('{}', " +
        At(std::chrono::seconds(from)) + ", " + until + ", now())");
  };
  announce(-5, "NULL");
  EXPECT_EQ(StartsOf("").at("b/narrow"), -1);
  announce(-5, At(std::chrono::seconds(-1)));
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  announce(25, "NULL");  // not yet
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  announce(5, At(std::chrono::seconds(130)));  // it would still run then
  EXPECT_EQ(StartsOf("").at("b/narrow"), 130);
  EXPECT_EQ(StartsOf("").at("a/wide"), 130);
}

TEST_F(SimulateSnapshot, GroupsOfOneAgeGoInOrderOfTheirNumbers) {
  const std::string early = At(std::chrono::seconds(-20));
  database_.Execute(
      "UPDATE pod_groups SET submitted_at = " + early +
      " WHERE id = 3;"
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, duration_seconds, submitted_at,"
      "  promoted_at) SELECT 4, 'a', 'another', 1, 'default', 0, 'pending',"
      "  'queued', 3, 20, submitted_at, submitted_at FROM pod_groups"
      "  WHERE id = 3");
  AddPod("y0", 4, "1");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  EXPECT_EQ(StartsOf("").at("a/another"), 20);
}

TEST_F(SimulateSnapshot, GroupsAreGivenUpByTheirTime) {
  database_.Execute("UPDATE pod_groups SET start_by = " +
                    At(std::chrono::seconds(90)) + " WHERE id = 2");
  EXPECT_EQ(StartsOf("").at("a/wide"), -1);
  EXPECT_THAT(run_.out(), HasSubstr("1 given up"));
}

TEST_F(SimulateSnapshot, ElasticGroupsGrowAndShrink) {
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, duration_seconds, submitted_at,"
      "  promoted_at, extends, held_at, held_reason, grace_seconds) SELECT 4,"
      "  'b', 'more', 1, 'default', -2147483648, 'pending', 'held', 3, 200,"
      "  submitted_at, submitted_at, 3, now(),"
      "  'until its group has grown by it', 7 FROM pod_groups WHERE id = 3");
  AddPod("y0", 4, "1");
  EXPECT_EQ(StartsOf("--add-nodes 1:like=n1").at("b/more"), 0);
  EXPECT_EQ(StartsOf("").at("b/more"), 20);  // after its group
  // Once the extra pod runs, it can be evicted.
  database_.Execute("UPDATE pod_groups SET held_at = NULL WHERE id = 4");
  database_.Execute(
      "UPDATE pod_groups SET state = 'bound', phase = NULL, reason = NULL,"
      "  allocated_at = now(), bound_at = now() WHERE id = 4;"
      "UPDATE pods SET state = 'bound', node_name = 'n1' WHERE uid = 'y0';"
      "INSERT INTO allocations (fluxion_job, group_id, queue, nodes, term,"
      "  starts_at, ends_at) VALUES (4, 4, 'default', '{n1}', 1, " +
      At(std::chrono::seconds(-1)) + "," + At(std::chrono::seconds(199)) +
      ");"
      "INSERT INTO placements (fluxion_job, pod_uid, node_name, cpu_milli,"
      "  memory_bytes) VALUES (4, 'y0', 'n1', 1000, 0)");
  // At 100 s it is first in the pending order; it then waits for the grace
  // period of the evicted pod.
  EXPECT_EQ(StartsOf("").at("b/narrow"), 107);
}

TEST_F(SimulateSnapshot, GoesOnFromWhatRunsAndWaits) {
  EXPECT_EQ(StartsOf(""),
            (Starts{{"a/runs", -50}, {"a/wide", 100}, {"b/narrow", 0}}));
  EXPECT_THAT(run_.out(), HasSubstr("Groups:      3: 3 ended"));
  EXPECT_THAT(run_.out(), HasSubstr("Run:         the database"));
}

// "narrow" needs all of n1 and has it reserved from its release on; "wide" is
// ahead of it and has a reservation for the rest, as if made while a node was
// closed.
TEST_F(SimulateSnapshot, WhatGroupsArePromisedIsKept) {
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"4\","
      " \"pods\": \"1\"}}' WHERE uid = 'x0';"
      "UPDATE queues SET queue_policy = 'conservative'");
  const Starts anew{{"a/runs", -50}, {"a/wide", 100}, {"b/narrow", 160}};
  const Starts kept{{"a/runs", -50}, {"a/wide", 120}, {"b/narrow", 100}};
  EXPECT_EQ(StartsOf(""), anew);
  EXPECT_THAT(run_.out(), HasSubstr("Reserved:    2 made, 2 kept"));
  database_.Execute(
      "INSERT INTO reservations (group_id, queue, kind, starts_at, nodes,"
      "  places, made_at) VALUES (2, 'default', 'reservation', " +
      At(std::chrono::seconds(120)) +
      ", '{n0,n1}', '{0,1}', now()),"
      " (3, 'default', 'reservation', " +
      At(std::chrono::seconds(100)) + ", '{n1}', '{0}', now())");
  EXPECT_EQ(StartsOf(""), kept);
  EXPECT_THAT(run_.out(), HasSubstr("Reserved:    2 made, 2 kept"));
  // New work delays no reservation, and additional nodes help.
  const std::string path = directory_ + "/small.yaml";
  std::string job = kSmallJob;
  job.replace(job.find("cpu: \"1\""), 8, "cpu: \"3\"");
  std::ofstream(path) << job;
  Starts more = StartsOf("-f " + path);
  EXPECT_EQ(more.at("c/small"), 100);  // on n0, until "wide" starts
  more.erase("c/small");
  EXPECT_EQ(more, kept);
  EXPECT_EQ(StartsOf("--add-nodes 1:like=n1").at("b/narrow"), 0);
  EXPECT_EQ(StartsOf("--policy fcfs"), anew);  // fcfs makes no reservations
}

// Only the first group has a reservation, which is later than necessary.
TEST_F(SimulateSnapshot, WhatEasyHasPromisedIsABeginningForConservative) {
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"4\","
      " \"pods\": \"1\"}}' WHERE uid = 'x0';"
      "UPDATE queues SET queue_policy = 'easy';"
      "INSERT INTO reservations (group_id, queue, kind, starts_at, nodes,"
      "  places, made_at) VALUES (2, 'default', 'reservation', " +
      At(std::chrono::seconds(130)) + ", '{n0,n1}', '{0,1}', now())");
  const Starts starts{{"a/runs", -50}, {"a/wide", 100}, {"b/narrow", 160}};
  EXPECT_EQ(StartsOf("--policy conservative"), starts);
  EXPECT_THAT(run_.out(), HasSubstr("Reserved:    2 made, 2 kept"));
  EXPECT_EQ(StartsOf(""), starts);
}

TEST_F(SimulateSnapshot, SaysWhatOtherSettingsWouldDo) {
  EXPECT_EQ(StartsOf("--policy fcfs").at("b/narrow"), 100);
  EXPECT_EQ(StartsOf("--queue default:node_selector=zone=a").at("a/wide"), -1);
  EXPECT_EQ(StartsOf("--queue default:paused=true").at("b/narrow"), -1);
}

TEST_F(SimulateSnapshot, SaysWhatMoreNodesWouldDo) {
  EXPECT_EQ(StartsOf("--add-nodes 2:like=n1").at("a/wide"), 0);
  EXPECT_EQ(StartsOf("--add-nodes 1:like=n1").at("a/wide"), 100);
  EXPECT_EQ(run_("simulate --snapshot --add-nodes 1:like=n7"),
            ExitCode::kNotFound);
  EXPECT_EQ(run_("simulate --snapshot --add-nodes n1"), ExitCode::kUsage);
  EXPECT_EQ(run_("simulate --snapshot --nodes 5"), ExitCode::kUsage);
}

TEST_F(SimulateSnapshot, MoreNodesAreWhole) {
  // Unmanaged pods use a cpu of n0.
  database_.Execute(
      "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"4\","
      " \"pods\": \"1\"}}' WHERE uid = 'x0'");
  EXPECT_EQ(StartsOf("--add-nodes 1:like=n0").at("b/narrow"), 0);
  EXPECT_GT(StartsOf("").at("b/narrow"), 0);
}

TEST_F(SimulateSnapshot, SaysWhenWhatIsSubmittedNowWouldStart) {
  const std::string path = directory_ + "/small.yaml";
  std::ofstream(path) << kSmallJob;
  const Starts starts = StartsOf("-f " + path);
  EXPECT_EQ(starts.size(), 4U);
  EXPECT_EQ(starts.at("b/narrow"), 0);
  EXPECT_EQ(starts.at("c/small"), 20);  // when "narrow" has ended
}

TEST_F(SimulateSnapshot, QuotasOfAccountsHold) {
  database_.Execute(
      "INSERT INTO accounts (name, label, quota) VALUES"
      " ('team', 'physics', '{\"pods\": \"0\"}')");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  database_.Execute("UPDATE pod_groups SET account = 'physics' WHERE id = 3");
  EXPECT_EQ(StartsOf("").at("b/narrow"), -1);
  // Running groups are charged too.
  database_.Execute(
      "UPDATE pod_groups SET account = 'physics' WHERE id = 1;"
      "UPDATE accounts SET quota = '{\"pods\": \"2\"}'");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 100);
  database_.Execute("UPDATE accounts SET quota = '{\"pods\": \"3\"}'");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
}

TEST_F(SimulateSnapshot, QuotasHoldForWhatIsSubmittedNow) {
  database_.Execute(
      "INSERT INTO accounts (name, label, quota) VALUES"
      " ('team', 'physics', '{\"pods\": \"0\"}')");
  const std::string path = directory_ + "/small.yaml";
  std::string job = kSmallJob;
  std::ofstream(path) << job;
  EXPECT_EQ(StartsOf("-f " + path).at("c/small"), 20);
  job.insert(job.find("fluxnetes.io/run"), "fluxnetes.account: physics, ");
  std::ofstream(path) << job;
  EXPECT_EQ(StartsOf("-f " + path).at("c/small"), -1);
}

TEST_F(SimulateSnapshot, FairShareGoesByWhatWasUsedAndWeights) {
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, duration_seconds, submitted_at,"
      "  promoted_at) VALUES (4, 'd', 'late', 1, 'default', 0, 'pending',"
      "  'queued', 3, 20, " +
      At(std::chrono::seconds(-5)) + "," + At(std::chrono::seconds(-5)) +
      ");"
      "UPDATE queues SET queue_order = 'fair_share'");
  AddPod("y0", 4, "1");
  EXPECT_EQ(StartsOf("").at("d/late"), 20);
  database_.Execute(
      "INSERT INTO account_use VALUES ('default', 'b', '', 3000, " +
      At(std::chrono::seconds(-1)) + "), ('default', 'd', '', 1000, " +
      At(std::chrono::seconds(-1)) + ")");
  EXPECT_EQ(StartsOf("").at("d/late"), 0);
  EXPECT_EQ(StartsOf("").at("b/narrow"), 20);
  database_.Execute(
      "INSERT INTO accounts (name, namespace, weight) VALUES"
      " ('b', 'b', 9), ('d', 'd', 1)");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
}

TEST_F(SimulateSnapshot, WhatOthersUseOfGpusIsNotFree) {
  database_.Execute(
      R"(UPDATE nodes SET other = '{"nvidia.com/gpu": 1}';
         UPDATE pods SET request = '{"resources": {"cpu": "1", "pods": "1",
           "nvidia.com/gpu": "1"}}' WHERE uid = 'x0')");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  database_.Execute(
      R"(UPDATE nodes SET unmanaged_other = '{"nvidia.com/gpu": 3}')");
  EXPECT_EQ(StartsOf("").at("b/narrow"), -1);
}

TEST_F(SimulateSnapshot, RulesAboutOtherPodsAreLeftOutByName) {
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  EXPECT_EQ(run_.err(), "");
  cluster::PodRequest request;
  request.resources.cpu_milli = 1'000;
  request.resources.pods = 1;
  cluster::PodAffinityTerm term;
  term.selector = {{"app", "In", {"solver"}}};
  term.topology_key = "kubernetes.io/hostname";
  request.rules.Own().affinity = {term};
  database_.Execute("UPDATE pods SET request = '" + cluster::ToJson(request) +
                    "' WHERE uid = 'x0'");
  EXPECT_EQ(StartsOf("").at("b/narrow"), 0);
  EXPECT_THAT(run_.err(), HasSubstr("no labels of pods: of b/narrow\n"));
}

TEST_F(SimulateSnapshot, RulesOfManifestsSeeThoseOfManifestsOnly) {
  const std::string path = directory_ + "/small.yaml";
  std::ofstream(path) << kSmallJob << R"(
  affinity:
    podAntiAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        - labelSelector: {matchLabels: {app: solver}}
          topologyKey: kubernetes.io/hostname
)";
  EXPECT_EQ(StartsOf("-f " + path).at("c/small"), 20);
  EXPECT_THAT(run_.err(),
              HasSubstr("see those of the manifests only: of c/small\n"));
}

TEST_F(SimulateSnapshot, ChangesNothing) {
  const auto count = [this] {
    return database_.Ask("SELECT count(*)::text FROM pod_groups") +
           database_.Ask("SELECT count(*)::text FROM allocations") +
           database_.Ask("SELECT count(*)::text FROM reservations");
  };
  const std::string before = count();
  StartsOf("");
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace fluxnetes::services
