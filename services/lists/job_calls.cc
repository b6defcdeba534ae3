#include "services/lists/job_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/util/time_util.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fluxnetes/v1/jobs.pb.h"
#include "queue/control/job_control.h"
#include "services/feed/group_messages.h"
#include "services/feed/group_requests.h"
#include "services/grpc/grpc_calls.h"
#include "services/lists/list_requests.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;

constexpr int kMostJobs = 1'000;
constexpr std::chrono::seconds kShortestCount{2};
constexpr int kRestPerCount = 20;
constexpr const char* kJobStateNames[] = {"available", "scheduled", "retryable",
                                          "pending",   "running",   "completed",
                                          "cancelled", "discarded"};

template <typename Mutable>
void FillMoment(const std::optional<sql::Timestamp>& time, Mutable field) {
  if (time) Fill(*field(), *time);
}

// An error of a job has its time as text, as PostgreSQL writes it in JSON.
void FillErrors(v1::Job& message, const std::string& errors) {
  for (const auto& error : nlohmann::json::parse(errors)) {
    v1::JobError& one = *message.add_errors();
    one.set_attempt(error.value("attempt", 0));
    one.set_message(error.value("message", ""));
    google::protobuf::Timestamp at;
    if (google::protobuf::util::TimeUtil::FromString(error.value("at", ""),
                                                     &at))
      *one.mutable_at() = at;
  }
}

void FillJob(v1::Job& message, const queue::JobRow& job) {
  message.set_id(job.id);
  message.set_kind(job.kind);
  message.set_queue(job.queue);
  message.set_state(job.state);
  message.set_priority(job.priority);
  message.set_attempt(job.attempt);
  // Without a limit it has the greatest number.
  message.set_max_attempts(job.max_attempts);
  message.set_client(job.client.value_or(""));
  Fill(*message.mutable_created_at(), job.created_at);
  Fill(*message.mutable_scheduled_at(), job.scheduled_at);
  FillMoment(job.attempted_at, [&] { return message.mutable_attempted_at(); });
  FillMoment(job.finalized_at, [&] { return message.mutable_ended_at(); });
  FillMoment(job.cancel_requested_at,
             [&] { return message.mutable_cancel_requested_at(); });
  message.set_args(job.args);
  FillErrors(message, job.errors);
  for (const std::string& tag : job.tags) message.add_tags(tag);
}

queue::JobFilter JobsWanted(const v1::ListJobsRequest& request,
                            sql::Timestamp now) {
  queue::JobFilter filter{
      .queue = TextIfAny(request.queue()),
      .kind = TextIfAny(request.kind()),
      .states = {request.states().begin(), request.states().end()}};
  for (const std::string& state : filter.states)
    if (std::ranges::find(kJobStateNames, state) == std::end(kJobStateNames))
      throw GrpcRefusal(GrpcCode::kInvalidArgument,
                        fmt::format("states has \"{}\"; right would be one of "
                                    "{}",
                                    state, fmt::join(kJobStateNames, ", ")),
                        "states");
  if (request.finished_within_seconds() != 0)
    filter.finished_since = SinceOf(request.finished_within_seconds(), 0, now,
                                    "finished_within_seconds");
  return filter;
}

const char* OutcomeName(queue::Changed changed) {
  switch (changed) {
    case queue::Changed::kDone:
      return "done";
    case queue::Changed::kAsked:
      return "asked";
    case queue::Changed::kNotAllowed:
      return "not allowed";
    case queue::Changed::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

void ListJobsFor(const v1::ListJobsRequest& request,
                 v1::ListJobsResponse& response, sql::Transaction& transaction,
                 sql::Timestamp now) {
  if (request.ids_size() > kMostJobs)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("ids has more than {} jobs", kMostJobs),
                      "ids");
  if (request.ids_size() > 0) {
    const std::vector<std::int64_t> ids(request.ids().begin(),
                                        request.ids().end());
    for (const queue::JobRow& job : queue::FindJobs(transaction, ids))
      FillJob(*response.add_jobs(), job);
    return;
  }
  queue::JobFilter filter = JobsWanted(request, now);
  const int size = PageSize(request.page_size());
  filter.limit = size + 1;
  for (const queue::JobRow& job : queue::ListNewestJobs(
           transaction, filter, NumberToken(request.page_token()))) {
    if (response.jobs_size() == size) {
      response.set_next_page_token(
          std::to_string(response.jobs().rbegin()->id()));
      break;
    }
    FillJob(*response.add_jobs(), job);
  }
}

void ChangeJobsFor(const v1::ChangeJobsRequest& request,
                   v1::ChangeJobsResponse& response, sql::Pool& pool,
                   const Actor& actor) {
  const bool retries = request.action() == v1::JOB_ACTION_RETRY;
  if (!retries && request.action() != v1::JOB_ACTION_CANCEL)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      "action is none; right would be JOB_ACTION_RETRY or "
                      "JOB_ACTION_CANCEL",
                      "action");
  if (request.ids_size() < 1 || request.ids_size() > kMostJobs)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("ids has {} jobs; right would be 1 to {}",
                                  request.ids_size(), kMostJobs),
                      "ids");
  const std::vector<std::int64_t> ids(request.ids().begin(),
                                      request.ids().end());
  sql::Transaction transaction(pool);
  const auto changed = retries ? queue::JobControl::Retry(transaction, ids)
                               : queue::JobControl::Cancel(transaction, ids);
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    v1::ChangedJob& job = *response.add_jobs();
    job.set_id(ids[i]);
    job.set_outcome(OutcomeName(changed[i]));
    if (changed[i] == queue::Changed::kDone ||
        changed[i] == queue::Changed::kAsked)
      objects.push_back(fmt::format("job/{}", ids[i]));
  }
  RecordChanges(transaction, actor, retries ? "retry" : "cancel", objects,
                request.reason());
  transaction.Commit();
}

void JobTally::Fill(v1::CountJobsResponse& response,
                    sql::Transaction& transaction) {
  const sql::MutexLock lock(mutex_);
  const auto begin = steady_clock::now();
  if (begin >= until_) {
    counts_ = queue::CountJobs(transaction);
    counted_at_ = std::chrono::floor<std::chrono::microseconds>(
        std::chrono::system_clock::now());
    const auto end = steady_clock::now();
    until_ = end + std::max<steady_clock::duration>(
                       kShortestCount, (end - begin) * kRestPerCount);
  }
  services::Fill(*response.mutable_counted_at(), counted_at_);
  for (const queue::JobCounts& one : counts_) {
    v1::JobCount& count = *response.add_counts();
    count.set_kind(one.kind);
    count.set_state(one.state);
    count.set_jobs(one.jobs);
    if (one.oldest_available)
      services::Fill(
          *count.mutable_oldest_available_at(),
          counted_at_ - std::chrono::duration_cast<std::chrono::microseconds>(
                            *one.oldest_available));
  }
}

}  // namespace fluxnetes::services
