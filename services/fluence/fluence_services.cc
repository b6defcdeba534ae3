#include "services/fluence/fluence_services.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include "cluster/text/quote.h"
#include "fluence/external_plugin.grpc.pb.h"
#include "fluence/fluxcli.grpc.pb.h"
#include "fluence/fluxion.grpc.pb.h"
#include "queue/catalogue.h"
#include "services/database/audit_queries.h"
#include "services/fluence/cluster_graph.h"
#include "services/records/group_list.h"
#include "services/records/group_name.h"
#include "services/records/group_pages_queries.h"
#include "services/records/line_queries.h"
#include "services/records/records_queries.h"
#include "sql/connection/transaction.h"
#include "workers/catalogue.h"

namespace fluxnetes::services {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using AnswerState = workers::ExternalAnswer::State;

FluenceMatch::Waiter WaiterOf(const CallbackServerContext& context,
                              const Principal& caller) {
  return {caller, context.deadline(),
          [&context] { return context.IsCancelled(); }};
}

template <typename PodSpec>
void ReadPod(const PodSpec& pod, FluenceRequest& request) {
  request.name = pod.id();
  request.container = pod.container();
  request.cpu = pod.cpu();
  request.memory = pod.memory();
  request.gpu = pod.gpu();
  request.storage = pod.storage();
  request.labels.assign(pod.labels().begin(), pod.labels().end());
}

template <typename Response>
void AddPlaces(const workers::ExternalAnswer& answer, Response& response) {
  for (const auto& node : answer.nodes) {
    auto* alloc = response.add_nodelist();
    alloc->set_nodeid(node.name);
    alloc->set_tasks(node.pods);
  }
}

std::string Unknown(std::int64_t id) {
  return fmt::format(
      "there is no match with the id {}: it never was, was cancelled or is "
      "over; `fluxnetes get groups -A` lists those that there are",
      id);
}

class FluxionCalls : public fluxion::FluxionService::CallbackService {
 public:
  FluxionCalls(GrpcCalls& calls, FluenceMatch& match)
      : calls_(calls), match_(match) {}

  ServerUnaryReactor* Match(CallbackServerContext* context,
                            const fluxion::MatchRequest* asked,
                            fluxion::MatchResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      FluenceRequest request;
      ReadPod(asked->podspec(), request);
      if (!asked->jobname().empty()) request.name = asked->jobname();
      request.count = asked->count();
      request.reserve = asked->reserve();
      const auto [id, answer] =
          match_.Match(request, WaiterOf(*context, caller));
      const bool reserved =
          answer.state == AnswerState::kReserved && asked->reserve();
      if (answer.state != AnswerState::kAllocated && !reserved) return;
      response->set_fluxid(static_cast<std::uint64_t>(id));
      response->set_reserved(reserved);
      response->set_allocated(!reserved);
      if (reserved) response->set_reserved_at(answer.start);
      AddPlaces(answer, *response);
    });
  }

  ServerUnaryReactor* Cancel(CallbackServerContext* context,
                             const fluxion::CancelRequest* asked,
                             fluxion::CancelResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      const auto id = static_cast<std::int64_t>(asked->fluxid());
      if (!match_.Cancel(id, caller) && !asked->noexistok())
        throw GrpcRefusal(GrpcCode::kNotFound, Unknown(id), "fluxID");
      response->set_fluxid(asked->fluxid());
    });
  }

 private:
  GrpcCalls& calls_;
  FluenceMatch& match_;
};

// Returns true if the caller accepts a reservation.
bool ReadKind(const std::string& kind) {
  if (kind.empty() || kind == "allocate") return false;
  if (kind == "allocate_orelse_reserve") return true;
  throw GrpcRefusal(GrpcCode::kInvalidArgument,
                    fmt::format("request is {}; right would be allocate or "
                                "allocate_orelse_reserve",
                                cluster::Quote(kind)),
                    "request");
}

class FluxcliCalls : public fluxcli::FluxcliService::CallbackService {
 public:
  FluxcliCalls(GrpcCalls& calls, FluenceMatch& match)
      : calls_(calls), match_(match) {}

  ServerUnaryReactor* Match(CallbackServerContext* context,
                            const fluxcli::MatchRequest* asked,
                            fluxcli::MatchResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      FluenceRequest request;
      ReadPod(asked->ps(), request);
      request.count = asked->count();
      request.reserve = ReadKind(asked->request());
      const auto [id, answer] =
          match_.Match(request, WaiterOf(*context, caller));
      const bool reserved =
          answer.state == AnswerState::kReserved && request.reserve;
      if (answer.state != AnswerState::kAllocated && !reserved) return;
      response->set_podid(asked->ps().id());
      response->set_jobid(id);
      // The message cannot express that the nodes are only reserved.
      if (!reserved) AddPlaces(answer, *response);
    });
  }

  ServerUnaryReactor* Cancel(CallbackServerContext* context,
                             const fluxcli::CancelRequest* asked,
                             fluxcli::CancelResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& caller) {
      if (!match_.Cancel(asked->jobid(), caller))
        throw GrpcRefusal(GrpcCode::kNotFound, Unknown(asked->jobid()),
                          "jobID");
      response->set_jobid(asked->jobid());
    });
  }

 private:
  GrpcCalls& calls_;
  FluenceMatch& match_;
};

