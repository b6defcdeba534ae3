#include "queue/results.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "queue/job_check.h"
#include "queue/json_text.h"
#include "queue/queries.h"

namespace fluxnetes::queue {
namespace {

using Leases = std::set<std::pair<std::int64_t, int>>;

bool EndsJob(const JobResult& result) {
  return result.outcome != Outcome::kFailed &&
         result.outcome != Outcome::kSnoozed;
}

bool IsPlain(const JobResult& result) {
  return result.outcome == Outcome::kCompleted && result.error.empty() &&
         result.trace.empty() && result.metadata.empty();
}

void Check(const JobResult& result) {
  if (!result.metadata.empty()) CheckMetadata(result.metadata);
  if (result.delay && result.delay->count() < 0)
    throw JobError(JobError::Code::kDelay, "a job's delay is not negative");
}

const char* FinalState(Outcome outcome) {
  switch (outcome) {
    case Outcome::kCompleted:
      return "completed";
    case Outcome::kCancelled:
      return "cancelled";
    case Outcome::kDiscarded:
      return "discarded";
    case Outcome::kFailed:
    case Outcome::kSnoozed:
      break;
  }
  throw std::logic_error("this outcome ends no job");
}

// What PostgreSQL can store of what a failure says.
std::string Storable(const std::string& text) {
  std::string cut(CutText(text, kMaxErrorBytes));
  if (IsText(cut)) return cut;
  for (char& c : cut)
    if (c == '\0' || static_cast<unsigned char>(c) >= 0x80) c = '?';
  return cut;
}

// Results as the arrays that the statements take.
struct Arrays {
  std::vector<std::int64_t> ids;
  std::vector<int> attempts;
  std::vector<std::string> states, errors, traces, metadata;
  std::vector<bool> failed;
  std::vector<std::optional<std::string>> delays;

  void AddLease(const JobResult& result) {
    ids.push_back(result.id);
    attempts.push_back(result.attempt);
  }
  void AddTexts(const JobResult& result) {
    errors.push_back(Storable(result.error));
    traces.push_back(Storable(result.trace));
    metadata.push_back(result.metadata.empty() ? "{}" : result.metadata);
  }
};

void AddAccepted(const sql::Result& result, Leases& accepted) {
  for (const sql::Row row : result)
    accepted.insert({row.Get<std::int64_t>(0), row.Get<int>(1)});
}

void RunComplete(sql::Transaction& transaction,
                 std::span<const JobResult> results, Leases& accepted) {
  Arrays arrays;
  for (const JobResult& result : results)
    if (IsPlain(result)) arrays.AddLease(result);
  if (arrays.ids.empty()) return;
  AddAccepted(
      transaction.Run(queries::kCompleteJobs, arrays.ids, arrays.attempts),
      accepted);
}

void RunFinish(sql::Transaction& transaction,
               std::span<const JobResult> results, Leases& accepted) {
  Arrays arrays;
  for (const JobResult& result : results) {
    if (!EndsJob(result) || IsPlain(result)) continue;
    arrays.AddLease(result);
    arrays.AddTexts(result);
    arrays.states.emplace_back(FinalState(result.outcome));
  }
  if (arrays.ids.empty()) return;
  AddAccepted(transaction.Run(queries::kFinishJobs, arrays.ids, arrays.attempts,
                              arrays.states, arrays.errors, arrays.traces,
                              arrays.metadata),
              accepted);
}

void RunPostpone(sql::Transaction& transaction,
                 std::span<const JobResult> results, Leases& accepted) {
  Arrays arrays;
  for (const JobResult& result : results) {
    if (EndsJob(result)) continue;
    arrays.AddLease(result);
    arrays.AddTexts(result);
    const bool failed = result.outcome == Outcome::kFailed;
    arrays.failed.push_back(failed);
    if (failed && !result.delay)
      arrays.delays.emplace_back();
    else
      arrays.delays.emplace_back(fmt::format(
          "{} milliseconds",
          result.delay.value_or(std::chrono::milliseconds(0)).count()));
  }
  if (arrays.ids.empty()) return;
  AddAccepted(transaction.Run(queries::kPostponeJobs, arrays.ids,
                              arrays.attempts, arrays.failed, arrays.errors,
                              arrays.delays, arrays.traces, arrays.metadata),
              accepted);
}

}  // namespace

std::vector<bool> RecordResults(sql::Transaction& transaction,
                                std::span<const JobResult> results) {
  for (const JobResult& result : results) Check(result);
  Leases accepted;
  RunComplete(transaction, results, accepted);
  RunFinish(transaction, results, accepted);
  RunPostpone(transaction, results, accepted);
  std::vector<bool> answers;
  answers.reserve(results.size());
  for (const JobResult& result : results)
    answers.push_back(accepted.erase({result.id, result.attempt}) == 1);
  return answers;
}

}  // namespace fluxnetes::queue
