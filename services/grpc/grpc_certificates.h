// Mutual TLS: our certificate, and whom we let in. A client's certificate must
// have been signed, for clients, by the authorities of `client_ca`, and be
// valid now; the log says who is refused and why.
//
// The files are read again when they change, within a minute, so that whoever
// renews certificates need not restart us.
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
  std::string certificate;  // ours, and what leads to its authority
  std::string key;          // of ours
  std::string client_ca;    // authorities of clients
};

// Throws std::runtime_error that names the file that cannot be used. The log
// outlives what comes back.
std::shared_ptr<grpc::ServerCredentials> MutualTls(
    const GrpcCertificates& certificates, const Log& log);

}  // namespace fluxnetes::services
