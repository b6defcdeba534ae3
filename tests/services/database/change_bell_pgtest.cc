#include <gtest/gtest.h>

#include "queue/store/work_queue.h"
#include "services/database/change_bell.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using testing::WaitUntil;

TEST(ChangeBell, RingsForNewJobsAndEditedQueuesOnceEach) {
  testing::TestDatabase database;
  ChangeBell bell(database.options());
  const auto rings = [&bell] {
    return WaitUntil(std::chrono::seconds(30), [&] { return bell.HasRung(); });
  };
  ASSERT_TRUE(rings()) << "when it is connected";
  EXPECT_FALSE(bell.HasRung());
  queue::NewJob job;
  job.kind = "bind";
  job.queue = "bind";
  queue::WorkQueue(database.pool()).Insert(std::vector{job});
  EXPECT_TRUE(rings());
  EXPECT_FALSE(bell.HasRung());
  database.Execute("UPDATE queues SET paused = true");
  EXPECT_TRUE(rings());
}

}  // namespace
}  // namespace fluxnetes::services
