#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using PriorityCommand = CommandDatabase;

TEST_F(PriorityCommand, WaitingGroupGetsItAndIsOnRecord) {
  AddExampleGroups();
  EXPECT_EQ(run_("priority b/second 20 --reason", {"it is late"}),
            ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(run_.out(), "group/b/second has the priority 20\n");
  EXPECT_EQ(database_.AskAll("SELECT verb, object, detail FROM audit"),
            "priority|group/b/second|20: it is late");
  // It is ahead of a/first now, which had position 1.
  EXPECT_EQ(database_.Ask("SELECT position FROM pending WHERE group_name = "
                          "'second'"),
            "1");
  EXPECT_EQ(run_("priority b/second -5"), ExitCode::kOk) << run_.err();
  EXPECT_EQ(run_.out(), "group/b/second has the priority -5\n");
  EXPECT_EQ(run_("priority -n b second --of-pods"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "group/b/second has the priority 0\n");
  EXPECT_EQ(run_("priority a/fills 4"), ExitCode::kOk);
  EXPECT_EQ(run_("priority a/fills --of-pods"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "group/a/fills has the priority of its pods\n");
}

TEST_F(PriorityCommand, WhatRunsOrIsNotThereIsAnError) {
  AddExampleGroups();
  EXPECT_EQ(run_("priority a/runs 1"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("runs already"));
  EXPECT_EQ(run_("priority a/none 1"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("no unfinished group named \"a/none\""));
}

TEST_F(PriorityCommand, SlipsAreUsageErrors) {
  for (const char* arguments :
       {"priority", "priority a/first", "priority a/first high",
        "priority a/first 1 --of-pods", "priority a/first 3000000000"})
    EXPECT_EQ(run_(arguments), ExitCode::kUsage) << arguments;
}

}  // namespace
}  // namespace fluxnetes::services
