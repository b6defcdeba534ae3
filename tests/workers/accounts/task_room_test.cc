#include "workers/accounts/task_room.h"

#include <gtest/gtest.h>

namespace fluxnetes::workers {
namespace {

matcher::TaskGroup TaskOf(std::vector<std::int64_t> amounts, int count) {
  matcher::TaskGroup task;
  task.amounts = std::move(amounts);
  task.count = count;
  return task;
}

TEST(TaskRoom, IsThatOfTheScarcestResource) {
  const auto task = TaskOf({2, 0, 10}, 8);
  EXPECT_EQ(TasksIn({9, 0, 30}, task), 3);
  EXPECT_EQ(TasksIn({9, 0, 100}, task), 4);
  EXPECT_DOUBLE_EQ(PartOf({9, 0, 100}, task), 4.5);
  EXPECT_DOUBLE_EQ(PartOf({1, 0, 100}, task), 0.5);
}

TEST(TaskRoom, IsNoneWhereAResourceIsMissingOrOverdrawn) {
  const auto task = TaskOf({2, 0, 10}, 8);
  EXPECT_EQ(TasksIn({9}, task), 0);
  EXPECT_EQ(TasksIn({-4, 0, 30}, task), 0);
  EXPECT_DOUBLE_EQ(PartOf({-4, 0, 30}, task), 0);
}

TEST(TaskRoom, IsNoMoreThanThereAreTasks) {
  const auto task = TaskOf({2}, 3);
  EXPECT_EQ(TasksIn({100}, task), 3);
  EXPECT_DOUBLE_EQ(PartOf({100}, task), 3);
}

TEST(TaskRoom, GrowsByWhatIsHeldOfOtherResourcesToo) {
  Amounts sum{1};
  AddHeld(sum, {2, 0, 5});
  EXPECT_EQ(sum, (Amounts{3, 0, 5}));
}

}  // namespace
}  // namespace fluxnetes::workers
