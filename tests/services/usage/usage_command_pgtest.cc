// `fluxnetes usage`, on a roll-up of three days.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

class UsageCommand : public CommandDatabase {
 protected:
  UsageCommand() {
    database_.Execute(R"(
        INSERT INTO usage_days
        SELECT day::date, queue, namespace, account, u, resource, hours * 3600
        FROM (VALUES
          ('2026-10-31', 'default', 'lab', 'physics', 'ada', 'cpu', 10),
          ('2026-10-31', 'default', 'lab', 'physics', 'ada', 'pods', 5),
          ('2026-11-01', 'default', 'lab', 'physics', 'ada', 'cpu', 2.5),
          ('2026-11-01', 'default', 'lab', 'physics', 'ada', 'memory',
           3 * 1024 ^ 3),
          ('2026-11-02', 'gpu', 'lab', 'physics', 'bob', 'cpu', 1),
          ('2026-11-02', 'gpu', 'lab', 'physics', 'bob', 'nvidia.com/gpu', 8),
          ('2026-11-02', 'default', 'web', '', 'x, "y"', 'cpu', 4)
        ) AS v (day, queue, namespace, account, u, resource, hours);
        UPDATE usage_clock SET rolled_up_to = '2026-11-02 12:00:00+00')");
  }
};

TEST_F(UsageCommand, SumsUpByMonthAndAccount) {
  ASSERT_EQ(run_("usage"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3, 4, 5}),
            "MONTH ACCOUNT CORE-HOURS GIB-HOURS POD-HOURS "
            "nvidia.com/gpu-HOURS\n"
            "2026-10 physics 10.0 0.0 5.0 0.0\n"
            "2026-11 - 4.0 0.0 0.0 0.0\n"
            "2026-11 physics 3.5 3.0 0.0 8.0\n");
  EXPECT_THAT(run_.err(), HasSubstr("As of 2026-11-02T12:00:00.000000Z"));
}

TEST_F(UsageCommand, SumsUpByOtherKeysAndDays) {
  run_("usage --by user,queue --daily --since 2026-11 --until 2026-11-02");
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2, 3}),
            "DAY QUEUE USER CORE-HOURS\n2026-11-01 default ada 2.5\n");
}

TEST_F(UsageCommand, IsFilteredByEachOfItsFlags) {
  const std::vector<std::vector<std::string>> filters = {
      {"-n", "web"}, {"--account", ""}, {"--user", "x, \"y\""}};
  for (const auto& filter : filters) {
    run_("usage --no-headers --by namespace", filter);
    EXPECT_EQ(Columns(run_.out(), {0, 1, 2}), "2026-11 web 4.0\n") << filter[0];
  }
  run_("usage --no-headers --queue gpu");
  EXPECT_EQ(Columns(run_.out(), {0, 1, 2}), "2026-11 physics 1.0\n");
  run_("usage --queue none");
  EXPECT_EQ(run_.out(), "");
  EXPECT_THAT(run_.err(), HasSubstr("No group held anything in that time."));
}

TEST_F(UsageCommand, CsvQuotesWhatNeedsIt) {
  run_("usage --csv --by user --since 2026-11 -n web");
  EXPECT_EQ(run_.out(),
            "MONTH,USER,CORE-HOURS,GIB-HOURS,POD-HOURS\r\n"
            "2026-11,\"x, \"\"y\"\"\",4.000000,0.000000,0.000000\r\n");
}

TEST_F(UsageCommand, DocumentHasHoursByResource) {
  run_("usage --by account --since 2026-11 -n lab -o json");
  const auto json = nlohmann::json::parse(run_.out());
  EXPECT_EQ(json["kind"], "Usage");
  EXPECT_EQ(json["asOf"], "2026-11-02T12:00:00.000000Z");
  ASSERT_EQ(json["items"].size(), 1);
  EXPECT_EQ(json["items"][0]["account"], "physics");
  EXPECT_DOUBLE_EQ(json["items"][0]["hours"]["nvidia.com/gpu"], 8);
}

TEST_F(UsageCommand, WrongTimesAndKeysAreRefused) {
  for (const char* wrong :
       {"--since 2026", "--since 2026-13", "--until 2026-02-30",
        "--since 2026-1-1", "--since yesterday", "--by colour"}) {
    EXPECT_EQ(run_(std::string("usage ") + wrong), ExitCode::kUsage) << wrong;
    EXPECT_THAT(run_.err(), HasSubstr("Right would be")) << wrong;
  }
}

}  // namespace
}  // namespace fluxnetes::services
