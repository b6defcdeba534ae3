// What tests of gRPC need of a client: channels to a server, and certificates.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

namespace fluxnetes::services {

// Authorities, keys and certificates, made by openssl in a folder of their own.
// The names are those of the files: "server.crt", "server.key".
class TestCertificates {
 public:
  explicit TestCertificates(const std::string& folder);

  // An authority that vouches for itself.
  void AddAuthority(const std::string& name);
  // Signed by that authority, valid for so many days from now; negative: it was
  // valid until then. `names` is a subjectAltName, "DNS:ann".
  void Add(const std::string& name, const std::string& authority,
           const std::string& names, int days = 2);

  std::string Path(const std::string& file) const { return folder_ + file; }
  std::string Read(const std::string& file) const;

 private:
  void Run(const std::string& command);

  std::string folder_;
};

// A channel of its own, shared with no other of the process.
std::shared_ptr<grpc::Channel> PlainChannel(const std::string& address);

// With the certificate of that name ("": none), to a server of "localhost"
// whose authority is `authority`.
std::shared_ptr<grpc::Channel> TlsChannel(const std::string& address,
                                          const TestCertificates& certificates,
                                          const std::string& authority,
                                          const std::string& name);

// So much time for a call that should be answered at once.
void SetPatience(grpc::ClientContext& context);

}  // namespace fluxnetes::services
