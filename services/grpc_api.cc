#include "services/grpc_api.h"

#include "services/database.h"
#include "services/exit_code.h"
#include "services/forerunner_services.h"
#include "services/grpc_access.h"
#include "services/grpc_calls.h"
#include "services/grpc_scheduler.h"
#include "services/grpc_server.h"
#include "sql/listener.h"

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

// A Match waits for its answer on one of them.
constexpr int kMatchesAtATime = 32;
constexpr int kMatchConnections = 4;

sql::PoolOptions MatchPoolOptions(const Config& config) {
  auto options = DatabaseOptions(config, ForerunnerServices::Catalogues());
  options.max_connections = kMatchConnections;
  return options;
}

ForerunnerServices::Options ForerunnerOptions(const Config::Grpc& config) {
  return {.match = {.queue = config.match_queue,
                    .lifetime = std::chrono::floor<std::chrono::seconds>(
                        config.match_lifetime)},
          .external_plugin = config.external_service};
}

std::vector<grpc::Service*> WithForerunners(
    std::vector<grpc::Service*> services,
    const ForerunnerServices& forerunners) {
  for (grpc::Service* service : forerunners.services())
    services.push_back(service);
  return services;
}

}  // namespace

struct GrpcApi::State {
  State(const Config& config, const Log& log)
      : calls({}, access, log),
        scheduler(calls),
        pool(MatchPoolOptions(config)),
        jobs(pool),
        match_calls({.threads = kMatchesAtATime}, access, log),
        forerunners(pool, jobs, match_calls, ForerunnerOptions(config.grpc)),
        listener(DatabaseOptions(config, {})),
        server(
            ServerOptions(config.grpc,
                          WithForerunners({&scheduler.service()}, forerunners)),
            log) {
    listener.On("external", [this](const std::string&) { forerunners.Ring(); });
  }

  GrpcAccess access;
  GrpcCalls calls;
  GrpcScheduler scheduler;
  sql::Pool pool;
  queue::WorkQueue jobs;
  GrpcCalls match_calls;
  ForerunnerServices forerunners;
  sql::Listener listener;
  GrpcServer server;
};

GrpcApi::GrpcApi(const Config& config, const Log& log)
    : state_(std::make_unique<State>(config, log)) {}

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

void GrpcApi::Stop() {
  state_->forerunners.Stop();
  state_->server.Stop();
  state_->calls.Stop();
  state_->match_calls.Stop();
  state_->listener.Stop();
}

std::string GrpcApi::address() const { return state_->server.address(); }

}  // namespace fluxnetes::services
