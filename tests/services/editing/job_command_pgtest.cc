#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class JobCommand : public CommandDatabase {
 protected:
  JobCommand() {
    database_.Execute(R"(
      INSERT INTO clients (name) VALUES ('worker');
      INSERT INTO jobs (kind, queue, state, attempt, client_id, errors, tags,
                        scheduled_at) VALUES
        ('match', 'match:default', 'available', 0, NULL, '[]', '{}', now()),
        ('bind', 'bind', 'retryable', 1, NULL,
         '[{"at": "2026-01-31", "attempt": 1, "message": "no route"}]',
         '{red}', now() + interval '1 hour'),
        ('bind', 'bind', 'running', 1, (SELECT id FROM clients), '[]', '{}',
         now()),
        ('bind', 'parked', 'pending', 0, NULL, '[]', '{}', now());
      INSERT INTO jobs_finished (id, kind, queue, priority, state, attempt,
        max_attempts, created_at, scheduled_at, attempted_at, args, errors,
        tags, metadata)
      VALUES (99, 'bind', 'bind', 1, 'discarded', 25, 25, now(), now(), now(),
        '{"pod": 1}', '[]', '{}', '{}'))");
  }

  std::string StateOf(int id) {
    return database_.Ask(
        "SELECT state FROM jobs WHERE id = " + std::to_string(id) +
        " UNION ALL SELECT state FROM jobs_finished "
        "WHERE id = " +
        std::to_string(id));
  }
};

TEST_F(JobCommand, ListIsGetJobs) {
  EXPECT_EQ(run_("jobs list"), ExitCode::kOk);
  const std::string listed = run_.out();
  EXPECT_EQ(run_("get jobs"), ExitCode::kOk);
  EXPECT_EQ(listed, run_.out());
  EXPECT_THAT(listed, HasSubstr("no route"));
  run_("jobs list --tag red -o name");
  EXPECT_EQ(run_.out(), "2\n");
  run_("jobs list --queue bind --finished 1h -o name");
  EXPECT_EQ(run_.out(), "2\n3\n99\n");
}

TEST_F(JobCommand, ShowTellsAllOfAJob) {
  EXPECT_EQ(run_("jobs show 2"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("attempt 1 at 2026-01-31: no route"));
  EXPECT_THAT(run_.out(), HasSubstr("retryable"));
  EXPECT_EQ(run_("jobs show 3"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("1 (worker)"));
  EXPECT_EQ(run_("jobs show 99 -o json"), ExitCode::kOk);
  const json job = json::parse(run_.out());
  EXPECT_EQ(job["state"], "discarded");
  EXPECT_EQ(job["args"]["pod"], 1);
  EXPECT_EQ(run_("jobs show 1 2 -o json"), ExitCode::kOk);
  EXPECT_EQ(json::parse(run_.out())["items"].size(), 2u);
}

TEST_F(JobCommand, WhatIsNotThereIsSaidAndTheRestIsDone) {
  EXPECT_EQ(run_("jobs show 1 1234"), ExitCode::kNotFound);
  EXPECT_THAT(run_.out(), HasSubstr("match:default"));
  EXPECT_THAT(run_.err(), HasSubstr("no job 1234"));
  EXPECT_EQ(run_("jobs cancel 1234 1"), ExitCode::kNotFound);
  EXPECT_EQ(StateOf(1), "cancelled");
}

TEST_F(JobCommand, RetryRunsWhatWaitsIsParkedOrHasEnded) {
  EXPECT_EQ(run_("jobs retry 2 4 99"), ExitCode::kOk);
  EXPECT_EQ(run_.out(),
            "job/2 may run now\njob/4 may run now\njob/99 may run now\n");
  for (const int id : {2, 4, 99}) EXPECT_EQ(StateOf(id), "available");
  EXPECT_EQ(run_("jobs retry 3"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("job 3 runs"));
}

TEST_F(JobCommand, CancelEndsWhatWaitsAndAsksWhatRuns) {
  EXPECT_EQ(run_("jobs cancel 1 3"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "job/1 cancelled\njob/3 is asked to stop\n");
  EXPECT_EQ(StateOf(1), "cancelled");
  EXPECT_EQ(database_.Ask("SELECT cancel_requested_at IS NOT NULL FROM jobs "
                          "WHERE id = 3"),
            "t");
  EXPECT_EQ(run_("jobs cancel 99"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("has ended already"));
}

TEST_F(JobCommand, DeleteRemovesWhatDoesNotRun) {
  EXPECT_EQ(run_("jobs delete 1 99"), ExitCode::kOk);
  EXPECT_EQ(StateOf(1), "");
  EXPECT_EQ(StateOf(99), "");
  EXPECT_EQ(run_("jobs delete 3"), ExitCode::kFailed);
  EXPECT_EQ(StateOf(3), "running");
}

TEST_F(JobCommand, FiltersSelectInsteadOfIds) {
  EXPECT_EQ(run_("jobs delete --queue bind --state discarded --finished 1h"),
            ExitCode::kOk);
  EXPECT_EQ(run_.out(), "job/99 deleted\n");
  EXPECT_EQ(run_("jobs cancel --tag red"), ExitCode::kOk);
  EXPECT_EQ(run_.out(), "job/2 cancelled\n");
  EXPECT_EQ(run_("jobs cancel --queue none"), ExitCode::kOk);
  EXPECT_THAT(run_.err(), HasSubstr("No jobs found"));
  EXPECT_EQ(run_("jobs delete"), ExitCode::kUsage);
  EXPECT_EQ(run_("jobs delete 1 --queue bind"), ExitCode::kUsage);
  EXPECT_EQ(run_("jobs delete --state bound"), ExitCode::kUsage);
}

TEST_F(JobCommand, StatsAreFiguresPerQueue) {
  EXPECT_EQ(run_("jobs stats"), ExitCode::kOk);
  EXPECT_THAT(run_.out(), HasSubstr("match:default"));
  EXPECT_EQ(run_("jobs stats --queue bind --window 10m -o json"),
            ExitCode::kOk);
  const json stats = json::parse(run_.out());
  EXPECT_EQ(stats["windowSeconds"], 600);
  ASSERT_EQ(stats["items"].size(), 1u);
  EXPECT_EQ(stats["items"][0]["running"], 1);
  EXPECT_EQ(stats["items"][0]["discarded"], 1);
  EXPECT_EQ(stats["items"][0]["oldestAvailableSeconds"], json());
}

}  // namespace
}  // namespace fluxnetes::services
