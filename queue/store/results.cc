#include "queue/store/results.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "queue/jobs/job_check.h"
#include "queue/jobs/json_text.h"
#include "queue/store/jobs_queries.h"
#include "sql/values/array.h"

namespace fluxnetes::queue {
namespace {

using sql::Array;

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

// Replaces what PostgreSQL cannot store in the text of a failure.
std::string Storable(const std::string& text) {
  std::string cut(CutText(text, kMaxErrorBytes));
  if (IsText(cut)) return cut;
  for (char& c : cut)
    if (c == '\0' || static_cast<unsigned char>(c) >= 0x80) c = '?';
  return cut;
}

// Results as the array parameters of the statements.
struct Arrays {
  explicit Arrays(std::size_t expected)
      : ids(Array::Type::kBigint, expected),
        attempts(Array::Type::kInteger, expected) {}

  Array ids, attempts;
  Array states{Array::Type::kText}, errors{Array::Type::kText},
      traces{Array::Type::kText}, metadata{Array::Type::kJsonb},
      failed{Array::Type::kBoolean};
  std::vector<std::optional<std::string>> delays;

  void AddLease(const JobResult& result) {
    ids.Add(result.id);
    attempts.Add(result.attempt);
  }
  void AddTexts(const JobResult& result) {
    errors.Add(Storable(result.error));
    traces.Add(Storable(result.trace));
    metadata.Add(result.metadata.empty() ? "{}" : result.metadata);
  }
};

template <typename Run>
sql::Result RunComplete(Run run, std::span<const JobResult* const> results) {
  Arrays arrays(results.size());
  for (const JobResult* result : results) arrays.AddLease(*result);
  return run(queries::kCompleteJobs, arrays.ids.Take(), arrays.attempts.Take());
}

template <typename Run>
sql::Result RunFinish(Run run, std::span<const JobResult* const> results) {
  Arrays arrays(results.size());
  for (const JobResult* result : results) {
    arrays.AddLease(*result);
    arrays.AddTexts(*result);
    arrays.states.Add(FinalState(result->outcome));
  }
  return run(queries::kFinishJobs, arrays.ids.Take(), arrays.attempts.Take(),
             arrays.states.Take(), arrays.errors.Take(), arrays.traces.Take(),
             arrays.metadata.Take());
}

template <typename Run>
sql::Result RunPostpone(Run run, std::span<const JobResult* const> results) {
  Arrays arrays(results.size());
  for (const JobResult* result : results) {
    arrays.AddLease(*result);
    arrays.AddTexts(*result);
    const bool failed = result->outcome == Outcome::kFailed;
    arrays.failed.Add(failed);
    if (failed && !result->delay)
      arrays.delays.emplace_back();
    else
      arrays.delays.emplace_back(fmt::format(
          "{} milliseconds",
          result->delay.value_or(std::chrono::milliseconds(0)).count()));
  }
  return run(queries::kPostponeJobs, arrays.ids.Take(), arrays.attempts.Take(),
             arrays.failed.Take(), arrays.errors.Take(), arrays.delays,
             arrays.traces.Take(), arrays.metadata.Take());
}

// Results grouped by the statement that takes them, and the leases accepted.
class Batch {
 public:
  explicit Batch(std::span<const JobResult> results) : results_(results) {
    for (const JobResult& result : results) {
      Check(result);
      (IsPlain(result)   ? plain_
       : EndsJob(result) ? ends_
                         : postpones_)
          .push_back(&result);
    }
  }

  bool IsOneStatement() const {
    return std::max({plain_.size(), ends_.size(), postpones_.size()}) ==
           results_.size();
  }

  template <typename Run>
  std::vector<bool> Record(Run run) {
    if (!plain_.empty()) AddAccepted(RunComplete(run, plain_));
    if (!ends_.empty()) AddAccepted(RunFinish(run, ends_));
    if (!postpones_.empty()) AddAccepted(RunPostpone(run, postpones_));
    return Answers();
  }

 private:
  using Lease = std::pair<std::int64_t, int>;

  void AddAccepted(const sql::Result& result) {
    for (const sql::Row row : result)
      accepted_.emplace_back(row.Get<std::int64_t>(0), row.Get<int>(1));
  }

  // A lease that occurs twice is accepted once.
  std::vector<bool> Answers() {
    std::ranges::sort(accepted_);
    std::vector<bool> used(accepted_.size());
    std::vector<bool> answers;
    answers.reserve(results_.size());
    for (const JobResult& result : results_) {
      const Lease lease(result.id, result.attempt);
      const auto found = std::ranges::lower_bound(accepted_, lease);
      const auto place = static_cast<std::size_t>(found - accepted_.begin());
      const bool accepted =
          found != accepted_.end() && *found == lease && !used[place];
      if (accepted) used[place] = true;
      answers.push_back(accepted);
    }
    return answers;
  }

  const std::span<const JobResult> results_;
  std::vector<const JobResult*> plain_, ends_, postpones_;
  std::vector<Lease> accepted_;
};

}  // namespace

std::vector<bool> RecordResults(sql::Transaction& transaction,
                                std::span<const JobResult> results) {
  return Batch(results).Record(
      [&](const auto&... arguments) { return transaction.Run(arguments...); });
}

std::vector<bool> RecordResultsAlone(sql::Pool& pool,
                                     std::span<const JobResult> results) {
  if (results.empty()) return {};
  Batch batch(results);
  if (batch.IsOneStatement())
    return batch.Record([&](const auto&... arguments) {
      return sql::RunAlone(pool, arguments...);
    });
  sql::Transaction transaction(pool);
  std::vector<bool> accepted = batch.Record(
      [&](const auto&... arguments) { return transaction.Run(arguments...); });
  transaction.Commit();
  return accepted;
}

}  // namespace fluxnetes::queue
