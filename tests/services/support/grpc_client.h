// What tests of gRPC need on the client's side: channels to a server, and
// certificates.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

namespace fluxnetes::services {

// Authorities, keys and certificates, made by openssl in their own folder. The
// names are those of the files: "server.crt", "server.key".
class TestCertificates {
 public:
  explicit TestCertificates(const std::string& folder);

  // Creates a self-signed authority.
  void AddAuthority(const std::string& name);
  // Creates a certificate signed by that authority and valid for so many days
  // from now; negative: expired so many days ago. `names` is a subjectAltName,
  // "DNS:ann".
  void Add(const std::string& name, const std::string& authority,
           const std::string& names, int days = 2);

  std::string Path(const std::string& file) const { return folder_ + file; }
  std::string Read(const std::string& file) const;

 private:
  void Run(const std::string& command);

  std::string folder_;
};

// Opens a channel that shares no connection with others.
std::shared_ptr<grpc::Channel> PlainChannel(const std::string& address);

// Opens a channel with the certificate `name` ("": none) to a server
// "localhost" whose authority is `authority`.
std::shared_ptr<grpc::Channel> TlsChannel(const std::string& address,
                                          const TestCertificates& certificates,
                                          const std::string& authority,
                                          const std::string& name);

// Sets a deadline for a call that should be answered at once.
void SetPatience(grpc::ClientContext& context);

}  // namespace fluxnetes::services