// Returns the first unfinished group of that name in the order of `get groups`.
std::vector<GroupRow> FirstGroup(sql::Pool& pool, const std::string& text) {
  GroupFilter filter;
  filter.order = GroupOrder::kLine;
  filter.limit = 1;
  filter.states = {"allocated", "bound", "pending", "unsatisfiable",
                   "provisional"};
  if (!text.empty()) {
    const GroupName name = ParseGroupName(text, "");
    filter.name = name.name;
    if (!name.namespace_name.empty())
      filter.namespace_name = name.namespace_name;
  }
  sql::Transaction transaction(pool, sql::Isolation::kReadOnly);
  return ListGroups(transaction, filter);
}

class ExternalPluginCalls
    : public service::ExternalPluginService::CallbackService {
 public:
  ExternalPluginCalls(GrpcCalls& calls, sql::Pool& pool)
      : calls_(calls), pool_(pool) {}

  ServerUnaryReactor* GetResources(
      CallbackServerContext* context, const service::ResourceRequest* /*asked*/,
      service::ResourceResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& /*caller*/) {
      response->set_graph(ClusterGraphJgf(pool_));
    });
  }

  ServerUnaryReactor* ListGroups(CallbackServerContext* context,
                                 const service::GroupRequest* asked,
                                 service::GroupResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& /*caller*/) {
      const auto groups = FirstGroup(pool_, asked->group());
      if (groups.empty() && !asked->group().empty()) RefuseUnknown(*asked);
      if (!groups.empty()) Say(groups.front(), *response);
    });
  }

  ServerUnaryReactor* GetGroup(CallbackServerContext* context,
                               const service::GroupRequest* asked,
                               service::GroupResponse* response) override {
    return calls_.Answer(*context, [=, this](const Principal& /*caller*/) {
      if (asked->group().empty())
        throw GrpcRefusal(GrpcCode::kInvalidArgument,
                          "group is empty; right would be NAME or "
                          "NAMESPACE/NAME",
                          "group");
      const auto groups = FirstGroup(pool_, asked->group());
      if (groups.empty()) RefuseUnknown(*asked);
      Say(groups.front(), *response);
    });
  }

 private:
  [[noreturn]] static void RefuseUnknown(const service::GroupRequest& asked) {
    throw GrpcRefusal(GrpcCode::kNotFound,
                      "no unfinished group named " +
                          cluster::Quote(asked.group()) +
                          "; `fluxnetes get groups -A` lists those that there "
                          "are",
                      "group");
  }
  static void Say(const GroupRow& group, service::GroupResponse& response) {
    response.set_name(group.namespace_name + "/" + group.name);
    response.set_size(group.size);
  }

  GrpcCalls& calls_;
  sql::Pool& pool_;
};

}  // namespace

struct FluenceServices::State {
  State(sql::Pool& pool, queue::WorkQueue& jobs, GrpcCalls& calls,
        Options given)
      : options(std::move(given)),
        match(pool, jobs, options.match),
        fluxion(calls, match),
        fluxcli(calls, match),
        external_plugin(calls, pool) {}

  const Options options;
  FluenceMatch match;
  FluxionCalls fluxion;
  FluxcliCalls fluxcli;
  ExternalPluginCalls external_plugin;
};

FluenceServices::FluenceServices(sql::Pool& pool, queue::WorkQueue& jobs,
                                 GrpcCalls& calls, Options options)
    : state_(std::make_unique<State>(pool, jobs, calls, std::move(options))) {}

FluenceServices::~FluenceServices() = default;

std::vector<std::span<const sql::Query>> FluenceServices::Catalogues() {
  static const sql::Query kShown[] = {queries::kListLine, queries::kListNodes};
  return {queue::Catalogue(), workers::Catalogue(), queries::kAllAudit,
          queries::kAllGroupPages, kShown};
}

std::vector<grpc::Service*> FluenceServices::services() const {
  std::vector<grpc::Service*> all = {&state_->fluxion, &state_->fluxcli};
  if (state_->options.external_plugin) all.push_back(&state_->external_plugin);
  return all;
}

void FluenceServices::Ring() { state_->match.Ring(); }

void FluenceServices::Stop() { state_->match.Stop(); }

}  // namespace fluxnetes::services
