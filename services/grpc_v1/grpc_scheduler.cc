#include "services/grpc_v1/grpc_scheduler.h"

#include <grpcpp/grpcpp.h>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "services/feed/group_watch.h"
#include "services/grpc_v1/scheduler_calls.h"

namespace fluxnetes::services {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;

}  // namespace

class GrpcScheduler::Calls
    : public v1::Scheduler::WithRawCallbackMethod_WatchGroups<
          v1::Scheduler::CallbackService> {
 public:
  Calls(const Config& config, sql::Pool& pool, GrpcCalls& calls,
        GroupFeed& feed, std::function<Health()> health)
      : scheduler_(config, pool, feed, std::move(health)),
        calls_(calls),
        feed_(feed) {}

  ServerUnaryReactor* GetCaller(CallbackServerContext* context,
                                const v1::GetCallerRequest* request,
                                v1::GetCallerResponse* response) override {
    return Answer<&SchedulerCalls::GetCaller>(*context, *request, *response);
  }
  ServerUnaryReactor* Submit(CallbackServerContext* context,
                             const v1::SubmitRequest* request,
                             v1::SubmitResponse* response) override {
    return Answer<&SchedulerCalls::Submit>(*context, *request, *response);
  }
  ServerUnaryReactor* ListGroups(CallbackServerContext* context,
                                 const v1::ListGroupsRequest* request,
                                 v1::ListGroupsResponse* response) override {
    return Answer<&SchedulerCalls::ListGroups>(*context, *request, *response);
  }
  ServerUnaryReactor* GetGroup(CallbackServerContext* context,
                               const v1::GetGroupRequest* request,
                               v1::GetGroupResponse* response) override {
    return Answer<&SchedulerCalls::GetGroup>(*context, *request, *response);
  }
  ServerUnaryReactor* ExplainGroup(
      CallbackServerContext* context, const v1::ExplainGroupRequest* request,
      v1::ExplainGroupResponse* response) override {
    return Answer<&SchedulerCalls::ExplainGroup>(*context, *request, *response);
  }
  ServerUnaryReactor* GetTimeline(CallbackServerContext* context,
                                  const v1::GetTimelineRequest* request,
                                  v1::GetTimelineResponse* response) override {
    return Answer<&SchedulerCalls::GetTimeline>(*context, *request, *response);
  }
  ServerUnaryReactor* GetTimelineChart(
      CallbackServerContext* context,
      const v1::GetTimelineChartRequest* request,
      v1::GetTimelineChartResponse* response) override {
    return Answer<&SchedulerCalls::GetTimelineChart>(*context, *request,
                                                     *response);
  }
  ServerUnaryReactor* CancelGroup(CallbackServerContext* context,
                                  const v1::CancelGroupRequest* request,
                                  v1::CancelGroupResponse* response) override {
    return Answer<&SchedulerCalls::CancelGroup>(*context, *request, *response);
  }
  ServerUnaryReactor* HoldGroup(CallbackServerContext* context,
                                const v1::HoldGroupRequest* request,
                                v1::HoldGroupResponse* response) override {
    return Answer<&SchedulerCalls::HoldGroup>(*context, *request, *response);
  }
  ServerUnaryReactor* ReleaseGroup(
      CallbackServerContext* context, const v1::ReleaseGroupRequest* request,
      v1::ReleaseGroupResponse* response) override {
    return Answer<&SchedulerCalls::ReleaseGroup>(*context, *request, *response);
  }
  ServerUnaryReactor* CountGroups(CallbackServerContext* context,
                                  const v1::CountGroupsRequest* request,
                                  v1::CountGroupsResponse* response) override {
    return Answer<&SchedulerCalls::CountGroups>(*context, *request, *response);
  }
  ServerUnaryReactor* SetPriority(CallbackServerContext* context,
                                  const v1::SetPriorityRequest* request,
                                  v1::SetPriorityResponse* response) override {
    return Answer<&SchedulerCalls::SetPriority>(*context, *request, *response);
  }
  ServerUnaryReactor* ChangeGroups(
      CallbackServerContext* context, const v1::ChangeGroupsRequest* request,
      v1::ChangeGroupsResponse* response) override {
    return Answer<&SchedulerCalls::ChangeGroups>(*context, *request, *response);
  }
  ServerUnaryReactor* ListHistory(CallbackServerContext* context,
                                  const v1::ListHistoryRequest* request,
                                  v1::ListHistoryResponse* response) override {
    return Answer<&SchedulerCalls::ListHistory>(*context, *request, *response);
  }
  ServerUnaryReactor* SummarizeHistory(
      CallbackServerContext* context,
      const v1::SummarizeHistoryRequest* request,
      v1::SummarizeHistoryResponse* response) override {
    return Answer<&SchedulerCalls::SummarizeHistory>(*context, *request,
                                                     *response);
  }
  ServerUnaryReactor* ListEstimateErrors(
      CallbackServerContext* context,
      const v1::ListEstimateErrorsRequest* request,
      v1::ListEstimateErrorsResponse* response) override {
    return Answer<&SchedulerCalls::ListEstimateErrors>(*context, *request,
                                                       *response);
  }
  ServerUnaryReactor* ListJobs(CallbackServerContext* context,
                               const v1::ListJobsRequest* request,
                               v1::ListJobsResponse* response) override {
    return Answer<&SchedulerCalls::ListJobs>(*context, *request, *response);
  }
  ServerUnaryReactor* CountJobs(CallbackServerContext* context,
                                const v1::CountJobsRequest* request,
                                v1::CountJobsResponse* response) override {
    return Answer<&SchedulerCalls::CountJobs>(*context, *request, *response);
  }
  ServerUnaryReactor* ChangeJobs(CallbackServerContext* context,
                                 const v1::ChangeJobsRequest* request,
                                 v1::ChangeJobsResponse* response) override {
    return Answer<&SchedulerCalls::ChangeJobs>(*context, *request, *response);
  }
  ServerUnaryReactor* ListAudit(CallbackServerContext* context,
                                const v1::ListAuditRequest* request,
                                v1::ListAuditResponse* response) override {
    return Answer<&SchedulerCalls::ListAudit>(*context, *request, *response);
  }
  ServerUnaryReactor* ListQueues(CallbackServerContext* context,
                                 const v1::ListQueuesRequest* request,
                                 v1::ListQueuesResponse* response) override {
    return Answer<&SchedulerCalls::ListQueues>(*context, *request, *response);
  }
  ServerUnaryReactor* SetQueue(CallbackServerContext* context,
                               const v1::SetQueueRequest* request,
                               v1::SetQueueResponse* response) override {
    return Answer<&SchedulerCalls::SetQueue>(*context, *request, *response);
  }
  ServerUnaryReactor* GetOverview(CallbackServerContext* context,
                                  const v1::GetOverviewRequest* request,
                                  v1::GetOverviewResponse* response) override {
    return Answer<&SchedulerCalls::GetOverview>(*context, *request, *response);
  }
  ServerUnaryReactor* GetSystem(CallbackServerContext* context,
                                const v1::GetSystemRequest* request,
                                v1::GetSystemResponse* response) override {
    return Answer<&SchedulerCalls::GetSystem>(*context, *request, *response);
  }
  ServerUnaryReactor* ListAccounts(
      CallbackServerContext* context, const v1::ListAccountsRequest* request,
      v1::ListAccountsResponse* response) override {
    return Answer<&SchedulerCalls::ListAccounts>(*context, *request, *response);
  }
  ServerUnaryReactor* SetAccount(CallbackServerContext* context,
                                 const v1::SetAccountRequest* request,
                                 v1::SetAccountResponse* response) override {
    return Answer<&SchedulerCalls::SetAccount>(*context, *request, *response);
  }
  ServerUnaryReactor* ListPools(CallbackServerContext* context,
                                const v1::ListPoolsRequest* request,
                                v1::ListPoolsResponse* response) override {
    return Answer<&SchedulerCalls::ListPools>(*context, *request, *response);
  }
  ServerUnaryReactor* SetPool(CallbackServerContext* context,
                              const v1::SetPoolRequest* request,
                              v1::SetPoolResponse* response) override {
    return Answer<&SchedulerCalls::SetPool>(*context, *request, *response);
  }
  ServerUnaryReactor* DeletePool(CallbackServerContext* context,
                                 const v1::DeletePoolRequest* request,
                                 v1::DeletePoolResponse* response) override {
    return Answer<&SchedulerCalls::DeletePool>(*context, *request, *response);
  }
  ServerUnaryReactor* ListNodes(CallbackServerContext* context,
                                const v1::ListNodesRequest* request,
                                v1::ListNodesResponse* response) override {
    return Answer<&SchedulerCalls::ListNodes>(*context, *request, *response);
  }
  ServerUnaryReactor* GetNode(CallbackServerContext* context,
                              const v1::GetNodeRequest* request,
                              v1::GetNodeResponse* response) override {
    return Answer<&SchedulerCalls::GetNode>(*context, *request, *response);
  }
  ServerUnaryReactor* GetNodeMap(CallbackServerContext* context,
                                 const v1::GetNodeMapRequest* request,
                                 v1::GetNodeMapResponse* response) override {
    return Answer<&SchedulerCalls::GetNodeMap>(*context, *request, *response);
  }
  ServerUnaryReactor* ListMaintenance(
      CallbackServerContext* context, const v1::ListMaintenanceRequest* request,
      v1::ListMaintenanceResponse* response) override {
    return Answer<&SchedulerCalls::ListMaintenance>(*context, *request,
                                                    *response);
  }
  ServerUnaryReactor* DrainNodes(CallbackServerContext* context,
                                 const v1::DrainNodesRequest* request,
                                 v1::DrainNodesResponse* response) override {
    return Answer<&SchedulerCalls::DrainNodes>(*context, *request, *response);
  }
  ServerUnaryReactor* UndrainNodes(
      CallbackServerContext* context, const v1::UndrainNodesRequest* request,
      v1::UndrainNodesResponse* response) override {
    return Answer<&SchedulerCalls::UndrainNodes>(*context, *request, *response);
  }
  ServerUnaryReactor* Simulate(CallbackServerContext* context,
                               const v1::SimulateRequest* request,
                               v1::SimulateResponse* response) override {
    return Answer<&SchedulerCalls::Simulate>(*context, *request, *response);
  }
  ServerUnaryReactor* Match(CallbackServerContext* context,
                            const v1::MatchRequest* request,
                            v1::MatchResponse* response) override {
    return Answer<&SchedulerCalls::Match>(*context, *request, *response);
  }

  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchGroups(
      CallbackServerContext* context,
      const grpc::ByteBuffer* request) override {
    return StartGroupWatch(feed_, *context, *request);
  }

 private:
  template <auto kCall, typename Request, typename Response>
  ServerUnaryReactor* Answer(CallbackServerContext& context,
                             const Request& request, Response& response) {
    return calls_.Answer(context, [&, this](const Principal& caller) {
      (scheduler_.*kCall)(
          {.caller = caller,
           .via = "grpc",
           .deadline = context.deadline(),
           .is_cancelled = [&context] { return context.IsCancelled(); }},
          request, response);
    });
  }

  SchedulerCalls scheduler_;
  GrpcCalls& calls_;
  GroupFeed& feed_;
};

std::vector<std::span<const sql::Query>> GrpcScheduler::Catalogues() {
  return SchedulerCalls::Catalogues();
}

GrpcScheduler::GrpcScheduler(const Config& config, sql::Pool& pool,
                             GrpcCalls& calls, GroupFeed& feed,
                             std::function<Health()> health)
    : service_(std::make_unique<Calls>(config, pool, calls, feed,
                                       std::move(health))) {}
GrpcScheduler::~GrpcScheduler() = default;
grpc::Service& GrpcScheduler::service() { return *service_; }

}  // namespace fluxnetes::services
