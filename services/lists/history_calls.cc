#include "services/lists/history_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fluxnetes/v1/history.pb.h"
#include "services/database/ended_groups_queries.h"
#include "services/feed/group_messages.h"
#include "services/feed/group_requests.h"
#include "services/grpc/grpc_calls.h"
#include "services/lists/list_requests.h"
#include "services/records/group_row.h"
#include "services/records/records_queries.h"

namespace fluxnetes::services {
namespace {

constexpr std::int64_t kDay = 86'400;
constexpr int kMostSpans = 200;
constexpr const char* kResultNames[] = {"succeeded", "failed", "timed out",
                                        "preempted", "cancelled"};

std::optional<std::vector<std::string>> ResultsIn(
    const v1::ListHistoryRequest& request) {
  if (request.results().empty()) return std::nullopt;
  for (const std::string& result : request.results())
    if (std::ranges::find(kResultNames, result) == std::end(kResultNames))
      throw GrpcRefusal(GrpcCode::kInvalidArgument,
                        fmt::format("results has \"{}\"; right would be one of "
                                    "{}",
                                    result, fmt::join(kResultNames, ", ")),
                        "results");
  return std::vector<std::string>(request.results().begin(),
                                  request.results().end());
}

const sql::Query& QueryOf(v1::HistoryOrder order) {
  if (order == v1::HISTORY_ORDER_WAITED) return queries::kEndedByWait;
  if (order == v1::HISTORY_ORDER_RAN) return queries::kEndedByRun;
  if (!v1::HistoryOrder_IsValid(order))
    throw GrpcRefusal(GrpcCode::kInvalidArgument, "order is no order", "order");
  return queries::kEndedByTime;
}

void FillQuantiles(v1::Quantiles& message, const sql::Row& row,
                   const std::string& what) {
  message.set_p50(row.Get<double>(what + "_p50"));
  message.set_p95(row.Get<double>(what + "_p95"));
  message.set_max(row.Get<double>(what + "_max"));
}

}  // namespace

void ListHistoryFor(const v1::ListHistoryRequest& request,
                    v1::ListHistoryResponse& response,
                    sql::Transaction& transaction, sql::Timestamp now) {
  const int size = PageSize(request.page_size());
  const auto place = PairToken(request.page_token());
  std::string last;
  for (const sql::Row row : transaction.Run(
           QueryOf(request.order()),
           SinceOf(request.within_seconds(), kDay, now, "within_seconds"),
           TextIfAny(request.namespace_()), TextIfAny(request.queue()),
           ResultsIn(request), SearchIfAny(request.search()),
           place ? std::optional(place->first) : std::nullopt,
           place ? std::optional(place->second) : std::nullopt,
           std::int64_t{size} + 1)) {
    if (response.groups_size() == size) {
      response.set_next_page_token(last);
      break;
    }
    const GroupRow group = ReadFinishedRow(row);
    Fill(*response.add_groups(), group);
    last = fmt::format("{}/{}", row.Get<std::int64_t>("place"), group.id);
  }
}

void SummarizeHistoryFor(const v1::SummarizeHistoryRequest& request,
                         v1::SummarizeHistoryResponse& response,
                         sql::Transaction& transaction, sql::Timestamp now) {
  const auto since =
      SinceOf(request.within_seconds(), kDay, now, "within_seconds");
  const auto namespace_name = TextIfAny(request.namespace_());
  const auto queue = TextIfAny(request.queue());
  const auto search = SearchIfAny(request.search());
  const std::optional<std::string> any_result;
  for (const sql::Row row :
       transaction.Run(queries::kCountEnded, since, namespace_name, queue,
                       any_result, search)) {
    v1::ResultCount& count = *response.add_results();
    count.set_result(row.Get<std::string>("result"));
    count.set_groups(row.Get<std::int64_t>("groups"));
    count.set_pods(row.Get<std::int64_t>("pods"));
  }
  const sql::Result times = transaction.Run(
      queries::kMeasureEnded, since, namespace_name, queue, any_result, search);
  if (times[0].Get<std::int64_t>("groups") != 0) {
    FillQuantiles(*response.mutable_waited(), times[0], "wait");
    FillQuantiles(*response.mutable_ran(), times[0], "run");
  }
  if (request.spans() == 0) return;
  if (request.spans() < 0 || request.spans() > kMostSpans)
    throw GrpcRefusal(GrpcCode::kInvalidArgument,
                      fmt::format("spans is {}; right would be 0 to {}",
                                  request.spans(), kMostSpans),
                      "spans");
  const auto width =
      std::chrono::ceil<std::chrono::seconds>((now - since) / request.spans());
  response.set_span_seconds(width.count());
  for (int i = 0; i < request.spans(); ++i)
    Fill(*response.add_spans()->mutable_begins_at(), since + i * width);
  for (const sql::Row row :
       transaction.Run(queries::kMeasureEndedBySpan, since, namespace_name,
                       queue, any_result, search, width.count())) {
    // What has ended since `now` is of the last one.
    v1::HistorySpan& span =
        *response.mutable_spans(static_cast<int>(std::clamp<std::int64_t>(
            row.Get<std::int64_t>("span"), 0, request.spans() - 1)));
    span.set_groups(span.groups() + row.Get<std::int64_t>("groups"));
    span.set_failed(span.failed() + row.Get<std::int64_t>("failed"));
    if (row.Find<double>("wait_p50"))
      FillQuantiles(*span.mutable_waited(), row, "wait");
    if (row.Find<double>("off_p50"))
      FillQuantiles(*span.mutable_estimates_off(), row, "off");
  }
}

void ListEstimateErrorsFor(v1::ListEstimateErrorsResponse& response,
                           sql::Transaction& transaction) {
  for (const sql::Row row : transaction.Run(queries::kListEstimateErrors)) {
    v1::EstimateError& error = *response.add_errors();
    error.set_queue(row.Get<std::string>("queue"));
    error.set_estimate(row.Get<std::string>("estimate"));
    error.set_horizon_seconds(row.Get<std::int64_t>("horizon"));
    error.set_groups(row.Get<std::int64_t>("groups"));
    error.set_mean(row.Get<double>("mean"));
    error.set_p50(row.Get<double>("p50"));
    error.set_p95(row.Get<double>("p95"));
    error.set_bias(row.Get<double>("bias"));
  }
}

}  // namespace fluxnetes::services
