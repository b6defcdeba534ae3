#include "services/grpc_v1/scheduler_calls.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <utility>

#include "queue/catalogue.h"
#include "queue/store/work_queue.h"
#include "services/database/audit_queries.h"
#include "services/database/ended_groups_queries.h"
#include "services/editing/editing_queries.h"
#include "services/editing/queue_command.h"
#include "services/explain/explain_queries.h"
#include "services/explain/timeline_queries.h"
#include "services/feed/group_feed_queries.h"
#include "services/feed/group_messages.h"
#include "services/feed/group_requests.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc_cluster/node_map.h"
#include "services/grpc_cluster/node_messages.h"
#include "services/grpc_cluster/timeline_columns.h"
#include "services/grpc_holds/pool_calls.h"
#include "services/grpc_holds/resource_set_messages.h"
#include "services/grpc_v1/explanation_messages.h"
#include "services/grpc_v1/remote_match.h"
#include "services/grpc_v1/remote_simulation.h"
#include "services/grpc_v1/timeline_messages.h"
#include "services/listing/listing_queries.h"
#include "services/lists/audit_calls.h"
#include "services/lists/group_calls.h"
#include "services/lists/history_calls.h"
#include "services/lists/lists_queries.h"
#include "services/manual/version.h"
#include "services/operation/account_messages.h"
#include "services/operation/operation_queries.h"
#include "services/operation/system_report.h"
#include "services/records/group_changes.h"
#include "services/records/group_detail.h"
#include "services/records/group_pages.h"
#include "services/records/group_pages_queries.h"
#include "services/records/line_queries.h"
#include "services/records/records_queries.h"
#include "services/simulate/simulation_queries.h"
#include "workers/catalogue.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestStatement{60'000};
constexpr milliseconds kLongestSearch{2'000};
constexpr const char* kSimulation = "simulation";
// A page ends with the group that exceeds this size: clients accept 4 MiB by
// default.
constexpr std::size_t kLargestAnswer = std::size_t{2} << 20U;

sql::Timestamp CallTime() {
  return std::chrono::floor<std::chrono::microseconds>(
      std::chrono::system_clock::now());
}

std::optional<std::string> IfAny(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

Actor ActorOf(const Call& call) {
  return {.name = call.caller.name, .role = call.caller.role, .via = call.via};
}

void RequireNamespace(const Principal& caller, const std::string& name) {
  Require(caller.MayChange(name),
          fmt::format("{} is a {} and may change nothing in the namespace {}",
                      caller.name, NameOf(caller.role), name));
}

GrpcRefusal NoGroup(const GroupName& name) {
  return {GrpcCode::kNotFound,
          fmt::format("no unfinished group named \"{}\"", name.Text())};
}

// A change of `paused` alone is a pause or a resumption.
QueueOptions QueueOptionsOf(const v1::SetQueueRequest& request) {
  QueueOptions options;
  options.verb = QueueOptions::Verb::kSet;
  options.name = request.name();
  if (request.settings_size() == 1 && request.settings().contains("paused")) {
    const std::string& paused = request.settings().at("paused");
    if (paused == "true" || paused == "false") {
      options.verb = paused == "true" ? QueueOptions::Verb::kPause
                                      : QueueOptions::Verb::kResume;
      return options;
    }
  }
  for (const auto& [key, value] : request.settings())
    options.settings.push_back(key + "=" + value);
  return options;
}

// Returns the rows of a page and one more, if there is one.
std::vector<GroupRow> RowsFrom(sql::Transaction& transaction,
                               const GroupPageFilter& filter,
                               const GroupPlace& place, std::int64_t size) {
  std::vector<GroupRow> rows;
  if (place.refused && WantsRefused(filter))
    rows = ReadRefusedPage(transaction, filter, place.namespace_name,
                           place.name, size + 1);
  const auto left = size + 1 - std::ssize(rows);
  if (left > 0)
    for (GroupRow& row : ReadGroupPage(transaction, filter, place.id, left))
      rows.push_back(std::move(row));
  return rows;
}

// One simulation, or checkup, runs at a time. This is it, as long as it lives;
// a second one is refused.
class OnlyOne {
 public:
  OnlyOne(std::atomic<bool>& under_way, const char* what)
      : under_way_(under_way) {
    if (under_way_.exchange(true))
      throw GrpcRefusal(
          GrpcCode::kResourceExhausted,
          fmt::format("another {} is under way; try again later", what));
  }
  ~OnlyOne() { under_way_ = false; }
  OnlyOne(const OnlyOne&) = delete;
  OnlyOne& operator=(const OnlyOne&) = delete;

 private:
  std::atomic<bool>& under_way_;
};

}  // namespace

SchedulerCalls::SchedulerCalls(const Config& config, sql::Pool& pool,
                               GroupFeed& feed, std::function<Health()> health)
    : config_(config),
      pool_(pool),
      feed_(feed),
      health_(std::move(health)),
      submission_(config, pool) {}

void SchedulerCalls::GetCaller(const Call& call,
                               const v1::GetCallerRequest& /*request*/,
                               v1::GetCallerResponse& response) {
  response.set_name(call.caller.name);
  response.set_role(call.caller.role == Role::kOperator ? v1::ROLE_OPERATOR
                    : call.caller.role == Role::kUser   ? v1::ROLE_USER
                                                        : v1::ROLE_VIEWER);
  for (const std::string& name : call.caller.namespaces)
    response.add_namespaces(name);
  response.set_server_version(std::string(Version()));
}

void SchedulerCalls::Submit(const Call& call, const v1::SubmitRequest& request,
                            v1::SubmitResponse& response) {
  submission_.Submit(request, response, ActorOf(call), call.caller);
}

void SchedulerCalls::ListGroups(const Call& call,
                                const v1::ListGroupsRequest& request,
                                v1::ListGroupsResponse& response) {
  if (IsFromMemory(request)) {
    GroupIndex& index = Index(call);
    ListGroupsFromMemory(request, response, index, *Reading(call));
    return;
  }
  const GroupPageFilter filter = FilterIn(request, CallTime());
  const int size = PageSize(request.page_size());
  const GroupPlace place = GroupPlace::Of(request.page_token());
  const auto transaction = Reading(call);
  std::vector<GroupRow> rows = RowsFrom(*transaction, filter, place, size);
  std::size_t bytes = 0;
  for (const GroupRow& row : rows) {
    if (response.groups_size() == size || bytes > kLargestAnswer) {
      const auto last = static_cast<std::size_t>(response.groups_size());
      response.set_next_page_token(GroupPlace::Behind(rows[last - 1]).Token());
      break;
    }
    v1::Group& group = *response.add_groups();
    Fill(group, row);
    bytes += group.ByteSizeLong();
  }
}

void SchedulerCalls::GetGroup(const Call& call,
                              const v1::GetGroupRequest& request,
                              v1::GetGroupResponse& response) {
  const GroupName name = NameIn(request);
  const auto transaction = Reading(call);
  const auto detail =
      ReadGroup(*transaction, name.namespace_name, name.name,
                request.id() == 0 ? std::nullopt : std::optional(request.id()));
  if (!detail)
    throw GrpcRefusal(GrpcCode::kNotFound,
                      fmt::format("no group named \"{}\"", name.Text()));
  Fill(*response.mutable_group(), detail->group);
  for (const MemberRow& member : detail->members)
    Fill(*response.add_members(), member);
  for (const Generation& generation : detail->earlier)
    Fill(*response.add_earlier(), generation);
  for (const sql::Row row :
       transaction->Run(queries::kReadReport, detail->group.id,
                        name.namespace_name, name.name)) {
    v1::WaitReport& told = *response.mutable_told();
    Fill(*told.mutable_at(), row.Get<sql::Timestamp>("told_at"));
    told.set_kind(row.Get<std::string>("told"));
  }
  if (request.resource_sets())
    FillResourceSets(response, detail->group.id, *transaction);
}

void SchedulerCalls::ExplainGroup(const Call& /*call*/,
                                  const v1::ExplainGroupRequest& request,
                                  v1::ExplainGroupResponse& response) {
  const GroupName name = NameIn(request);
  std::optional<OnlyOne> alone;
  std::optional<milliseconds> most;
  if (request.find_changes()) {
    alone.emplace(simulating_, kSimulation);
    most = kLongestSearch;
  }
  const sql::Timestamp now = CallTime();
  Fill(response, services::ExplainGroup(pool_, name, now, most), now);
}

void SchedulerCalls::GetTimeline(const Call& call,
                                 const v1::GetTimelineRequest& request,
                                 v1::GetTimelineResponse& response) {
  const auto transaction = Reading(call);
  FillTimeline(response, request, *transaction, CallTime());
}

void SchedulerCalls::GetTimelineChart(
    const Call& call, const v1::GetTimelineChartRequest& request,
    v1::GetTimelineChartResponse& response) {
  const auto transaction = Reading(call);
  FillTimelineChart(response, request, *transaction, CallTime());
}

void SchedulerCalls::CancelGroup(const Call& call,
                                 const v1::CancelGroupRequest& request,
                                 v1::CancelGroupResponse& response) {
  const GroupName name = NameIn(request);
  RequireNamespace(call.caller, name.namespace_name);
  const std::string reason = request.reason().empty()
                                 ? "cancelled by " + call.caller.name
                                 : request.reason();
  const int groups =
      services::CancelGroup(pool_, ActorOf(call), name, reason, CallTime());
  if (groups == 0 && !IsUnfinished(pool_, name)) throw NoGroup(name);
  response.set_groups(groups);
}

void SchedulerCalls::HoldGroup(const Call& call,
                               const v1::HoldGroupRequest& request,
                               v1::HoldGroupResponse& /*response*/) {
  const GroupName name = NameIn(request);
  RequireNamespace(call.caller, name.namespace_name);
  const auto outcome = services::HoldGroup(pool_, ActorOf(call), name,
                                           request.reason(), CallTime());
  if (outcome == workers::HoldOutcome::kUnknown) throw NoGroup(name);
  if (outcome == workers::HoldOutcome::kStarted)
    throw GrpcRefusal(GrpcCode::kFailedPrecondition,
                      fmt::format("group \"{}\" runs already, or has its "
                                  "nodes; CancelGroup ends it",
                                  name.Text()));
}

void SchedulerCalls::ReleaseGroup(const Call& call,
                                  const v1::ReleaseGroupRequest& request,
                                  v1::ReleaseGroupResponse& response) {
  const GroupName name = NameIn(request);
  RequireNamespace(call.caller, name.namespace_name);
  const auto outcome =
      services::ReleaseGroup(pool_, ActorOf(call), name, CallTime());
  if (outcome == workers::HoldOutcome::kUnknown) throw NoGroup(name);
  response.set_released(outcome == workers::HoldOutcome::kDone);
}

void SchedulerCalls::CountGroups(const Call& call,
                                 const v1::CountGroupsRequest& request,
                                 v1::CountGroupsResponse& response) {
  CountGroupsFor(request, response, Index(call), CallTime());
}

void SchedulerCalls::SetPriority(const Call& call,
                                 const v1::SetPriorityRequest& request,
                                 v1::SetPriorityResponse& response) {
  const GroupName name = NameIn(request);
  RequireNamespace(call.caller, name.namespace_name);
  const auto change = services::SetPriority(
      pool_, ActorOf(call), name,
      {.priority = request.has_priority() ? std::optional(request.priority())
                                          : std::nullopt,
       .reason = request.reason(),
       .may_raise = call.caller.MayOperate()});
  if (change.outcome == workers::PriorityOutcome::kUnknown) throw NoGroup(name);
  Require(change.outcome != workers::PriorityOutcome::kTooHigh,
          WhyNot(change, name));
  if (change.outcome == workers::PriorityOutcome::kStarted)
    throw GrpcRefusal(GrpcCode::kFailedPrecondition, WhyNot(change, name));
  if (change.priority) response.set_priority(*change.priority);
}

void SchedulerCalls::ChangeGroups(const Call& call,
                                  const v1::ChangeGroupsRequest& request,
                                  v1::ChangeGroupsResponse& response) {
  ChangeGroupsFor(request, response, pool_, call.caller, ActorOf(call),
                  CallTime());
}

void SchedulerCalls::ListHistory(const Call& call,
                                 const v1::ListHistoryRequest& request,
                                 v1::ListHistoryResponse& response) {
  ListHistoryFor(request, response, *Reading(call), CallTime());
}

void SchedulerCalls::SummarizeHistory(
    const Call& call, const v1::SummarizeHistoryRequest& request,
    v1::SummarizeHistoryResponse& response) {
  SummarizeHistoryFor(request, response, *Reading(call), CallTime());
}

void SchedulerCalls::ListEstimateErrors(
    const Call& call, const v1::ListEstimateErrorsRequest& /*request*/,
    v1::ListEstimateErrorsResponse& response) {
  ListEstimateErrorsFor(response, *Reading(call));
}

void SchedulerCalls::ListJobs(const Call& call,
                              const v1::ListJobsRequest& request,
                              v1::ListJobsResponse& response) {
  ListJobsFor(request, response, *Reading(call), CallTime());
}

void SchedulerCalls::CountJobs(const Call& call,
                               const v1::CountJobsRequest& /*request*/,
                               v1::CountJobsResponse& response) {
  job_tally_.Fill(response, *Reading(call));
}

void SchedulerCalls::ChangeJobs(const Call& call,
                                const v1::ChangeJobsRequest& request,
                                v1::ChangeJobsResponse& response) {
  Require(call.caller.MayOperate(),
          "only an operator may change jobs of the work queue");
  ChangeJobsFor(request, response, pool_, ActorOf(call));
}

void SchedulerCalls::ListAudit(const Call& call,
                               const v1::ListAuditRequest& request,
                               v1::ListAuditResponse& response) {
  ListAuditFor(request, response, *Reading(call));
}

void SchedulerCalls::ListQueues(const Call& call,
                                const v1::ListQueuesRequest& request,
                                v1::ListQueuesResponse& response) {
  const auto transaction = Reading(call);
  for (const sql::Row row :
       transaction->Run(queries::kListQueues, IfAny(request.name())))
    FillQueue(*response.add_queues(), row);
  if (response.queues().empty() && !request.name().empty())
    throw GrpcRefusal(GrpcCode::kNotFound,
                      fmt::format("no queue named \"{}\"", request.name()));
}

void SchedulerCalls::SetQueue(const Call& call,
                              const v1::SetQueueRequest& request,
                              v1::SetQueueResponse& response) {
  Require(call.caller.MayOperate(), "only an operator may change a queue");
  sql::Transaction transaction(pool_);
  const auto read = [&](v1::Queue& queue) {
    for (const sql::Row row :
         transaction.Run(queries::kListQueues, request.name()))
      FillQueue(queue, row);
    SettingMap settings = queue.settings();
    settings["paused"] = queue.paused() ? "true" : "false";
    return settings;
  };
  v1::Queue queue;
  const SettingMap before = read(queue);
  ChangeQueue(transaction, ActorOf(call), QueueOptionsOf(request),
              request.reason());
  FillChanges(*response.mutable_changes(), before,
              read(*response.mutable_queue()));
  if (!request.dry_run()) transaction.Commit();
}

void SchedulerCalls::ListAccounts(const Call& call,
                                  const v1::ListAccountsRequest& request,
                                  v1::ListAccountsResponse& response) {
  const auto transaction = Reading(call);
  FillAccounts(*response.mutable_accounts(), *transaction,
               IfAny(request.name()));
  if (response.accounts().empty() && !request.name().empty())
    throw GrpcRefusal(GrpcCode::kNotFound,
                      fmt::format("no account named \"{}\"", request.name()));
}

void SchedulerCalls::SetAccount(const Call& call,
                                const v1::SetAccountRequest& request,
                                v1::SetAccountResponse& response) {
  Require(call.caller.MayOperate(), "only an operator may change an account");
  sql::Transaction transaction(pool_);
  SetAccountFor(request, response, ActorOf(call), transaction);
}

void SchedulerCalls::GetOverview(const Call& call,
                                 const v1::GetOverviewRequest& /*request*/,
                                 v1::GetOverviewResponse& response) {
  const auto transaction = Reading(call);
  response = overview_.Read(*transaction, CallTime());
}

void SchedulerCalls::GetSystem(const Call& call,
                               const v1::GetSystemRequest& request,
                               v1::GetSystemResponse& response) {
  response.set_server_version(std::string(Version()));
  if (health_) FillHealth(response, health_());
  FillSystem(response, *Reading(call));
  if (!request.checkup()) return;
  const OnlyOne alone(checking_, "checkup");
  RunCheckup(response, config_);
}

void SchedulerCalls::ListPools(const Call& call,
                               const v1::ListPoolsRequest& request,
                               v1::ListPoolsResponse& response) {
  FillPools(response, request, *Reading(call));
}

void SchedulerCalls::SetPool(const Call& call,
                             const v1::SetPoolRequest& request,
                             v1::SetPoolResponse& response) {
  Require(call.caller.MayOperate(), "only an operator may change a pool");
  SetPoolFor(request, response, ActorOf(call), pool_, CallTime());
}

void SchedulerCalls::DeletePool(const Call& call,
                                const v1::DeletePoolRequest& request,
                                v1::DeletePoolResponse& /*response*/) {
  Require(call.caller.MayOperate(), "only an operator may delete a pool");
  DeletePoolFor(request, ActorOf(call), pool_, CallTime());
}

void SchedulerCalls::ListNodes(const Call& call,
                               const v1::ListNodesRequest& request,
                               v1::ListNodesResponse& response) {
  const int size = PageSize(request.page_size());
  const auto transaction = Reading(call);
  transaction->Run(queries::kReadWholeTables);
  const sql::Result rows =
      transaction->Run(queries::kListNodes, std::nullopt, CallTime());
  std::map<std::string, sql::Row> nodes;
  for (const sql::Row row : rows)
    nodes.emplace(row.Get<std::string>("node_name"), row);
  auto next = nodes.upper_bound(request.page_token());
  for (; next != nodes.end() && response.nodes_size() < size; ++next)
    FillNode(*response.add_nodes(), next->second);
  if (next != nodes.end())
    response.set_next_page_token(response.nodes().rbegin()->name());
}

void SchedulerCalls::GetNode(const Call& call,
                             const v1::GetNodeRequest& request,
                             v1::GetNodeResponse& response) {
  const sql::Timestamp now = CallTime();
  const auto transaction = Reading(call);
  const sql::Result rows =
      transaction->Run(queries::kListNodes, request.name(), now);
  if (rows.empty())
    throw GrpcRefusal(GrpcCode::kNotFound,
                      fmt::format("no node named \"{}\"", request.name()));
  FillNode(*response.mutable_node(), rows[0]);
  FillNodeDetail(response, *transaction, request.name(), now);
}

void SchedulerCalls::GetNodeMap(const Call& call,
                                const v1::GetNodeMapRequest& /*request*/,
                                v1::GetNodeMapResponse& response) {
  FillNodeMap(response, *Reading(call), CallTime());
}

void SchedulerCalls::ListMaintenance(
    const Call& call, const v1::ListMaintenanceRequest& /*request*/,
    v1::ListMaintenanceResponse& response) {
  FillMaintenance(response, *Reading(call), CallTime());
}

void SchedulerCalls::DrainNodes(const Call& call,
                                const v1::DrainNodesRequest& request,
                                v1::DrainNodesResponse& response) {
  if (!request.dry_run())
    Require(call.caller.MayOperate(), "only an operator may drain nodes");
  DrainFor(request, response, ActorOf(call), pool_, CallTime());
}

void SchedulerCalls::UndrainNodes(const Call& call,
                                  const v1::UndrainNodesRequest& request,
                                  v1::UndrainNodesResponse& response) {
  Require(call.caller.MayOperate(), "only an operator may undrain nodes");
  UndrainFor(request, response, ActorOf(call), pool_, CallTime());
}

void SchedulerCalls::Simulate(const Call& call,
                              const v1::SimulateRequest& request,
                              v1::SimulateResponse& response) {
  const OnlyOne alone(simulating_, kSimulation);
  SimulateFor(request, response, config_, pool_, call.is_cancelled);
}

void SchedulerCalls::Match(const Call& call, const v1::MatchRequest& request,
                           v1::MatchResponse& response) {
  const OnlyOne alone(simulating_, kSimulation);
  MatchFor(request, response, pool_, call.is_cancelled);
}

GroupIndex& SchedulerCalls::Index(const Call& call) {
  GroupIndex* const index = feed_.Index(call.deadline);
  if (index == nullptr)
    throw GrpcRefusal(GrpcCode::kUnavailable,
                      "the groups are not read yet; try again later");
  return *index;
}

std::unique_ptr<sql::Transaction> SchedulerCalls::Reading(const Call& call) {
  auto transaction =
      std::make_unique<sql::Transaction>(pool_, sql::Isolation::kReadOnly);
  if (call.deadline == std::chrono::system_clock::time_point::max())
    return transaction;
  const auto left = std::chrono::ceil<milliseconds>(
      call.deadline - std::chrono::system_clock::now());
  if (left < kLongestStatement)
    transaction->Run(queries::kLimitTime,
                     std::max<std::int64_t>(left.count(), 1));
  return transaction;
}

std::vector<std::span<const sql::Query>> SchedulerCalls::Catalogues() {
  return {
      queries::kAllAudit,     queries::kAllEditing,   queries::kAllEndedGroups,
      queries::kAllExplain,   queries::kAllGroupFeed, queries::kAllGroupPages,
      queries::kAllLine,      queries::kAllListing,   queries::kAllLists,
      queries::kAllOperation, queries::kAllRecords,   queries::kAllSimulation,
      queries::kAllTimeline,  queue::Catalogue(),     workers::Catalogue()};
}

}  // namespace fluxnetes::services
