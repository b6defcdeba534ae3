#include "services/grpc_api.h"

#include "services/exit_code.h"
#include "services/grpc_access.h"
#include "services/grpc_calls.h"
#include "services/grpc_scheduler.h"
#include "services/grpc_server.h"

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

}  // namespace

struct GrpcApi::State {
  State(const Config& config, const Log& log)
      : calls({}, access, log),
        scheduler(calls),
        server(ServerOptions(config.grpc, {&scheduler.service()}), log) {}

  GrpcAccess access;
  GrpcCalls calls;
  GrpcScheduler scheduler;
  GrpcServer server;
};

GrpcApi::GrpcApi(const Config& config, const Log& log)
    : state_(std::make_unique<State>(config, log)) {}

GrpcApi::~GrpcApi() { Stop(); }

void GrpcApi::Start() {
  try {
    state_->server.Start();
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::kUsage, std::string("gRPC: ") + error.what(),
                  "See grpc.listen and grpc.tlsCert in the configuration.");
  }
}

void GrpcApi::Stop() {
  state_->server.Stop();
  state_->calls.Stop();
}

std::string GrpcApi::address() const { return state_->server.address(); }

}  // namespace fluxnetes::services
