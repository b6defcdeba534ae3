// The calls on jobs, history and audit, through gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ListsTest : public GrpcScheduling<CommandDatabase> {
 protected:
  // Ended groups 1 to n: each waited its number of minutes, and ran twice that.
  void AddEnded(int groups) {
    database_.Execute(
        "INSERT INTO group_history (group_id, namespace, group_name,"
        " group_size, queue, priority, result, submitted_at, bound_at,"
        " ended_at, recorded_at) SELECT i, 'a', 'Ended-' || i, i, 'default', 0,"
        " CASE WHEN i % 2 = 0 THEN 'failed' ELSE 'succeeded' END,"
        " now() - interval '1 minute' * 4 * i,"
        " now() - interval '1 minute' * 3 * i,"
        " now() - interval '1 minute' * i,"
        " now() - interval '1 second' * i FROM generate_series(1, " +
        std::to_string(groups) + ") AS i");
  }

  std::vector<std::int64_t> History(v1::ListHistoryRequest request,
                                    int page_size = 2) {
    std::vector<std::int64_t> ids;
    request.set_page_size(page_size);
    do {
      v1::ListHistoryResponse response;
      const auto status =
          Call(&v1::Scheduler::Stub::ListHistory, request, &response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      EXPECT_LE(response.groups_size(), page_size);
      for (const v1::Group& group : response.groups())
        ids.push_back(group.id());
      request.set_page_token(response.next_page_token());
    } while (!request.page_token().empty());
    return ids;
  }
};

TEST_F(ListsTest, HistoryHasPagesInEachOrder) {
  AddEnded(5);
  Serve();
  v1::ListHistoryRequest request;
  EXPECT_THAT(History(request), ElementsAre(1, 2, 3, 4, 5));
  request.set_order(v1::HISTORY_ORDER_WAITED);
  EXPECT_THAT(History(request), ElementsAre(5, 4, 3, 2, 1));
  request.set_order(v1::HISTORY_ORDER_RAN);
  EXPECT_THAT(History(request, 1), ElementsAre(5, 4, 3, 2, 1));
}

TEST_F(ListsTest, HistoryIsSearchedAndFiltered) {
  AddEnded(5);
  Serve();
  v1::ListHistoryRequest request;
  request.set_search("a/ENDED-3");
  EXPECT_THAT(History(request), ElementsAre(3));
  request.clear_search();
  request.add_results("failed");
  EXPECT_THAT(History(request), ElementsAre(2, 4));
  request.set_results(0, "lost");
  v1::ListHistoryResponse response;
  const auto status =
      Call(&v1::Scheduler::Stub::ListHistory, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(WrongFieldIn(status), "results");
  request.clear_results();
  request.set_page_token("x/y");
  EXPECT_EQ(
      WrongFieldIn(Call(&v1::Scheduler::Stub::ListHistory, request, &response)),
      "page_token");
}

TEST_F(ListsTest, HistoryIsSummedUp) {
  AddEnded(5);
  Serve();
  v1::SummarizeHistoryResponse summary;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::SummarizeHistory,
                   v1::SummarizeHistoryRequest(), &summary)
                  .ok());
  ASSERT_EQ(summary.results_size(), 2);
  EXPECT_EQ(summary.results(0).result(), "failed");
  EXPECT_EQ(summary.results(0).groups(), 2);
  EXPECT_EQ(summary.results(0).pods(), 6);
  EXPECT_NEAR(summary.waited().p50(), 180, 1);
  EXPECT_NEAR(summary.ran().max(), 600, 1);
  EXPECT_EQ(summary.spans_size(), 0) << "nobody asked for them";
}

