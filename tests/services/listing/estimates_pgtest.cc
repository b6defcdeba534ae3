// The display of estimated starts and of their errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

class Estimates : public CommandDatabase {
 protected:
  // Sets the estimate of the example group "second".
  void Say(const std::string& start, bool approximate,
           const std::string& rests_on) {
    database_.Execute(
        "DELETE FROM estimates; INSERT INTO estimates VALUES "
        "(3, " +
        start + ", " + (approximate ? "true" : "false") + ", '" + rests_on +
        "', " + At(seconds(0)) + ")");
  }
  // Adds a group that started `late` seconds after an estimate made `horizon`
  // seconds before.
  void AddHistory(int id, int horizon, int late) {
    database_.Execute(
        "INSERT INTO group_history (group_id, namespace, group_name, "
        "group_size, queue, priority, result, submitted_at, allocated_at, "
        "ended_at, first_estimate, first_estimated_at) VALUES (" +
        std::to_string(id) + ", 'a', 'old', 1, 'default', 0, 'succeeded', " +
        At(seconds(0)) + ", " + At(seconds(horizon + late)) + ", " +
        At(seconds(9'000)) + ", " + At(seconds(horizon)) + ", " +
        At(seconds(0)) + ")");
  }
};

TEST_F(Estimates, GroupsShowHowTheirStartIsKnown) {
  AddExampleGroups();
  Say(At(seconds(7'200)), false, "a/runs ends by its deadline");
  run_("get groups b/second");
  EXPECT_THAT(run_.out(), HasSubstr("in 2h"));
  run_("describe group b/second");
  EXPECT_THAT(run_.out(),
              HasSubstr("UTC (in 2h), if it goes as planned: a/runs ends by "
                        "its deadline"));
  EXPECT_THAT(run_.out(), HasSubstr("is to start (forecast)"));
  Say(At(seconds(7'200)), true, "the rate at which groups start");
  run_("get groups b/second");
  EXPECT_THAT(run_.out(), HasSubstr("in ~2h"));
  run_("describe group b/second");
  EXPECT_THAT(run_.out(), HasSubstr("about "));
  run_("get groups b/second -o json");
  const auto group = nlohmann::json::parse(run_.out())["items"][0];
  EXPECT_EQ(group["estimate"], "approximate");
  EXPECT_EQ(group["estimateRestsOn"], "the rate at which groups start");
  // A reservation takes precedence.
  run_("describe group a/first");
  EXPECT_THAT(run_.out(), HasSubstr("at the latest"));
}

TEST_F(Estimates, GroupThatNoTimeIsKnownOfSaysWhy) {
  AddExampleGroups();
  Say("NULL", false, "a/runs has no deadline");
  run_("get groups b/second");
  EXPECT_EQ(Columns(run_.out(), {0, 5}), "NAME START\nsecond -\n");
  run_("describe group b/second");
  EXPECT_THAT(run_.out(), HasSubstr("not known: a/runs has no deadline"));
  EXPECT_THAT(run_.out(), Not(HasSubstr("is to start")));
}

TEST_F(Estimates, HeldGroupStandsInNoLine) {
  AddExampleGroups();
  Say(At(seconds(7'200)), false, "a/runs ends by its deadline");
  database_.Execute("UPDATE pod_groups SET held_at = now() WHERE id = 2");
  run_("get groups -A --state pending");
  EXPECT_EQ(Columns(run_.out(), {1, 2, 5}),
            "NAME STATE POSITION\nfirst held -\nsecond pending 1\n");
  run_("get groups -A --state pending -o json");
  const auto groups = nlohmann::json::parse(run_.out())["items"];
  EXPECT_EQ(groups[0]["position"], nullptr);
  EXPECT_EQ(groups[1]["position"], 1);
}

TEST_F(Estimates, PositionIsThatOfTheOrderOfTheQueue) {
  AddExampleGroups();
  database_.Execute("UPDATE queues SET queue_order = 'fair_share'");
  const auto positions = [this] {
    run_("get groups -A --state pending");
    return Columns(run_.out(), {1, 2, 5});
  };
  EXPECT_EQ(positions(),
            "NAME STATE POSITION\nfirst reserved -\nsecond pending -\n");
  Say("NULL", false, "");
  database_.Execute("UPDATE estimates SET position = 7");
  EXPECT_EQ(positions(),
            "NAME STATE POSITION\nfirst reserved -\nsecond pending 7\n");
  run_("describe group b/second");
  EXPECT_THAT(run_.out(), HasSubstr("7"));
  EXPECT_EQ(database_.Ask("SELECT position FROM pending WHERE group_id = 3"),
            "7");
}

TEST_F(Estimates, ErrorsAreListedByHowLongBeforeTheyWereSaid) {
  run_("get estimates");
  EXPECT_EQ(run_.out(), "");
  EXPECT_THAT(run_.err(), HasSubstr("No estimates"));
  AddHistory(91, 30, 5);
  AddHistory(92, 700, -100);
  AddHistory(93, 800, 300);
  ASSERT_EQ(run_("get estimates"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3, 4, 5, 7}),
            "QUEUE ESTIMATE AHEAD GROUPS MEAN P50 BIAS\n"
            "default first 0s+ 1 5s 5s +5s\n"
            "default first 10m+ 2 3m20s 3m20s +100s\n");
  run_("get estimates -o json");
  const auto rows = nlohmann::json::parse(run_.out())["items"];
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["horizonSeconds"], 600);
  EXPECT_EQ(rows[1]["meanSeconds"], 200.0);
  EXPECT_EQ(rows[1]["biasSeconds"], 100.0);
}

}  // namespace
}  // namespace fluxnetes::services
