// Validates a job before PostgreSQL sees it. Throws JobError; pure.
// Tests: tests/queue/store/insert_pgtest.cc.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "queue/jobs/job.h"
#include "queue/jobs/job_error.h"

namespace fluxnetes::queue {

void CheckJob(const NewJob& job);
void CheckPriority(int priority);
void CheckMaxAttempts(int max_attempts);
void CheckArgs(const std::string& args);
void CheckMetadata(const std::string& metadata);
void CheckTags(const std::vector<std::string>& tags);

}  // namespace fluxnetes::queue
