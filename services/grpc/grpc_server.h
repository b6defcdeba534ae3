// gRPC on one address: a socket file or a loopback port, or with certificates
// any address of this machine. Beside the services that it is given it has
// those of health (grpc.health.v1) and of reflection.
//
// Limits: a message at most `largest_message`, the metadata of a call 16 KiB,
// `streams` calls at a time on a connection and `connections` in all (more are
// hung up on), 10 s for a handshake; a connection without calls ends after five
// minutes, one whose client answers no ping after 80 s.
//
// Start() and Stop() from one thread; stopping twice is fine.
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
  std::vector<grpc::Service*> services = {};  // outlive the server
  std::size_t largest_message = std::size_t{4} << 20U;
  int streams = 256;
  std::size_t connections = 1024;
  // What is under way at a stop may take so long.
  std::chrono::milliseconds drain{3'000};
};

class GrpcServer {
 public:
  GrpcServer(GrpcServerOptions options, const Log& log);
  ~GrpcServer();  // Stop()
  GrpcServer(const GrpcServer&) = delete;
  GrpcServer& operator=(const GrpcServer&) = delete;

  // Throws as ListeningSocket does, and std::runtime_error for certificates
  // that are missing or cannot be used.
  void Start();

  // In order: health says NOT_SERVING, nobody new is let in, what is under way
  // ends by itself within `drain`, or is cancelled. Streams that have no end
  // are ended by their services, before.
  void Stop();

  // What health says; SERVING from the start.
  void SetServing(bool serving);

  // For a client: "unix:PATH" or "HOST:PORT"; after Start.
  std::string address() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
