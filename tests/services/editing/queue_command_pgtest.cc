#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "matcher/policy.h"
#include "sql/error.h"
#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

class Queue : public CommandDatabase {
 protected:
  std::string Column(const std::string& column,
                     const std::string& queue = "default") {
    return database_.Ask("SELECT " + column + " FROM queues WHERE name = '" +
                         queue + "'");
  }
};

TEST_F(Queue, PauseAndResumeTakeEffectAndTellTheScheduler) {
  EXPECT_EQ(run_("queue pause default"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("queue/default paused"));
  EXPECT_EQ(Column("paused"), "t");
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM match_inbox"), "1");
  EXPECT_EQ(run_("queue resume default"), ExitCode::kOk);
  EXPECT_EQ(Column("paused"), "f");
}

TEST_F(Queue, SettingsAreChangedAndTheOthersKept) {
  EXPECT_EQ(run_("queue set default queue_policy=fcfs queue_depth=10 "
                 "reservation_depth=7 "
                 "assumed_duration=30m replacement_hold=0 "
                 "node_selector=zone=a,gpu=yes"),
            ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(Column("queue_policy"), "fcfs");
  EXPECT_EQ(Column("queue_depth"), "10");
  EXPECT_EQ(Column("assumed_duration"), "00:30:00");
  EXPECT_EQ(Column("replacement_hold"), "00:00:00");
  EXPECT_EQ(Column("node_selector->>'gpu'"), "yes");
  EXPECT_EQ(Column("match_policy"), "lonode");
  EXPECT_EQ(Column("bind_timeout"), "00:01:00");
  EXPECT_EQ(Column("reservation_depth"), "7");
  EXPECT_EQ(run_("queue set default assumed_duration= node_selector= "
                 "reservation_depth= queue_policy=conservative"),
            ExitCode::kOk);
  EXPECT_EQ(Column("reservation_depth"), "NULL");
  EXPECT_EQ(Column("queue_policy"), "conservative");
  EXPECT_EQ(Column("assumed_duration"), "NULL");
  EXPECT_EQ(Column("node_selector"), "{}");
}

TEST_F(Queue, AssumedDurationMayBeDays) {
  EXPECT_EQ(run_("queue set default assumed_duration=3d"), ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(Column("assumed_duration"), "72:00:00");
  EXPECT_EQ(run_("queue set default assumed_duration=9000h"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(),
              HasSubstr("a duration from 1s to 366d, like 30m, 12h or "
                        "3d; alone: none"));
  EXPECT_EQ(run_("queue set default bind_timeout=2d"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("a duration up to 24h, like 1m"));
}

TEST_F(Queue, OrderIsSetAndListed) {
  EXPECT_EQ(run_("queue set default queue_order=shortest ageing=2.5 "
                 "half_life=12h"),
            ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(Column("queue_order"), "shortest");
  EXPECT_EQ(Column("half_life"), "12:00:00");
  EXPECT_EQ(run_("get queues -o json"), ExitCode::kOk);
  const auto queue = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(queue["queueOrder"], "shortest");
  EXPECT_EQ(queue["ageing"], 2.5);
  EXPECT_EQ(queue["halfLifeSeconds"], 43'200);
  EXPECT_EQ(run_("get queues -o wide"), ExitCode::kOk);
  EXPECT_EQ(Columns(run_.out(), {10, 11, 12}),
            "ORDER AGEING HALF-LIFE\nshortest 2.5 12h\n");
}

TEST_F(Queue, OrderTakesAllThatTheTableTakes) {
  for (const char* setting :
       {"queue_order=arrival", "queue_order=fair_share", "ageing=0",
        "ageing=1000000", "half_life=1m", "half_life=7d", "half_life=10000d",
        "node_selector=example.com/a=b,zone=", "node_selector=",
        "assumed_duration=1s", "assumed_duration=3d"})
    EXPECT_EQ(run_("queue set default " + std::string(setting)), ExitCode::kOk)
        << setting << ": " << run_.err();
  EXPECT_EQ(Column("extract(epoch FROM half_life)::bigint"), "864000000");
  EXPECT_EQ(Column("extract(epoch FROM assumed_duration)::bigint"), "259200");
}

TEST_F(Queue, SlipsAreAnsweredWithWhatWouldBeRight) {
  const auto next = [&](const std::string& setting) {
    EXPECT_EQ(run_("queue set default " + setting), ExitCode::kUsage)
        << setting;
    return run_.err();
  };
  EXPECT_THAT(next("queue_policy=best"), HasSubstr("conservative or hybrid"));
  EXPECT_THAT(next("queue_order=longest"), HasSubstr("or fair_share"));
  for (const char* ageing : {"-1", "1000001", "nan", "x", ""})
    EXPECT_THAT(next("ageing=" + std::string(ageing)),
                HasSubstr("from 0 to 1000000"));
  for (const char* length : {"59s", "0d", "-1d", "10001d", "d", "99999999999d"})
    EXPECT_THAT(next("half_life=" + std::string(length)),
                HasSubstr("from 1m to 10000d"));
  EXPECT_THAT(next("match_policy=best"), HasSubstr("lonode"));
  EXPECT_THAT(next("match_policy=node_centric=true"), HasSubstr("composed"));
  EXPECT_THAT(next("queue_depth=0"), HasSubstr("whole number from 1"));
  EXPECT_THAT(next("queue_depth=99999999999"), HasSubstr("whole number"));
  EXPECT_THAT(next("reservation_depth=0"), HasSubstr("from 1 to 100000"));
  EXPECT_THAT(next("reservation_depth=100001"), HasSubstr("from 1 to 100000"));
  EXPECT_THAT(next("bind_timeout="), HasSubstr("a duration"));
  EXPECT_THAT(next("bind_timeout=0"), HasSubstr("a duration"));
  EXPECT_THAT(next("paused=maybe"), HasSubstr("true or false"));
  for (const char* wrong :
       {"zone", "zone=a,", "zone=a,zone=b", ",", "-=a", "zone=-", "a/b/c=d"})
    EXPECT_THAT(next("node_selector=" + std::string(wrong)),
                HasSubstr("labels like zone=a,gpu=yes, each once"));
  for (const char* length : {"0", "999ms", "367d", "x"})
    EXPECT_THAT(next("assumed_duration=" + std::string(length)),
                HasSubstr("from 1s to 366d"));
  EXPECT_THAT(next("replacement_hold=25h"), HasSubstr("up to 24h"));
  EXPECT_THAT(next("colour=red"), HasSubstr("one of node_selector, "));
  EXPECT_THAT(next("paused"), HasSubstr("KEY=VALUE"));
  EXPECT_THAT(next("paused=true paused=false"), HasSubstr("there twice"));
}

TEST_F(Queue, TakesEveryMatchPolicyOfFluxion) {
  for (const char* name :
       {"first", "firstnodex", "low", "high", "lonode", "hinode", "lonodex",
        "hinodex", "locality", "variation"}) {
    EXPECT_EQ(run_(std::string("queue set default match_policy=") + name),
              ExitCode::kOk)
        << run_.err();
    EXPECT_EQ(Column("match_policy"), name);
  }
  const auto composed = [&](const std::string& text) {
    run_.SetInput("default: {match_policy: '" + text + "'}");
    EXPECT_EQ(run_("queue apply -f -"), ExitCode::kOk) << run_.err();
    return Column("match_policy");
  };
  EXPECT_EQ(composed("node_centric=true policy=low"), "lonode");
  EXPECT_EQ(composed("policy=high  node_exclusive=true node_centric=false"),
            "policy=high node_exclusive=true");
}

// What SQL may set, a queue can be read with.
TEST_F(Queue, TableTakesTheMatchPoliciesThatAreRead) {
  const auto takes = [&](const std::string& text) {
    try {
      database_.Execute("UPDATE queues SET match_policy = '" + text + "'");
      return true;
    } catch (const sql::Error&) {
      return false;
    }
  };
  for (const char* text :
       {"variation", "policy=low", " policy=high  stop_on_1_matches=true ",
        "node_centric=true policy=low node_exclusive=false", "", " ", "best",
        "policy=middle", "node_centric=true", "policy=lownode_centric=true",
        "policy=low best", "policy=low node_centric=maybe", "lonode lonode"}) {
    EXPECT_EQ(takes(text), matcher::ParsePolicy(text).has_value()) << text;
  }
}

TEST_F(Queue, QueuesAreMadeAndDeleted) {
  EXPECT_EQ(run_("queue create gpu match_policy=hinode"), ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(Column("match_policy", "gpu"), "hinode");
  EXPECT_EQ(run_("queue create gpu"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("is there already"));
  EXPECT_EQ(run_("queue delete gpu"), ExitCode::kOk);
  EXPECT_EQ(run_("queue delete gpu"), ExitCode::kNotFound);
}

TEST_F(Queue, FileMakesQueuesAndSetsThoseThatAreThere) {
  run_("queue set default queue_depth=10 match_policy=low");
  run_.SetInput(
      "default: {match_policy: high, assumed_duration: 30m, paused: true}\n"
      "plain:\n"
      "gpu:\n"
      "  node_selector: {zone: a, gpu: 'yes'}\n"
      "  ageing: 2.5\n"
      "  reservation_depth: 7\n");
  EXPECT_EQ(run_("queue apply -f -"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(),
            "queue/default set\nqueue/gpu created\nqueue/plain created\n");
  EXPECT_EQ(Column("match_policy"), "high");
  EXPECT_EQ(Column("paused"), "t");
  EXPECT_EQ(Column("queue_depth"), "10");
  EXPECT_EQ(Column("node_selector->>'gpu'", "gpu"), "yes");
  EXPECT_EQ(Column("ageing", "gpu"), "2.5");
  EXPECT_EQ(Column("reservation_depth", "gpu"), "7");
  run_.SetInput("gpu: {reservation_depth: }");
  EXPECT_EQ(run_("queue apply -f -"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Column("reservation_depth", "gpu"), "NULL");
  EXPECT_EQ(Column("ageing", "gpu"), "2.5");
  run_.SetInput("");
  EXPECT_EQ(run_("queue apply -f -"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "");
}

TEST_F(Queue, FileWithAFaultChangesNothingAndIsToldItsPlace) {
  const auto said = [&](const std::string& file) {
    run_.SetInput("a: {paused: true}\n" + file);
    EXPECT_EQ(run_("queue apply -f -"), ExitCode::kUsage) << file;
    EXPECT_EQ(Column("name", "a"), "") << file;
    return run_.err();
  };
  EXPECT_THAT(said("gpu: {queue_depth: 0}"),
              HasSubstr("standard input: gpu: queue_depth: '0' is not"));
  EXPECT_THAT(said("gpu: {colour: red}"), HasSubstr("no setting of a queue"));
  EXPECT_THAT(said("gpu: [1]"), HasSubstr("gpu: has no settings below it"));
  EXPECT_THAT(said("gpu: {node_selector: {zone: 1}}"),
              HasSubstr("gpu: node_selector:"));
  EXPECT_THAT(said("GPU: {}"), HasSubstr("cannot be the name of a queue"));
  EXPECT_THAT(said("---\nb: {}"), HasSubstr("not one map of queues"));
  EXPECT_THAT(said("b: {"), HasSubstr("standard input:"));
  EXPECT_EQ(run_("queue apply -f /nowhere.yaml"), ExitCode::kFailed);
  EXPECT_EQ(run_("queue apply"), ExitCode::kUsage);
}

TEST_F(Queue, QueueOfABadSettingIsNotMade) {
  EXPECT_EQ(run_("queue create gpu queue_depth=x"), ExitCode::kUsage);
  EXPECT_EQ(Column("name", "gpu"), "");
}

TEST_F(Queue, NamesThatLabelsCannotHaveAreRefused) {
  for (const char* name : {"GPU", "-a", "a_b", "a.b"})
    EXPECT_EQ(run_("queue create --", {name}), ExitCode::kUsage) << name;
}

TEST_F(Queue, QueueWithGroupsStays) {
  AddExampleGroups();
  EXPECT_EQ(run_("queue delete default"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("has groups and stays"));
}

TEST_F(Queue, QueueThatIsNotThereIsNotFound) {
  for (const char* arguments :
       {"queue pause nothing", "queue set nothing paused=true"}) {
    EXPECT_EQ(run_(arguments), ExitCode::kNotFound);
    EXPECT_THAT(run_.err(), HasSubstr("no queue named \"nothing\""));
  }
}

TEST_F(Queue, ListIsThatOfGet) {
  run_("queue list -o name");
  EXPECT_EQ(run_.out(), "default\n");
}

}  // namespace
}  // namespace fluxnetes::services
