#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using Drain = CommandDatabase;

TEST_F(Drain, NodesAreDrainedListedAndUndrained) {
  AddExampleGroups();
  EXPECT_EQ(run_("drain node n2 n1 --reason", {"new disks"}), ExitCode::kOk)
      << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("maintenance/1 of 2 nodes from "));
  EXPECT_THAT(run_.out(), HasSubstr("until it is undone"));
  EXPECT_THAT(run_.out(), HasSubstr("1 group there need not have ended"));
  EXPECT_EQ(run_("get maintenance"), ExitCode::kOk) << run_.err();
  EXPECT_THAT(run_.out(), HasSubstr("n1,n2"));
  EXPECT_THAT(run_.out(), HasSubstr("begun"));
  EXPECT_THAT(run_.out(), HasSubstr("new disks"));
  run_("get nodes");
  EXPECT_EQ(Columns(run_.out(), {0, 1}),
            "NAME STATUS\nn1 drained\nn2 cordoned\n");
  EXPECT_EQ(run_("undrain n1"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "node/n1 undrained\n");
  EXPECT_EQ(database_.Ask("SELECT nodes FROM maintenance"), "{n2}");
  EXPECT_EQ(run_("undrain node n2 n1"), ExitCode::kNotFound);
  EXPECT_EQ(run_.out(), "node/n2 undrained\n");
  EXPECT_THAT(run_.err(), HasSubstr("no maintenance of \"n1\" is announced"));
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM maintenance"), "0");
}

TEST_F(Drain, LabelsAndTimesAreRead) {
  AddExampleGroups();
  EXPECT_EQ(run_("drain zone=z1 example.com/row=7 --from +1h --until +3h"),
            ExitCode::kOk)
      << run_.err();
  EXPECT_THAT(run_.err(), HasSubstr("warning: not all"));
  EXPECT_EQ(database_.Ask("SELECT node_selector FROM maintenance"),
            R"({"example.com/row": "7", "topology.kubernetes.io/zone": "z1"})");
  EXPECT_EQ(database_.Ask("SELECT ends_at - starts_at FROM maintenance"),
            "02:00:00");
  EXPECT_EQ(run_("undrain zone=z1"), ExitCode::kNotFound);
  EXPECT_EQ(run_("undrain example.com/row=7 zone=z1"), ExitCode::kOk);
  EXPECT_EQ(run_("drain zone=z1 --from 2099-01-31T12:00:00Z"), ExitCode::kOk);
  run_("get nodes n1 -o json");
  EXPECT_EQ(
      nlohmann::json::parse(run_.out())["items"][0]["maintenance"]["from"],
      "2099-01-31T12:00:00.000000Z");
  EXPECT_EQ(run_("undrain --id 2"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_("undrain --id 2"), ExitCode::kNotFound);
}

TEST_F(Drain, WhatIsOverIsNotListedAndForgottenAfterAWeek) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO maintenance (nodes, starts_at, ends_at, made_at) VALUES "
      "('{n1}', now() - interval '9 days', now() - interval '8 days', now()), "
      "('{n1}', now() - interval '3 days', now() - interval '2 days', now())");
  run_("get maintenance");
  EXPECT_EQ(run_.out(), "");
  EXPECT_THAT(run_.err(), HasSubstr("No maintenance found"));
  run_("drain n2");
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM maintenance"), "2");
}

TEST_F(Drain, MaintenanceMayBeAYearAhead) {
  AddExampleGroups();
  EXPECT_EQ(run_("drain n1 --from +48h --until +365d"), ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(database_.Ask("SELECT justify_hours(ends_at - starts_at) FROM "
                          "maintenance"),
            "363 days");
  EXPECT_EQ(run_("drain n1 --until +366d"), ExitCode::kUsage);
  EXPECT_THAT(run_.err(), HasSubstr("up to a year"));
}

TEST_F(Drain, WhatIsOverIsNotTakenBack) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO maintenance (nodes, node_selector, starts_at, ends_at, "
      "made_at) SELECT nodes, selector, now() - interval '3 hours', now() - "
      "interval '2 hours', now() FROM (VALUES ('{n1}'::text[], NULL::jsonb), "
      "('{n1,n2}', NULL), (NULL, '{\"example.com/row\": \"7\"}')) AS v "
      "(nodes, selector)");
  EXPECT_EQ(run_("undrain n1"), ExitCode::kNotFound);
  EXPECT_EQ(run_("undrain example.com/row=7"), ExitCode::kNotFound);
  run_("drain n1");
  EXPECT_EQ(run_("undrain n1"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(database_.AskAll("SELECT nodes FROM maintenance ORDER BY id"),
            "{n1}\n{n1,n2}\nNULL");
}

TEST_F(Drain, SlipsAreUsageErrorsWithAHint) {
  for (const char* arguments :
       {"drain", "drain node", "drain n1 zone=a", "drain =x", "drain a//b=x",
        "drain zone=a zone=b", "drain n1 --from soon", "drain n1 --until +x",
        "drain n1 --until +0h", "drain n1 --until +2", "drain n1 --until +2hh",
        "drain n1 --until 2001-01-01T00:00:00Z",
        "drain n1 --from +2h --until +1h", "undrain", "undrain n1 --id 1",
        "undrain --id x", "get maintenance n1"})
    EXPECT_EQ(run_(arguments), ExitCode::kUsage) << arguments << run_.out();
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM maintenance"), "0");
}

}  // namespace
}  // namespace fluxnetes::services
