#include "services/grpc/grpc_server.h"

#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>

#include <mutex>
#include <stdexcept>
#include <utility>

#include "services/grpc/grpc_log.h"
#include "services/http/connection_gate.h"

namespace fluxnetes::services {
namespace {

constexpr int kLargestMetadata = 16 << 10;
constexpr int kHandshakeMs = 10'000;
constexpr int kIdleMs = 300'000;
constexpr int kPingEveryMs = 60'000;
constexpr int kPingAnsweredMs = 20'000;
constexpr int kClientPingsAtMostEveryMs = 10'000;

// Keeps gRPC until the process ends. Otherwise it shuts down with its last
// user, and after a large answer then waits 10 s for a poller of its own.
void KeepGrpc() {
  static std::once_flag once;
  std::call_once(once, grpc_init);
}

void SetLimits(grpc::ServerBuilder& builder, const GrpcServerOptions& options) {
  const int message = static_cast<int>(options.largest_message);
  builder.SetMaxReceiveMessageSize(message);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, kLargestMetadata);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, options.streams);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             kHandshakeMs);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kIdleMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kPingEveryMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingAnsweredMs);
  builder.AddChannelArgument(
      GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
      kClientPingsAtMostEveryMs);
}

}  // namespace

struct GrpcServer::State {
  State(GrpcServerOptions given, const Log& logger)
      : options(std::move(given)),
        log(logger),
        grpc_log(logger),
        gate({.address = options.address,
              .reach = options.certificates ? Reach::kNetwork : Reach::kMachine,
              .connections = options.connections,
              .admit = [this](int fd) { Admit(fd); }}) {}

  void Admit(int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters
        connection;
    connection.fd = fd;
    acceptor->HandleNewConnection(&connection);
  }

  std::shared_ptr<grpc::ServerCredentials> Credentials() const {
    if (options.certificates) return MutualTls(*options.certificates, log);
    return grpc::InsecureServerCredentials();
  }

  const GrpcServerOptions options;
  const Log& log;
  const GrpcLog grpc_log;
  ConnectionGate gate;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
  std::unique_ptr<grpc::Server> server;
};

GrpcServer::GrpcServer(GrpcServerOptions options, const Log& log)
    : state_(std::make_unique<State>(std::move(options), log)) {}

GrpcServer::~GrpcServer() { Stop(); }

void GrpcServer::Start() {
  if (!state_->options.certificates &&
      !IsOfThisMachine(state_->options.address)) {
    throw std::runtime_error(
        "cannot listen on " + state_->options.address +
        " without certificates; right would be unix:PATH, 127.0.0.1:PORT, or "
        "grpc.tlsCert, grpc.tlsKey and grpc.clientCA");
  }
  KeepGrpc();
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  SetLimits(builder, state_->options);
  using Type = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
  state_->acceptor = builder.experimental().AddExternalConnectionAcceptor(
      Type::FROM_FD, state_->Credentials());
  for (grpc::Service* service : state_->options.services) {
    builder.RegisterService(service);
  }
  state_->gate.Open();
  state_->server = builder.BuildAndStart();
  if (!state_->server) {
    throw std::runtime_error("gRPC does not start on " +
                             state_->options.address);
  }
  SetServing(true);
  state_->gate.Start();
}

void GrpcServer::Stop() {
  if (!state_->server) return;
  SetServing(false);
  state_->gate.Stop();
  state_->server->Shutdown(std::chrono::system_clock::now() +
                           state_->options.drain);
  state_->server->Wait();
  state_->server.reset();
  if (const auto turned_away = state_->gate.turned_away(); turned_away > 0) {
    state_->log.Warn("connections were closed: too many are open",
                     {{"count", turned_away}});
  }
}

void GrpcServer::SetServing(bool serving) {
  if (!state_->server) return;
  state_->server->GetHealthCheckService()->SetServingStatus(serving);
}

std::string GrpcServer::address() const {
  constexpr std::string_view kHttp = "http://";
  const std::string& address = state_->gate.address();
  return address.starts_with(kHttp) ? address.substr(kHttp.size()) : address;
}

}  // namespace fluxnetes::services
