// A gRPC server on one address: a socket file or a loopback port, or with
// certificates any address of this machine. It adds the services for health
// (grpc.health.v1) and reflection to those it is given.
//
// Limits: messages up to `largest_message`, 16 KiB of metadata per call,
// `streams` concurrent calls per connection, `connections` in all (further ones
// are closed at once), 10 s for a handshake. A connection without calls is
// closed after five minutes, one whose client answers no ping after 80 s.
//
// Start() and Stop() are for one thread; stopping twice is fine.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/config/log.h"
#include "services/grpc/grpc_certificates.h"

namespace grpc {
class Service;
}

namespace fluxnetes::services {

struct GrpcServerOptions {
  std::string address;  // see ListeningSocket
  std::optional<GrpcCertificates> certificates = std::nullopt;
  std::vector<grpc::Service*> services = {};  // must outlive the server
  std::size_t largest_message = std::size_t{4} << 20U;
  int streams = 256;
  std::size_t connections = 1024;
  // The time that running calls get at a stop.
  std::chrono::milliseconds drain{3'000};
};

class GrpcServer {
 public:
  GrpcServer(GrpcServerOptions options, const Log& log);
  ~GrpcServer();  // Stop()
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Throws as ListeningSocket does, and std::runtime_error for missing or
  // invalid certificates.
  void Start();

  // In order: health becomes NOT_SERVING, new connections are refused, and
  // running calls end by themselves within `drain` or are cancelled. Endless
  // streams must be ended by their services before.
  void Stop();

  // Sets the health status; it is SERVING from the start.
  void SetServing(bool serving);

  // The address for a client: "unix:PATH" or "HOST:PORT"; valid after Start().
  std::string address() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
