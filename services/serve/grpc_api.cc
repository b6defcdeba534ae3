#include "services/serve/grpc_api.h"

#include <stdexcept>
#include <utility>

#include "services/console/exit_code.h"
#include "services/database/database.h"
#include "services/fluence/fluence_services.h"
#include "services/grpc/grpc_access.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc/grpc_server.h"
#include "services/grpc_v1/grpc_scheduler.h"
#include "services/monitoring/slow_statements.h"
#include "sql/connection/listener.h"

namespace fluxnetes::services {
namespace {

GrpcServerOptions ServerOptions(const Config::Grpc& config,
                                std::vector<grpc::Service*> services) {
  GrpcServerOptions options;
  options.address = config.listen;
  if (!config.certificate.empty()) {
    options.certificates = {.certificate = config.certificate,
                            .key = config.key,
                            .client_ca = config.client_ca};
  }
  options.services = std::move(services);
  return options;
}

// Each Match occupies a thread while it waits for its answer.
constexpr int kMatchesAtATime = 32;
constexpr int kMatchConnections = 4;

sql::PoolOptions MatchPoolOptions(const Config& config) {
  auto options = DatabaseOptions(config, FluenceServices::Catalogues());
  options.max_connections = kMatchConnections;
  return options;
}

FluenceServices::Options FluenceOptions(const Config::Grpc& config) {
  return {.match = {.queue = config.match_queue,
                    .lifetime = std::chrono::floor<std::chrono::seconds>(
                        config.match_lifetime)},
          .external_plugin = config.external_service};
}

std::vector<grpc::Service*> WithFluence(std::vector<grpc::Service*> services,
                                        const FluenceServices& fluence) {
  for (grpc::Service* service : fluence.services()) services.push_back(service);
  return services;
}

// One connection for each thread that answers.
sql::PoolOptions ConnectionsFor(const Config& config,
                                const GrpcCallsOptions& calls) {
  sql::PoolOptions options =
      DatabaseOptions(config, GrpcScheduler::Catalogues());
  options.max_connections = calls.threads;
  return options;
}

}  // namespace

struct GrpcApi::State {
  State(const Config& given, const Log& log, GroupFeed& feed,
        std::function<Health()> health)
      : config(given),
        pool(ConnectionsFor(config, {})),
        match_pool(MatchPoolOptions(config)),
        access(ReadAccess(config.grpc.access)),
        calls({}, access, log),
        scheduler(config, pool, calls, feed, std::move(health)),
        jobs(match_pool),
        match_calls({.threads = kMatchesAtATime}, access, log),
        fluence(match_pool, jobs, match_calls, FluenceOptions(config.grpc)),
        listener(DatabaseOptions(config, {})),
        server(ServerOptions(config.grpc,
                             WithFluence({&scheduler.service()}, fluence)),
               log) {
    for (sql::Pool* each : {&pool, &match_pool})
      sql::OnSlowStatements(*each, LogSlowStatements(log));
    listener.On("external", [this](const std::string&) { fluence.Ring(); });
  }

  const Config config;
  sql::Pool pool;
  sql::Pool match_pool;
  const GrpcAccess access;
  GrpcCalls calls;
  GrpcScheduler scheduler;
  queue::WorkQueue jobs;
  GrpcCalls match_calls;
  FluenceServices fluence;
  sql::Listener listener;
  GrpcServer server;
};

GrpcApi::GrpcApi(const Config& config, const Log& log, GroupFeed& feed,
                 std::function<Health()> health)
    : state_(std::make_unique<State>(config, log, feed, std::move(health))) {}

GrpcApi::~GrpcApi() { Stop(); }

void GrpcApi::Start() {
  try {
    state_->server.Start();
    state_->listener.Start();
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::kUsage, std::string("gRPC: ") + error.what(),
                  "See grpc.listen and grpc.tlsCert in the configuration.");
  }
}

void GrpcApi::AddTo(PoolMetrics& pools) const {
  pools.Add("grpc", ConnectionsFor(state_->config, {}).max_connections,
            sql::CountsOf(state_->pool));
  pools.Add("grpc-match", kMatchConnections, sql::CountsOf(state_->match_pool));
}

void GrpcApi::Stop() {
  state_->fluence.Stop();
  state_->server.Stop();
  state_->calls.Stop();
  state_->match_calls.Stop();
  state_->listener.Stop();
}

std::string GrpcApi::address() const { return state_->server.address(); }

}  // namespace fluxnetes::services
