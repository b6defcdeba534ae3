#include "services/grpc_v1/grpc_scheduler.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <atomic>
#include <map>
#include <optional>
#include <utility>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "queue/catalogue.h"
#include "queue/store/work_queue.h"
#include "services/database/audit_queries.h"
#include "services/editing/editing_queries.h"
#include "services/editing/queue_command.h"
#include "services/explain/explain_queries.h"
#include "services/explain/timeline_queries.h"
#include "services/grpc_v1/explanation_messages.h"
#include "services/grpc_v1/group_feed_queries.h"
#include "services/grpc_v1/group_messages.h"
#include "services/grpc_v1/group_requests.h"
#include "services/grpc_v1/group_watch.h"
#include "services/grpc_v1/remote_match.h"
#include "services/grpc_v1/remote_simulation.h"
#include "services/grpc_v1/remote_submission.h"
#include "services/grpc_v1/timeline_messages.h"
#include "services/manual/version.h"
#include "services/records/group_changes.h"
#include "services/records/group_detail.h"
#include "services/records/group_pages.h"
#include "services/records/group_pages_queries.h"
#include "services/records/line_queries.h"
#include "services/records/records_queries.h"
#include "services/simulate/simulation_queries.h"
#include "sql/connection/transaction.h"
#include "workers/catalogue.h"

