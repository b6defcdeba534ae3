#include "services/operation/overview.h"

#include <google/protobuf/util/time_util.h>

#include <string>
#include <vector>

#include "services/operation/operation_queries.h"

namespace fluxnetes::services {
namespace {

using google::protobuf::util::TimeUtil;
using std::chrono::steady_clock;

constexpr std::chrono::seconds kCountedFor{2};
constexpr std::chrono::hours kRecent{1};
constexpr std::int64_t kOldest = 5;
constexpr std::int64_t kNextStarts = 10;

google::protobuf::Timestamp StampOf(sql::Timestamp time) {
  return TimeUtil::MicrosecondsToTimestamp(time.time_since_epoch().count());
}

void FillGroupTime(v1::GroupTime& message, const sql::Row& row) {
  message.set_id(row.Get<std::int64_t>("group_id"));
  message.set_namespace_(row.Get<std::string>("namespace"));
  message.set_name(row.Get<std::string>("group_name"));
  message.set_queue(row.Get<std::string>("queue"));
  message.set_size(row.Get<std::int32_t>("group_size"));
  *message.mutable_at() = StampOf(row.Get<sql::Timestamp>("at"));
  message.set_note(row.Find<std::string>("note").value_or(""));
}

void FillCounts(v1::GetOverviewResponse& response, const sql::Row& row) {
  response.set_provisional(row.Get<std::int64_t>("provisional"));
  response.set_pending(row.Get<std::int64_t>("pending"));
  response.set_unsatisfiable(row.Get<std::int64_t>("unsatisfiable"));
  response.set_allocated(row.Get<std::int64_t>("allocated"));
  response.set_bound(row.Get<std::int64_t>("bound"));
  response.set_succeeded(row.Get<std::int64_t>("succeeded"));
  response.set_failed(row.Get<std::int64_t>("failed"));
  response.set_nodes(row.Get<std::int64_t>("nodes"));
  response.set_closed_nodes(row.Get<std::int64_t>("closed_nodes"));
  for (std::string& queue : row.Get<std::vector<std::string>>("paused_queues"))
    response.add_paused_queues(std::move(queue));
  response.set_failing_jobs(row.Get<std::int64_t>("failing_jobs"));
}

}  // namespace

v1::GetOverviewResponse Overview::Read(sql::Transaction& transaction,
                                       sql::Timestamp now) {
  const sql::MutexLock lock(mutex_);
  if (last_ && steady_clock::now() - read_at_ < kCountedFor) return *last_;
  v1::GetOverviewResponse response;
  *response.mutable_counted_at() = StampOf(now);
  FillCounts(response,
             transaction.Run(queries::kCountOverview, now - kRecent)[0]);
  for (const sql::Row row :
       transaction.Run(queries::kListLongestWaiting, kOldest))
    FillGroupTime(*response.add_oldest(), row);
  for (const sql::Row row :
       transaction.Run(queries::kListNextStarts, kNextStarts))
    FillGroupTime(*response.add_next_starts(), row);
  last_ = response;
  read_at_ = steady_clock::now();
  return response;
}

}  // namespace fluxnetes::services
