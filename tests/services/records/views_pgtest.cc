// `fluxnetes timeline`, `history`, `top` and `squeue`, on the example groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Views = CommandDatabase;

TEST_F(Views, TimelineHasALineForEachGroupThatHasATime) {
  AddExampleGroups();
  ASSERT_EQ(run_("timeline"), ExitCode::kOk) << run_.err();
  // "first" has a reservation on n1 from 300 s on for 60 s; "runs" has no end.
  EXPECT_THAT(run_.out(), StartsWith("a/runs  ####"));
  EXPECT_THAT(run_.out(), ContainsRegex("#>\na/first \\.+=+\n"));
  EXPECT_THAT(run_.out(), ContainsRegex("now +\\+6m\n"));
  EXPECT_THAT(run_.out(), HasSubstr("= has them reserved"));
}

TEST_F(Views, TimelineOfNodesShowsReservationsAndMaintenance) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO maintenance (nodes, starts_at, ends_at, made_at) VALUES "
      "('{n2}', " +
      At(std::chrono::seconds(180)) + ", " + At(std::chrono::seconds(360)) +
      ", now())");
  ASSERT_EQ(run_("timeline --by nodes"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), ContainsRegex("n1 [^ =]+=+\n"));
  EXPECT_THAT(run_.out(), ContainsRegex("n2 +X+\n"));
  EXPECT_THAT(run_.out(), HasSubstr("a line is a node"));
}

TEST_F(Views, TimelineJsonHasTheTimes) {
  AddExampleGroups();
  ASSERT_EQ(run_("timeline --until 10m -o json"), ExitCode::kOk);
  const auto json = nlohmann::json::parse(run_.out());
  EXPECT_EQ(json["kind"], "Timeline");
  ASSERT_EQ(json["groups"].size(), 2);
  EXPECT_EQ(json["groups"][0]["kind"], "running");
  EXPECT_EQ(json["groups"][0]["end"], nullptr);
  EXPECT_EQ(json["groups"][1]["group"], "a/first");
  EXPECT_EQ(json["groups"][1]["kind"], "reserved");
  EXPECT_EQ(json["groups"][1]["nodes"][0], "n1");
  EXPECT_EQ("'" + json["until"].get<std::string>() + "'",
            At(std::chrono::seconds(600)));
}

