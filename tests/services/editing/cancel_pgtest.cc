#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

using Cancel = CommandDatabase;

TEST_F(Cancel, UnfinishedGroupIsNotedForItsEnd) {
  AddExampleGroups();
  EXPECT_EQ(run_("cancel group a/first --reason", {"not needed"}),
            ExitCode::kOk)
      << run_.err();
  EXPECT_EQ(run_.out(), "group/a/first cancelled\n");
  EXPECT_EQ(database_.Ask("SELECT cancel_reason FROM pod_groups WHERE id = 2"),
            "not needed");
  EXPECT_EQ(run_("cancel group a/first"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("is being cancelled already"));
  run_("get groups a/first");
  EXPECT_THAT(run_.out(), HasSubstr("being cancelled: not needed"));
}

TEST_F(Cancel, GroupThatIsNotThereIsNotFoundAndTheOthersEnd) {
  AddExampleGroups();
  EXPECT_EQ(run_("cancel group -n a nothing first"), ExitCode::kNotFound);
  EXPECT_EQ(run_.out(), "group/a/first cancelled\n");
  EXPECT_THAT(run_.err(), HasSubstr("no unfinished group named \"a/nothing\""));
  EXPECT_EQ(run_("cancel group b/over"), ExitCode::kNotFound);
}

}  // namespace
}  // namespace fluxnetes::services