namespace fluxnetes::services {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using std::chrono::milliseconds;

constexpr milliseconds kLongestStatement{60'000};
constexpr milliseconds kLongestSearch{2'000};
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

Actor ActorOf(const Principal& caller) {
  return {.name = caller.name, .role = caller.role, .via = "grpc"};
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

// One simulation runs at a time. This is it, as long as it lives; a second one
// is refused.
class OnlySimulation {
 public:
  explicit OnlySimulation(std::atomic<bool>& under_way)
      : under_way_(under_way) {
    if (under_way_.exchange(true))
      throw GrpcRefusal(GrpcCode::kResourceExhausted,
                        "another simulation is under way; try again later");
  }
  ~OnlySimulation() { under_way_ = false; }
  OnlySimulation(const OnlySimulation&) = delete;
  OnlySimulation& operator=(const OnlySimulation&) = delete;

 private:
  std::atomic<bool>& under_way_;
};

}  // namespace

class GrpcScheduler::Calls
    : public v1::Scheduler::WithRawCallbackMethod_WatchGroups<
          v1::Scheduler::CallbackService> {
 public:
  Calls(const Config& config, sql::Pool& pool, GrpcCalls& calls,
        GroupFeed& feed)
      : config_(config),
        pool_(pool),
        calls_(calls),
        feed_(feed),
        submission_(config, pool) {}

  ServerUnaryReactor* GetCaller(CallbackServerContext* context,
                                const v1::GetCallerRequest* /*request*/,
                                v1::GetCallerResponse* response) override {
    return calls_.Answer(*context, [response](const Principal& caller) {
      response->set_name(caller.name);
      response->set_role(caller.role == Role::kOperator ? v1::ROLE_OPERATOR
                         : caller.role == Role::kUser   ? v1::ROLE_USER
                                                        : v1::ROLE_VIEWER);
      for (const std::string& name : caller.namespaces)
        response->add_namespaces(name);
      response->set_server_version(std::string(Version()));
    });
  }

  ServerUnaryReactor* Submit(CallbackServerContext* context,
                             const v1::SubmitRequest* request,
                             v1::SubmitResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      submission_.Submit(*request, *response, caller);
    });
  }

  ServerUnaryReactor* ListGroups(CallbackServerContext* context,
                                 const v1::ListGroupsRequest* request,
                                 v1::ListGroupsResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const GroupPageFilter filter = FilterIn(*request, CallTime());
      const int size = PageSize(request->page_size());
      const GroupPlace place = GroupPlace::Of(request->page_token());
      const auto transaction = Reading(*context);
      std::vector<GroupRow> rows = RowsFrom(*transaction, filter, place, size);
      std::size_t bytes = 0;
      for (const GroupRow& row : rows) {
        if (response->groups_size() == size || bytes > kLargestAnswer) {
          const auto last = static_cast<std::size_t>(response->groups_size());
          response->set_next_page_token(
              GroupPlace::Behind(rows[last - 1]).Token());
          break;
        }
        v1::Group& group = *response->add_groups();
        Fill(group, row);
        bytes += group.ByteSizeLong();
      }
    });
  }

  ServerUnaryReactor* GetGroup(CallbackServerContext* context,
                               const v1::GetGroupRequest* request,
                               v1::GetGroupResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const GroupName name = NameIn(*request);
      const auto transaction = Reading(*context);
      const auto detail = ReadGroup(
          *transaction, name.namespace_name, name.name,
          request->id() == 0 ? std::nullopt : std::optional(request->id()));
      if (!detail)
        throw GrpcRefusal(GrpcCode::kNotFound,
                          fmt::format("no group named \"{}\"", name.Text()));
      Fill(*response->mutable_group(), detail->group);
      for (const MemberRow& member : detail->members)
        Fill(*response->add_members(), member);
      for (const Generation& generation : detail->earlier)
        Fill(*response->add_earlier(), generation);
    });
  }

  ServerUnaryReactor* ExplainGroup(
      CallbackServerContext* context, const v1::ExplainGroupRequest* request,
      v1::ExplainGroupResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const GroupName name = NameIn(*request);
      std::optional<OnlySimulation> alone;
      std::optional<milliseconds> most;
      if (request->find_changes()) {
        alone.emplace(simulating_);
        most = kLongestSearch;
      }
      const sql::Timestamp now = CallTime();
      Fill(*response, services::ExplainGroup(pool_, name, now, most), now);
    });
  }

  ServerUnaryReactor* GetTimeline(CallbackServerContext* context,
                                  const v1::GetTimelineRequest* request,
                                  v1::GetTimelineResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const auto transaction = Reading(*context);
      FillTimeline(*response, *request, *transaction, CallTime());
    });
  }

  grpc::ServerWriteReactor<grpc::ByteBuffer>* WatchGroups(
      CallbackServerContext* context,
      const grpc::ByteBuffer* request) override {
    return StartGroupWatch(feed_, *context, *request);
  }

  ServerUnaryReactor* CancelGroup(CallbackServerContext* context,
                                  const v1::CancelGroupRequest* request,
                                  v1::CancelGroupResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      const GroupName name = NameIn(*request);
      RequireNamespace(caller, name.namespace_name);
      const std::string reason = request->reason().empty()
                                     ? "cancelled by " + caller.name
                                     : request->reason();
      const int groups = services::CancelGroup(pool_, ActorOf(caller), name,
                                               reason, CallTime());
      if (groups == 0 && !IsUnfinished(pool_, name)) throw NoGroup(name);
      response->set_groups(groups);
    });
  }

  ServerUnaryReactor* HoldGroup(CallbackServerContext* context,
                                const v1::HoldGroupRequest* request,
                                v1::HoldGroupResponse* /*response*/) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      const GroupName name = NameIn(*request);
      RequireNamespace(caller, name.namespace_name);
      const auto outcome = services::HoldGroup(pool_, ActorOf(caller), name,
                                               request->reason(), CallTime());
      if (outcome == workers::HoldOutcome::kUnknown) throw NoGroup(name);
      if (outcome == workers::HoldOutcome::kStarted)
        throw GrpcRefusal(GrpcCode::kFailedPrecondition,
                          fmt::format("group \"{}\" runs already, or has its "
                                      "nodes; CancelGroup ends it",
                                      name.Text()));
    });
  }

  ServerUnaryReactor* ReleaseGroup(
      CallbackServerContext* context, const v1::ReleaseGroupRequest* request,
      v1::ReleaseGroupResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      const GroupName name = NameIn(*request);
      RequireNamespace(caller, name.namespace_name);
      const auto outcome =
          services::ReleaseGroup(pool_, ActorOf(caller), name, CallTime());
      if (outcome == workers::HoldOutcome::kUnknown) throw NoGroup(name);
      response->set_released(outcome == workers::HoldOutcome::kDone);
    });
  }

  ServerUnaryReactor* ListQueues(CallbackServerContext* context,
                                 const v1::ListQueuesRequest* request,
                                 v1::ListQueuesResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const auto transaction = Reading(*context);
      for (const sql::Row row :
           transaction->Run(queries::kListQueues, IfAny(request->name())))
        FillQueue(*response->add_queues(), row);
      if (response->queues().empty() && !request->name().empty())
        throw GrpcRefusal(
            GrpcCode::kNotFound,
            fmt::format("no queue named \"{}\"", request->name()));
    });
  }

  ServerUnaryReactor* SetQueue(CallbackServerContext* context,
                               const v1::SetQueueRequest* request,
                               v1::SetQueueResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      Require(caller.MayOperate(), "only an operator may change a queue");
      QueueOptions options;
      options.verb = QueueOptions::Verb::kSet;
      options.name = request->name();
      for (const auto& [key, value] : request->settings())
        options.settings.push_back(key + "=" + value);
      ChangeQueue(pool_, ActorOf(caller), options);
      const auto transaction = Reading(*context);
      for (const sql::Row row :
           transaction->Run(queries::kListQueues, options.name))
        FillQueue(*response->mutable_queue(), row);
    });
  }

  ServerUnaryReactor* ListNodes(CallbackServerContext* context,
                                const v1::ListNodesRequest* request,
                                v1::ListNodesResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const int size = PageSize(request->page_size());
      const auto transaction = Reading(*context);
      const sql::Result rows =
          transaction->Run(queries::kListNodes, std::nullopt, CallTime());
      std::map<std::string, sql::Row> nodes;
      for (const sql::Row row : rows)
        nodes.emplace(row.Get<std::string>("node_name"), row);
      auto next = nodes.upper_bound(request->page_token());
      for (; next != nodes.end() && response->nodes_size() < size; ++next)
        FillNode(*response->add_nodes(), next->second);
      if (next != nodes.end())
        response->set_next_page_token(response->nodes().rbegin()->name());
    });
  }

  ServerUnaryReactor* Simulate(CallbackServerContext* context,
                               const v1::SimulateRequest* request,
                               v1::SimulateResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const OnlySimulation alone(simulating_);
      SimulateFor(*request, *response, config_, pool_,
                  [context] { return context->IsCancelled(); });
    });
  }

  ServerUnaryReactor* Match(CallbackServerContext* context,
                            const v1::MatchRequest* request,
                            v1::MatchResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal&) {
      const OnlySimulation alone(simulating_);
      MatchFor(*request, *response, pool_,
               [context] { return context->IsCancelled(); });
    });
  }

 private:
  // Returns a transaction whose statements are limited to the caller's
  // deadline.
  std::unique_ptr<sql::Transaction> Reading(CallbackServerContext& context) {
    auto transaction =
        std::make_unique<sql::Transaction>(pool_, sql::Isolation::kReadOnly);
    const auto left = std::chrono::ceil<milliseconds>(
        context.deadline() - std::chrono::system_clock::now());
    if (left < kLongestStatement)
      transaction->Run(queries::kLimitTime,
                       std::max<std::int64_t>(left.count(), 1));
    return transaction;
  }

  const Config& config_;
  sql::Pool& pool_;
  GrpcCalls& calls_;
  GroupFeed& feed_;
  RemoteSubmission submission_;
  std::atomic<bool> simulating_ = false;
};

std::vector<std::span<const sql::Query>> GrpcScheduler::Catalogues() {
  return {
      queries::kAllAudit,     queries::kAllEditing,    queries::kAllExplain,
      queries::kAllGroupFeed, queries::kAllGroupPages, queries::kAllLine,
      queries::kAllRecords,   queries::kAllSimulation, queries::kAllTimeline,
      queue::Catalogue(),     workers::Catalogue()};
}

GrpcScheduler::GrpcScheduler(const Config& config, sql::Pool& pool,
                             GrpcCalls& calls, GroupFeed& feed)
    : service_(std::make_unique<Calls>(config, pool, calls, feed)) {}
GrpcScheduler::~GrpcScheduler() = default;
grpc::Service& GrpcScheduler::service() { return *service_; }

}  // namespace fluxnetes::services
