// The unary calls of fluxnetes.v1.Scheduler, as described in
// services/proto/fluxnetes/v1/scheduler.proto, for every server that offers
// them (gRPC, the pages in the browser). They use the database and, for Submit,
// the configured cluster.
//
// Each blocks until it has its answer, so servers call them on threads of their
// own. Throws GrpcRefusal, Failure and sql::Error, which StatusOf() makes a
// status. Thread-safe.
// Tests: tests/services/grpc_v1/grpc_scheduler_pgtest.cc.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fluxnetes/v1/scheduler.pb.h"
#include "services/config/config.h"
#include "services/database/principal.h"
#include "services/feed/group_feed.h"
#include "services/grpc_v1/remote_submission.h"
#include "services/lists/job_calls.h"
#include "services/monitoring/health.h"
#include "services/operation/overview.h"
#include "sql/connection/pool.h"
#include "sql/connection/transaction.h"

namespace fluxnetes::services {

// Who calls, and how long the answer may take.
struct Call {
  Principal caller;
  std::string via;  // as in Actor: "grpc", "web"
  std::chrono::system_clock::time_point deadline =
      std::chrono::system_clock::time_point::max();
  // Whether nobody waits for the answer any more.
  std::function<bool()> is_cancelled = [] { return false; };
};

class SchedulerCalls {
 public:
  // The queries that the pool must have prepared.
  static std::vector<std::span<const sql::Query>> Catalogues();

  // All must outlive it. `health` looks at this process, for GetSystem.
  SchedulerCalls(const Config& config, sql::Pool& pool, GroupFeed& feed,
                 std::function<Health()> health = {});

  void GetCaller(const Call& call, const v1::GetCallerRequest& request,
                 v1::GetCallerResponse& response);
  void Submit(const Call& call, const v1::SubmitRequest& request,
              v1::SubmitResponse& response);
  void ListGroups(const Call& call, const v1::ListGroupsRequest& request,
                  v1::ListGroupsResponse& response);
  void GetGroup(const Call& call, const v1::GetGroupRequest& request,
                v1::GetGroupResponse& response);
  void ExplainGroup(const Call& call, const v1::ExplainGroupRequest& request,
                    v1::ExplainGroupResponse& response);
  void GetTimeline(const Call& call, const v1::GetTimelineRequest& request,
                   v1::GetTimelineResponse& response);
  void GetTimelineChart(const Call& call,
                        const v1::GetTimelineChartRequest& request,
                        v1::GetTimelineChartResponse& response);
  void CancelGroup(const Call& call, const v1::CancelGroupRequest& request,
                   v1::CancelGroupResponse& response);
  void HoldGroup(const Call& call, const v1::HoldGroupRequest& request,
                 v1::HoldGroupResponse& response);
  void ReleaseGroup(const Call& call, const v1::ReleaseGroupRequest& request,
                    v1::ReleaseGroupResponse& response);
  void CountGroups(const Call& call, const v1::CountGroupsRequest& request,
                   v1::CountGroupsResponse& response);
  void SetPriority(const Call& call, const v1::SetPriorityRequest& request,
                   v1::SetPriorityResponse& response);
  void ChangeGroups(const Call& call, const v1::ChangeGroupsRequest& request,
                    v1::ChangeGroupsResponse& response);
  void ListHistory(const Call& call, const v1::ListHistoryRequest& request,
                   v1::ListHistoryResponse& response);
  void SummarizeHistory(const Call& call,
                        const v1::SummarizeHistoryRequest& request,
                        v1::SummarizeHistoryResponse& response);
  void ListEstimateErrors(const Call& call,
                          const v1::ListEstimateErrorsRequest& request,
                          v1::ListEstimateErrorsResponse& response);
  void ListJobs(const Call& call, const v1::ListJobsRequest& request,
                v1::ListJobsResponse& response);
  void CountJobs(const Call& call, const v1::CountJobsRequest& request,
                 v1::CountJobsResponse& response);
  void ChangeJobs(const Call& call, const v1::ChangeJobsRequest& request,
                  v1::ChangeJobsResponse& response);
  void ListAudit(const Call& call, const v1::ListAuditRequest& request,
                 v1::ListAuditResponse& response);
  void ListQueues(const Call& call, const v1::ListQueuesRequest& request,
                  v1::ListQueuesResponse& response);
  void SetQueue(const Call& call, const v1::SetQueueRequest& request,
                v1::SetQueueResponse& response);
  void ListAccounts(const Call& call, const v1::ListAccountsRequest& request,
                    v1::ListAccountsResponse& response);
  void SetAccount(const Call& call, const v1::SetAccountRequest& request,
                  v1::SetAccountResponse& response);
  void GetOverview(const Call& call, const v1::GetOverviewRequest& request,
                   v1::GetOverviewResponse& response);
  void GetSystem(const Call& call, const v1::GetSystemRequest& request,
                 v1::GetSystemResponse& response);
  void ListPools(const Call& call, const v1::ListPoolsRequest& request,
                 v1::ListPoolsResponse& response);
  void SetPool(const Call& call, const v1::SetPoolRequest& request,
               v1::SetPoolResponse& response);
  void DeletePool(const Call& call, const v1::DeletePoolRequest& request,
                  v1::DeletePoolResponse& response);
  void ListNodes(const Call& call, const v1::ListNodesRequest& request,
                 v1::ListNodesResponse& response);
  void GetNode(const Call& call, const v1::GetNodeRequest& request,
               v1::GetNodeResponse& response);
  void GetNodeMap(const Call& call, const v1::GetNodeMapRequest& request,
                  v1::GetNodeMapResponse& response);
  void ListMaintenance(const Call& call,
                       const v1::ListMaintenanceRequest& request,
                       v1::ListMaintenanceResponse& response);
  void DrainNodes(const Call& call, const v1::DrainNodesRequest& request,
                  v1::DrainNodesResponse& response);
  void UndrainNodes(const Call& call, const v1::UndrainNodesRequest& request,
                    v1::UndrainNodesResponse& response);
  void Simulate(const Call& call, const v1::SimulateRequest& request,
                v1::SimulateResponse& response);
  void Match(const Call& call, const v1::MatchRequest& request,
             v1::MatchResponse& response);

 private:
  // Returns a transaction whose statements are limited to the caller's
  // deadline.
  std::unique_ptr<sql::Transaction> Reading(const Call& call);

  // Throws GrpcRefusal if the groups are not read yet.
  GroupIndex& Index(const Call& call);

  const Config& config_;
  sql::Pool& pool_;
  GroupFeed& feed_;
  JobTally job_tally_;
  const std::function<Health()> health_;
  RemoteSubmission submission_;
  Overview overview_;
  std::atomic<bool> checking_ = false;
  std::atomic<bool> simulating_ = false;
};

}  // namespace fluxnetes::services
