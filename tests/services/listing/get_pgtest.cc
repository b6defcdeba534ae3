#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "services/console/display_text.h"
#include "services/console/time_text.h"
#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

using Get = CommandDatabase;

TEST_F(Get, GroupsAreListedInOrderOfTheLine) {
  AddExampleGroups();
  ASSERT_EQ(run_("get groups -A"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3, 5}),
            "NAMESPACE NAME STATE BOUND POSITION\n"
            "a runs bound 2/2 -\n"
            "a first reserved 0/8 1\n"
            "b second pending 0/1 2\n"
            "a huge unsatisfiable 0/100 -\n"
            "a fills provisional 0/8 -\n"
            "b over failed 1/1 -\n");
  EXPECT_THAT(run_.out(), HasSubstr("in 5m"));
  EXPECT_THAT(run_.out(), HasSubstr("2 of 8 pods have arrived"));
  EXPECT_THAT(run_.out(), HasSubstr("needs 1 cpu; none is free"));
  EXPECT_THAT(run_.out(), HasSubstr("no node has 64 cpu"));
}

TEST_F(Get, GroupsAreSearchedInNamesAndReasons) {
  AddExampleGroups();
  ASSERT_EQ(run_("get groups -A --search HUGE -o name"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "a/huge\n");
  run_("get groups -A -o name", {"--search", "none is free"});
  EXPECT_EQ(run_.out(), "b/second\n");
  run_("get groups -A --search nowhere");
  EXPECT_THAT(run_.err(), HasSubstr("No groups with that in it found"));
}

TEST_F(Get, GroupsAreListedInTheOrderThatIsAskedFor) {
  AddExampleGroups();
  ASSERT_EQ(run_("get groups -A -o name --order name"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "a/fills\na/first\na/huge\na/runs\nb/over\nb/second\n");
  run_("get groups -A -o name --order size --descending --limit 2");
  EXPECT_THAT(run_.out(), StartsWith("a/huge\na/f"));
  EXPECT_THAT(run_.err(), HasSubstr("The first 2 of 6 groups are shown"));
  // Only these have a start; those without one come last either way.
  run_("get groups -A -o name --order start --descending --limit 1");
  const std::string last = run_.out();
  run_("get groups -A -o name --order start --limit 1");
  EXPECT_NE(run_.out(), last);
  EXPECT_EQ(run_("get groups -A --order colour"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("name, state, size, queue"));
  EXPECT_EQ(run_("get groups -A --order name --after 3"), ExitCode::kUsage);
}

TEST_F(Get, ChangesAreListedTheNewestFirst) {
  AddExampleGroups();
  ASSERT_EQ(run_("hold group a/first --reason", {"until the disks are there"}),
            ExitCode::kOk)
      << run_.err();
  ASSERT_EQ(run_("release group a/first"), ExitCode::kOk) << run_.err();
  ASSERT_EQ(run_("get audit"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {3, 4, 5}),
            "VIA VERB OBJECT\ncli release group/a/first\n"
            "cli hold group/a/first\n");
  run_("get audit -o json --search DISKS");
  const auto found = nlohmann::json::parse(run_.out());
  ASSERT_EQ(found["items"].size(), 1) << run_.out();
  EXPECT_EQ(found["items"][0]["verb"], "hold");
  run_("get audit --limit 1");
  EXPECT_THAT(run_.err(), HasSubstr("The first 1 changes are shown"));
}

TEST_F(Get, GroupsOfANamespaceOnlyUnlessAskedForAll) {
  AddExampleGroups();
  run_("get groups -n b");
  EXPECT_EQ(Columns(run_.out(), {0}), "NAME\nsecond\nover\n");
  EXPECT_EQ(run_("get groups"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "");
  EXPECT_THAT(run_.err(), HasSubstr("No groups found in namespace default."));
}

TEST_F(Get, PositionCountsTheWholeLineNotTheFilter) {
  AddExampleGroups();
  run_("get groups -n b --state pending");
  EXPECT_EQ(Columns(run_.out(), {0, 4}), "NAME POSITION\nsecond 2\n");
}

TEST_F(Get, GroupsCanBeFiltered) {
  AddExampleGroups();
  run_("get groups -A --state provisional,unsatisfiable");
  EXPECT_EQ(Columns(run_.out(), {1}), "NAME\nhuge\nfills\n");
  run_("get groups -A --finished 0 --state finished");
  EXPECT_THAT(run_.err(), HasSubstr("No groups in that state found."));
  run_("get groups a/first");
  EXPECT_EQ(Columns(run_.out(), {0}), "NAME\nfirst\n");
  run_("get groups -A --queue other");
  EXPECT_THAT(run_.err(), HasSubstr("No groups of queue other found."));
  EXPECT_EQ(run_("get groups -A --state running"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("Right would be one of provisional"));
}

TEST_F(Get, GroupThatIsNotThereIsNotFound) {
  EXPECT_EQ(run_("get groups a/nothing"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("error: no groups"));
  EXPECT_EQ(run_("get groups a/nothing -o json"), ExitCode::kNotFound);
}

TEST_F(Get, WideTableSaysMore) {
  AddExampleGroups();
  run_("get groups -A -o wide");
  EXPECT_THAT(run_.out(), HasSubstr("PRIORITY"));
  EXPECT_THAT(run_.out(), HasSubstr("n1,n2"));
}

TEST_F(Get, JsonOfGroupsIsStable) {
  AddExampleGroups();
  ASSERT_EQ(run_("get groups a/first -o json"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(nlohmann::ordered_json::parse(run_.out()).dump(2),
            nlohmann::ordered_json::parse(R"({
    "kind": "GroupList",
    "items": [{
      "namespace": "a", "name": "first", "id": 2, "state": "pending",
      "phase": "reserved", "shownState": "reserved", "result": null,
      "reason": "waits for n1",
      "size": 8, "arrived": 8,
      "pods": {"waiting": 1, "bound": 0, "succeeded": 0, "failed": 0},
      "gang": null, "elastic": null,
      "queue": "default", "priority": 5, "position": 1,
      "estimatedStart": ")" + Rfc3339(run_.now() + std::chrono::minutes(5)) +
                                          R"(",
      "estimate": "reserved", "estimateRestsOn": "nodes are reserved for it",
      "reservation": "reservation", "reservedNodes": ["n1"], "nodes": [],
      "pools": {},
      "revision": 1, "durationSeconds": 60, "deadline": null,
      "startAfter": null, "startBy": null,
      "submittedAt": ")" + Rfc3339(run_.now() - std::chrono::minutes(1)) +
                                          R"(",
      "promotedAt": ")" + Rfc3339(run_.now() - std::chrono::minutes(1)) +
                                          R"(",
      "allocatedAt": null, "boundAt": null, "endedAt": null
    }]})")
                .dump(2));
}

TEST_F(Get, PodsBeyondTheMinimumComeBehindTheirGangWithItsName) {
  AddExampleGroups();
  const std::string now = At(std::chrono::seconds(0));
  database_.Execute(
      "UPDATE pod_groups SET max_size = 5 WHERE id = 1;"
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      "  priority, state, phase, shape, submitted_at, promoted_at, extends,"
      "  bound_at)"
      " VALUES"
      " (7, 'a', 'other', 1, 'default', 0, 'bound', NULL, 1, " +
      now + ", " + now + ", NULL, " + now +
      "),"
      " (8, 'a', 'grown', 1, 'default', 0, 'bound', NULL, 1, " +
      now + ", " + now + ", 1, " + now +
      "),"
      " (9, 'a', 'kept', 1, 'default', 0, 'pending', 'queued', 1, " +
      now + ", " + now +
      ", 1, NULL);"
      "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name, state,"
      "  node_name, request, resource_version, created_at) VALUES ('g8', 8,"
      "  'a', 'grown-0', 'runs', 'bound', 'n1', '{}', '1', " +
      now +
      ");"
      "INSERT INTO allocations VALUES (7, 7, 'default', '{n1}', " +
      now + ", NULL, 1), (8, 8, 'default', '{n1}', " + now + ", NULL, 1)");
  ASSERT_EQ(run_("get groups -n a --state bound --state pending"),
            ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 2}),
            "NAME BOUND\nruns 2/2-5\ngrown 1/1\nkept 0/1\nother 0/1\n"
            "first 0/8\n");
  EXPECT_THAT(run_.out(), HasSubstr("GANG"));
  run_("get groups a/runs -o json");
  const auto runs = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(runs["elastic"].dump(), R"({"max":5,"min":2,"running":2})");
  run_("get groups a/kept -o json");
  EXPECT_EQ(nlohmann::json::parse(run_.out())["items"][0]["gang"], "runs");
  run_("describe group a/runs");
  EXPECT_THAT(run_.out(), HasSubstr("2 of 2 to 5 pods run"));
  EXPECT_THAT(run_.out(), HasSubstr("beyond the minimum"));
  run_("describe group a/grown");
  EXPECT_THAT(run_.out(), HasSubstr("Gang:             runs"));
  run_("get groups -n b");
  EXPECT_THAT(run_.out(), Not(HasSubstr("GANG")));
}

TEST_F(Get, YamlSaysTheSameAsJson) {
  AddExampleGroups();
  run_("get groups a/first -o yaml");
  EXPECT_THAT(run_.out(), StartsWith("kind: GroupList\nitems:\n"));
  EXPECT_THAT(run_.out(), HasSubstr("name: first\n"));
  EXPECT_THAT(run_.out(), HasSubstr("result: ~\n"));
  EXPECT_THAT(run_.out(), HasSubstr("reason: \"waits for n1\"\n"));
  EXPECT_THAT(run_.out(), HasSubstr("nodes: []\n"));
}

TEST_F(Get, EmptyListIsADocumentToo) {
  run_("get groups -A -o json");
  EXPECT_EQ(nlohmann::json::parse(run_.out()),
            nlohmann::json::parse(R"({"kind": "GroupList", "items": []})"));
}

TEST_F(Get, PagesFollowTheId) {
  AddExampleGroups();
  run_("get groups -A -o name --limit 2");
  EXPECT_EQ(run_.out(), "a/runs\na/first\n");
  EXPECT_THAT(run_.err(), HasSubstr("The first 2 of 6 groups are shown"));
  run_("get groups -A -o name --limit 2 --after 2");
  EXPECT_EQ(run_.out(), "b/second\na/huge\n");
  run_("get groups -A -o name --limit 2 --after 4");
  EXPECT_EQ(run_.out(), "a/fills\nb/over\n");
  EXPECT_EQ(run_.err(), "");
}

TEST_F(Get, NamesWithOddTextAreShownAsTheyAreOrHarmless) {
  database_.Execute(R"(
      INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,
        priority, shape, submitted_at, promoted_at, reason)
      VALUES (1, 'a', E'it''s 100% \\ "big" 🚀', 1, 'default', 0, 1, now(),
        now(), E'bad\n\x1b[2Jthing'))");
  run_("get groups -A");
  EXPECT_THAT(run_.out(), HasSubstr(R"(it's 100% \ "big" 🚀)"));
  EXPECT_THAT(run_.out(), HasSubstr("bad ?[2Jthing"));
  run_("get groups -A -o json");
  EXPECT_EQ(nlohmann::json::parse(run_.out())["items"][0]["name"],
            "it's 100% \\ \"big\" 🚀");
  EXPECT_EQ(run_("get groups", {R"(a/it's 100% \ "big" 🚀)"}), ExitCode::kOk);
}

std::size_t WidestLine(const std::string& text, const std::string& but = "-") {
  std::size_t width = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(but) == std::string::npos)
      width = std::max(width, static_cast<std::size_t>(DisplayWidth(line)));
  return width;
}

TEST_F(Get, OneLongNameMakesNoOtherLineLonger) {
  AddExampleGroups();
  database_.Execute(
      "UPDATE pod_groups SET group_name = repeat('n', 253), "
      "namespace = repeat('s', 63) WHERE group_name = 'first';"
      "UPDATE group_history SET group_name = repeat('n', 253), "
      "namespace = repeat('s', 63) WHERE group_name = 'over'");
  const std::string name(253, 'n');
  for (const std::string command : {"get groups -A", "history -A"}) {
    EXPECT_EQ(run_(command), ExitCode::kOk) << run_.err();
    EXPECT_THAT(run_.out(), HasSubstr(name));
    EXPECT_LE(WidestLine(run_.out(), name), 170U) << run_.out();
  }
  run_.SetTerminal(100, 30);
  for (const std::string command : {"get groups -A", "history -A"}) {
    EXPECT_EQ(run_(command), ExitCode::kOk) << run_.err();
    EXPECT_LE(WidestLine(run_.out(), "\t"), 100U) << run_.out();
  }
}

TEST_F(Get, GroupOfWhichAllPodsAreRefusedIsShownWithTheReason) {
  AddExampleGroups();
  for (const char* pod : {"bad-0", "bad-1"})
    database_.Execute(
        std::string("INSERT INTO pods_provisional (uid, namespace, pod_name, "
                    "group_name, queue, priority, request, resource_version, "
                    "gated, refused, created_at) VALUES ('u-") +
        pod + "', 'a', '" + pod +
        "', 'bad', 'default', 0, '{}', '1', false, 'label "
        "fluxnetes.group-size is \"ten\"', now())");
  run_("get groups -A --state refused");
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3}),
            "NAMESPACE NAME STATE BOUND\na bad refused -\n");
  EXPECT_THAT(run_.out(), HasSubstr("pod bad-0 is refused: label "
                                    "fluxnetes.group-size is \"ten\""));
  run_("get groups a/bad -o json");
  const auto group = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(group["state"], "refused");
  EXPECT_EQ(group["arrived"], 2);
  EXPECT_TRUE(group["id"].is_null() && group["size"].is_null());
  EXPECT_EQ(run_("describe group a/bad"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("State:            refused\n"));
  EXPECT_THAT(run_.out(), HasSubstr("bad-1  refused"));
  run_("get groups -A -o name --limit 2");
  EXPECT_EQ(run_.out(), "a/bad\na/runs\n");
}

TEST_F(Get, ResourceSetOfAnAllocationIsReadInSql) {
  AddExampleGroups();
  database_.Execute(
      "DELETE FROM placements; INSERT INTO placements SELECT fluxion_job, "
      "'p' || i, 'n' || i % 2, 500, 1024, '{\"gpu\": 2}' "
      "FROM allocations, generate_series(1, 3) AS i");
  EXPECT_EQ(database_.Ask("SELECT resource_set FROM resource_sets "
                          "WHERE group_name = 'runs'"),
            R"({"n0": {"gpu": 2, "pods": 1, "cpu_milli": 500, )"
            R"("memory_bytes": 1024}, "n1": {"gpu": 4, "pods": 2, )"
            R"("cpu_milli": 1000, "memory_bytes": 2048}})");
}

TEST_F(Get, NodesSayWhatIsInUse) {
  AddExampleGroups();
  ASSERT_EQ(run_("get nodes"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(),
              MatchesRegex("NAME +STATUS +ZONE +RACK +CPU +MEMORY "
                           "+PODS +OTHER\n"
                           "n1 +ready +z1 +- +3500m/4 +2Gi/8Gi +3/110 "
                           "+gpu 1/2\n"
                           "n2 +cordoned .*\n"));
  run_("get nodes n1 -o json");
  const auto node = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(node["cpuMilli"]["granted"], 2000);
  EXPECT_EQ(node["cpuMilli"]["unmanaged"], 1500);
  EXPECT_EQ(node["labels"]["topology.kubernetes.io/zone"], "z1");
  EXPECT_EQ(node["zone"], "z1");
  EXPECT_EQ(node["rack"], nullptr);
  EXPECT_EQ(run_("get nodes n9"), ExitCode::kNotFound);
}

TEST_F(Get, NodesSayWhichDevicesOfTheirDriversGroupsHave) {
  AddExampleGroups();
  AddDevices();
  ASSERT_EQ(run_("get nodes -o wide"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(),
              ContainsRegex("OTHER +DEVICES +UNMANAGED +LABELS\nn1 .*gpu 1/2 +"
                            "gpu.example.com 1/4, nic.example.com 1 +2 "));
  run_("get nodes n1 -o json");
  const auto node = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(node["devices"], nlohmann::json({{"gpu.example.com", 4}}));
  EXPECT_EQ(node["heldDevices"],
            nlohmann::json({{"gpu.example.com", 1}, {"nic.example.com", 1}}));
}

TEST_F(Get, DevicesOfUnmanagedPodsAreInUseUnlessAGroupHasThem) {
  AddExampleGroups();
  AddDevices();
  AddUnmanagedDevices();
  run_("get nodes n1 -o json");
  const auto node = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(node["heldDevices"],
            nlohmann::json({{"gpu.example.com", 1}, {"nic.example.com", 1}}));
  EXPECT_EQ(node["unmanagedDevices"], nlohmann::json({{"gpu.example.com", 1}}));
  run_("get nodes -o wide");
  EXPECT_THAT(run_.out(),
              HasSubstr(" gpu.example.com 2/4, nic.example.com 1 "));
}

TEST_F(Get, DevicesThatArePodsOwnAreCountedWithoutALookAtEach) {
  AddExampleGroups();
  database_.Execute(
      "UPDATE placements SET devices = 'not read', own_devices = "
      "'{\"gpu.example.com\": 2}'");
  run_("get nodes n1 -o json");
  const auto node = nlohmann::json::parse(run_.out())["items"][0];
  const auto pods =
      database_.Ask("SELECT count(*) FROM placements WHERE node_name = 'n1'");
  EXPECT_EQ(node["heldDevices"]["gpu.example.com"], 2 * std::stoi(pods));
}

TEST_F(Get, QueuesAreCounted) {
  AddExampleGroups();
  run_("get queues");
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3, 4, 5, 6, 8}),
            "NAME STATUS POLICY MATCH PROVISIONAL PENDING UNSATISFIABLE BOUND\n"
            "default running easy lonode 1 2 1 1\n");
  run_("get queues -o wide");
  EXPECT_THAT(run_.out(), HasSubstr("HOLD"));
}

