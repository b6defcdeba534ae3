#include "workers/loops/group_jobs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fluxnetes::workers {
namespace {

using nlohmann::json;

void ExpectJob(const queue::NewJob& job, const std::string& kind,
               const json& args) {
  EXPECT_EQ(job.kind, kind);
  EXPECT_EQ(job.queue, kind);
  EXPECT_EQ(json::parse(job.args), args);
  EXPECT_EQ(job.max_attempts, queue::kNoLimit);
}

TEST(GroupJobs, SayTheirGroupAndAreNeverGivenUp) {
  ExpectJob(BindJob(7, 2), "bind", json::parse(R"({"group":7,"revision":2})"));
  ExpectJob(CleanupJob(7), "cleanup", json::parse(R"({"group":7})"));
  ExpectJob(CancelJob(7, "a \"b\""), "cleanup",
            json::parse(R"({"group":7,"cancel":"a \"b\""})"));
  ExpectJob(CancelFillingJob("space", "name", "why"), "cleanup",
            json::parse(
                R"({"namespace":"space","group_name":"name","cancel":"why"})"));
}

TEST(GroupJobs, EachSchedulingQueueHasOneOfItsOwn) {
  EXPECT_EQ(MatchQueue("gpu"), "match:gpu");
}

}  // namespace
}  // namespace fluxnetes::workers