TEST_F(Views, TimelineNamesTheDevicesOfBars) {
  AddExampleGroups();
  AddDevices();
  ASSERT_EQ(run_("timeline"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(),
              ContainsRegex("Devices:\n *GROUP +NODE +HAS\n"
                            "(.*a/runs .*\n)* *a/runs +n1 +nic.example.com/rack"
                            "/eth-1\n *a/first +n1 +gpu.example.com/n1/gpu-0"));
  EXPECT_THAT(run_.out(), Not(HasSubstr("Inside of nodes")));
  run_("timeline -o json");
  const auto groups = nlohmann::json::parse(run_.out())["groups"];
  EXPECT_EQ(groups[1]["devices"]["n1"][0], "gpu.example.com/n1/gpu-0");
  EXPECT_TRUE(groups[1]["inside"].empty());
}

TEST_F(Views, TimelineOfNothingSaysSo) {
  EXPECT_EQ(run_("timeline"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "");
  EXPECT_THAT(run_.err(), HasSubstr("Nothing runs"));
}

TEST_F(Views, HistoryHasResultsWaitsAndASummary) {
  AddExampleGroups();
  ASSERT_EQ(run_("history -A"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3, 4, 5, 6}),
            "NAMESPACE NAME RESULT PODS QUEUE WAITED RAN\n"
            "b over failed 1 default 10s 40s\n");
  EXPECT_THAT(run_.err(), HasSubstr("1 group: 1 failed. Waited p50 10s, p95 "
                                    "10s, most 10s; ran p50 40s"));
}

TEST_F(Views, HistoryIsFilteredByEachOfItsFlags) {
  AddExampleGroups();
  const std::pair<const char*, const char*> kNone[] = {
      {"history", "No group has ended in namespace default"},
      {"history -n a", "No group has ended in namespace a"},
      {"history -A --queue q", "No group of queue q has ended in the last"},
      {"history -A --result succeeded,timed-out",
       "No group with that result has ended in the last"}};
  for (const auto& [none, what] : kNone) {
    EXPECT_EQ(run_(none), ExitCode::kOk);
    EXPECT_EQ(run_.out(), "") << none;
    EXPECT_THAT(run_.err(), HasSubstr(what)) << none;
  }
  run_("history -n b --result failed --queue default");
  EXPECT_THAT(run_.out(), HasSubstr("over"));
  EXPECT_EQ(run_("history -A --result lost"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("Right would be one of succeeded"));
}

TEST_F(Views, HistoryIsCutToTheLastOnes) {
  database_.Execute(
      "INSERT INTO group_history SELECT i, 'a', 'g' || i, 1, 'default', 0,"
      " 'succeeded', NULL, '{}', '[]', now(), NULL, NULL, NULL, now(), now()"
      " FROM generate_series(1, 5) AS i");
  run_("history -n a --limit 2 --no-headers");
  EXPECT_EQ(Columns(run_.out(), {0, 1}), "g5 succeeded\ng4 succeeded\n");
  EXPECT_THAT(run_.err(), AllOf(HasSubstr("5 groups: 5 succeeded."),
                                HasSubstr("The last 2 are shown")));
  run_("history -n a --limit 0 -o json");
  const auto json = nlohmann::json::parse(run_.out());
  EXPECT_EQ(json["kind"], "GroupHistory");
  EXPECT_EQ(json["items"].size(), 5);
  EXPECT_EQ(json["results"]["succeeded"]["groups"], 5);
  EXPECT_EQ(json["items"][0]["waitSeconds"], nullptr);
}

TEST_F(Views, TopShowsWhatIsInUse) {
  AddExampleGroups();
  ASSERT_EQ(run_("top nodes"), ExitCode::kOk) << run_.err();
  // On n1, groups use 2 and unmanaged pods 1.5 of 4 cpu.
  EXPECT_THAT(run_.out(), ContainsRegex("n1 +#########.  88% +3500m/4 +"));
  EXPECT_THAT(run_.out(), ContainsRegex("n2 .* cordoned\n"));
  ASSERT_EQ(run_("top groups"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), ContainsRegex("a/runs +bound +25.0% +2 +1Gi"));
  run_("top groups -n b");
  EXPECT_THAT(run_.out(), Not(HasSubstr("a/runs")));
  run_("top nodes -o json");
  const auto json = nlohmann::json::parse(run_.out());
  EXPECT_EQ(json["items"][0]["cpuMilli"]["used"], 3500);
}

TEST_F(Views, TopGoesOnOnATerminalUntilItIsStopped) {
  AddExampleGroups();
  run_.SetTerminal(100, 24);
  int waits = 0;
  run_.OnWait([&] { return ++waits > 3; });
  EXPECT_EQ(run_("top nodes"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("\x1b[?25l"));
  EXPECT_GT(waits, 3);
  waits = 0;
  run_("top nodes --once");
  EXPECT_EQ(waits, 0);
  EXPECT_THAT(run_.out(), Not(HasSubstr("\x1b[?25l")));
}

TEST_F(Views, SqueueSpeaksSlurm) {
  AddExampleGroups();
  ASSERT_EQ(run_("squeue"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3, 4, 6, 7}),
            "JOBID PARTITION NAME USER ST NODES NODELIST(REASON)\n"
            "1 default runs a R 2 n[1-2]\n"
            "4 default huge a PD 100 (BadConstraints)\n"
            "2 default first a PD 8 (Resources)\n"
            "3 default second b PD 1 (Resources)\n"
            "5 default fills a PD 8 (PodsMissing)\n");
  EXPECT_THAT(run_.out(), ContainsRegex(" R +1:00 "));
  EXPECT_EQ(run_("squeue -u b --noheader -t PD"), ExitCode::kOk);
  EXPECT_EQ(Columns(run_.out(), {2}), "second\n");
  run_("hold group b/second");
  run_("squeue -p default -u b --noheader");
  EXPECT_THAT(run_.out(), HasSubstr("(JobHeldUser)"));
}

}  // namespace
}  // namespace fluxnetes::services