TEST_F(ListsTest, HistoryIsDividedIntoSpans) {
  AddEnded(5);
  database_.Execute(
      "UPDATE group_history SET recorded_at = now() - interval '250 s' "
      "WHERE result = 'failed'; "
      "UPDATE group_history SET allocated_at = bound_at, "
      "last_estimate = bound_at - interval '9 s'");
  Serve();
  v1::SummarizeHistoryRequest request;
  request.set_within_seconds(400);
  request.set_spans(4);
  v1::SummarizeHistoryResponse summary;
  ASSERT_TRUE(
      Call(&v1::Scheduler::Stub::SummarizeHistory, request, &summary).ok());
  EXPECT_EQ(summary.span_seconds(), 100);
  ASSERT_EQ(summary.spans_size(), 4);
  EXPECT_EQ(summary.spans(0).groups(), 0);
  EXPECT_FALSE(summary.spans(0).has_waited());
  EXPECT_EQ(summary.spans(1).groups(), 2);
  EXPECT_EQ(summary.spans(1).failed(), 2);
  EXPECT_EQ(summary.spans(3).groups(), 3);
  EXPECT_EQ(summary.spans(3).failed(), 0);
  EXPECT_GT(summary.spans(3).waited().p50(), 0);
  EXPECT_EQ(summary.spans(3).estimates_off().p95(), 9);
  EXPECT_EQ(summary.spans(3).begins_at().seconds() -
                summary.spans(1).begins_at().seconds(),
            200);
  request.set_spans(1'000);
  const grpc::Status refused =
      Call(&v1::Scheduler::Stub::SummarizeHistory, request, &summary);
  EXPECT_EQ(refused.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
}

TEST_F(ListsTest, JobsAreListedNewestFirstAndCounted) {
  database_.Execute(
      "INSERT INTO jobs (kind, queue, args) SELECT 'match', 'match:default',"
      " jsonb_build_object('group', i) FROM generate_series(1, 3) AS i");
  database_.Execute(
      "UPDATE jobs SET errors = '[{\"attempt\": 1, \"at\":"
      " \"2026-01-02T03:04:05Z\", \"message\": \"<script>\"}]' WHERE id = 2");
  Serve();
  v1::ListJobsRequest request;
  request.set_page_size(2);
  v1::ListJobsResponse first, second;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListJobs, request, &first).ok());
  ASSERT_EQ(first.jobs_size(), 2);
  EXPECT_EQ(first.jobs(0).id(), 3);
  EXPECT_EQ(first.jobs(1).errors(0).message(), "<script>");
  EXPECT_EQ(first.jobs(1).errors(0).at().seconds(), 1767323045);
  request.set_page_token(first.next_page_token());
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListJobs, request, &second).ok());
  ASSERT_EQ(second.jobs_size(), 1);
  EXPECT_EQ(second.next_page_token(), "");
  v1::CountJobsResponse counts;
  ASSERT_TRUE(
      Call(&v1::Scheduler::Stub::CountJobs, v1::CountJobsRequest(), &counts)
          .ok());
  ASSERT_EQ(counts.counts_size(), 1);
  EXPECT_EQ(counts.counts(0).jobs(), 3);
  EXPECT_EQ(counts.counts(0).state(), "available");
  EXPECT_TRUE(counts.counts(0).has_oldest_available_at());
}

TEST_F(ListsTest, JobsAreRetriedAndCancelledOnRecord) {
  database_.Execute(
      "INSERT INTO jobs (kind, queue, state, scheduled_at) VALUES"
      " ('match', 'match:default', 'scheduled', now() + interval '1 hour'),"
      " ('match', 'match:default', 'available', now())");
  Serve();
  v1::ChangeJobsRequest request;
  request.set_action(v1::JOB_ACTION_RETRY);
  request.add_ids(1);
  request.add_ids(99);
  request.set_reason("it is ready");
  v1::ChangeJobsResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ChangeJobs, request, &response).ok());
  EXPECT_EQ(response.jobs(0).outcome(), "done");
  EXPECT_EQ(response.jobs(1).outcome(), "unknown");
  EXPECT_EQ(database_.Ask("SELECT state FROM jobs WHERE id = 1"), "available");
  request.set_action(v1::JOB_ACTION_CANCEL);
  request.clear_ids();
  request.add_ids(2);
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ChangeJobs, request, &response).ok());
  EXPECT_EQ(database_.Ask("SELECT count(*) FROM jobs"), "1");
  EXPECT_THAT(Audit(), HasSubstr("retry job/1 it is ready"));
  EXPECT_THAT(Audit(), HasSubstr("cancel job/2 it is ready"));
  request.clear_ids();
  EXPECT_EQ(
      WrongFieldIn(Call(&v1::Scheduler::Stub::ChangeJobs, request, &response)),
      "ids");
}

TEST_F(ListsTest, AuditIsListedNewestFirst) {
  database_.Execute(
      "INSERT INTO audit (caller, role, via, verb, object, detail) SELECT"
      " 'anna', 'operator', 'cli', 'hold', 'group/a/g' || i, 'Disk ' || i"
      " FROM generate_series(1, 3) AS i");
  Serve();
  v1::ListAuditRequest request;
  request.set_page_size(2);
  v1::ListAuditResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListAudit, request, &response).ok());
  ASSERT_EQ(response.rows_size(), 2);
  EXPECT_EQ(response.rows(0).object(), "group/a/g3");
  EXPECT_NE(response.next_page_token(), "");
  request.set_search("disk 1");
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListAudit, request, &response).ok());
  ASSERT_EQ(response.rows_size(), 1);
  EXPECT_EQ(response.rows(0).detail(), "Disk 1");
  request.set_object("group/a/g2");
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListAudit, request, &response).ok());
  EXPECT_EQ(response.rows_size(), 0);
}

}  // namespace
}  // namespace fluxnetes::services