TEST_F(Get, JobsAreListedWithTheirLastError) {
  database_.Execute(R"(
      INSERT INTO jobs (kind, queue, state, attempt, errors)
      VALUES ('match', 'match:default', 'available', 0, '[]'),
             ('bind', 'bind', 'retryable', 2,
              '[{"message": "old"}, {"message": "node is gone"}]');
      INSERT INTO jobs_finished SELECT 7, 'bind', 'bind', 1, 'completed', 1, 25,
        NULL, now(), now(), now(), now(), '{}', '[]', '{}', '{}')");
  run_("get jobs");
  EXPECT_EQ(Columns(run_.out(), {0, 1, 3, 4}),
            "ID KIND STATE ATTEMPT\n1 match available 0/25\n"
            "2 bind retryable 2/25\n");
  EXPECT_THAT(run_.out(), HasSubstr("node is gone"));
  run_("get jobs --finished 1h --state completed -o name");
  EXPECT_EQ(run_.out(), "7\n") << run_.err();
  run_("get jobs --kind match -o json");
  EXPECT_EQ(nlohmann::json::parse(run_.out())["items"].size(), 1);
  EXPECT_EQ(run_("get jobs --state bound"), ExitCode::kUsage);
}

TEST_F(Get, HundredThousandGroupsAreListedByPages) {
  database_.Execute(R"(
      INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,
        priority, shape, submitted_at, promoted_at)
      SELECT i, 'a', 'g' || i, 1, 'default', i % 3, i % 10, now(), now()
      FROM generate_series(1, 100000) AS i)");
  database_.Execute("ANALYZE pod_groups");
  const auto start = std::chrono::steady_clock::now();
  run_("get groups -A");
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_EQ(std::ranges::count(run_.out(), '\n'), 501);
  EXPECT_THAT(run_.err(), HasSubstr("The first 500 of 100000 groups are "
                                    "shown; --limit 0 shows all"));
  run_("get groups -A -o name --limit 2 --after 99998");
  EXPECT_EQ(run_.out(), "a/g99999\na/g100000\n");
}

}  // namespace
}  // namespace fluxnetes::services
