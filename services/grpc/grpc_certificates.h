// Mutual TLS: the server's certificate, and the check of clients. A client's
// certificate must be signed for client use by an authority in `client_ca` and
// be valid now; the log names each refused client with the reason.
//
// The files are read again within a minute of a change, so that renewed
// certificates need no restart.
// Tests: tests/services/grpc/grpc_server_test.cc.
#pragma once

#include <memory>
#include <string>

#include "services/config/log.h"

namespace grpc {
class ServerCredentials;
}

namespace fluxnetes::services {

// Files in PEM form.
struct GrpcCertificates {
  std::string certificate;  // the server's, with its chain
  std::string key;          // the server's
  std::string client_ca;    // authorities of clients
};

// Throws std::runtime_error with the file that cannot be used. The log must
// outlive the result.
std::shared_ptr<grpc::ServerCredentials> MutualTls(
    const GrpcCertificates& certificates, const Log& log);

}  // namespace fluxnetes::services
