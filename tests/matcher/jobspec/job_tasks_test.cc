#include "matcher/jobspec/job_tasks.h"

#include <gtest/gtest.h>

namespace fluxnetes::matcher {
namespace {

std::string WithTasks(const std::string& tasks) {
  return "version: 1\n"
         "resources: [{type: slot, label: a, count: 2, with: "
         "[{type: core, count: 1}]}]\n"
         "tasks: " +
         tasks + "\nattributes: null\n";
}

TEST(JobTasks, CountIsThatOfASlotOrOfAll) {
  EXPECT_EQ(
      ReadJobTasks(WithTasks("[{command: [x], slot: a, count: {per_slot: 1}},"
                             " {command: [y], slot: a, count: {total: 8}}]")),
      (std::vector<JobTask>{{"a", true, 1}, {"a", false, 8}}));
  EXPECT_TRUE(ReadJobTasks(WithTasks("[]")).empty());
}

TEST(JobTasks, OtherCountsAreRefusedWithTheirPlace) {
  const auto why = [](const std::string& count) -> std::string {
    try {
      ReadJobTasks(
          WithTasks("[{command: [x], slot: a, count: " + count + "}]"));
      return "";
    } catch (const JobspecError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(why("{per_node: 1}"),
            "line 3: tasks[0].count: is neither per_slot nor total with a "
            "number");
  EXPECT_EQ(why("{total: 0}"),
            "line 3: tasks[0].count.total: is \"0\"; a number from 1 to "
            "1048576 is right");
}

}  // namespace
}  // namespace fluxnetes::matcher
