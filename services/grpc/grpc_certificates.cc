#include "services/grpc/grpc_certificates.h"

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_certificate_verifier.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "services/grpc/certificate_check.h"
#include "sql/mutex.h"

namespace fluxnetes::services {
namespace {

constexpr unsigned kRereadSeconds = 60;

std::string ReadPem(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw std::runtime_error(path + " cannot be read: " + std::strerror(errno));
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string PemText(const grpc::string_ref& text) {
  return {text.data(), text.size()};
}

// Trusts or refuses a client's certificate. gRPC has checked that the client
// has its key. gRPC's own check of trust is not used: its message is only
// "failed".
class ClientVerifier : public grpc::experimental::ExternalCertificateVerifier {
 public:
  ClientVerifier(std::string client_ca, const Log& log)
      : path_(std::move(client_ca)), log_(log) {}

  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)> /*callback*/,
              grpc::Status* status) override {
    std::string why = "the authorities cannot be read";
    try {
      why = Current()->WhyNot(PemText(request->peer_cert()),
                              PemText(request->peer_cert_full_chain()));
    } catch (const std::exception& error) {
      why += std::string(": ") + error.what();
    }
    if (!why.empty()) {
      log_.Warn("a client's certificate is refused", {{"why", why}});
      *status = grpc::Status(grpc::StatusCode::UNAUTHENTICATED, why);
    }
    return true;  // the check is complete
  }

  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest*) override {
  }

 private:
  // Reads the file again if it has changed.
  std::shared_ptr<const CertificateCheck> Current() {
    struct stat there {};
    if (stat(path_.c_str(), &there) != 0) {
      throw std::runtime_error(path_ + ": " + std::strerror(errno));
    }
    const sql::MutexLock lock(mutex_);
    const auto version = std::make_tuple(there.st_mtim.tv_sec,
                                         there.st_mtim.tv_nsec, there.st_ino);
    if (!check_ || version != version_) {
      check_ = std::make_shared<const CertificateCheck>(ReadPem(path_));
      version_ = version;
    }
    return check_;
  }

  const std::string path_;
  const Log& log_;
  sql::Mutex mutex_;
  // Shared, since handshakes run concurrently.
  std::shared_ptr<const CertificateCheck> check_ GUARDED_BY(mutex_);
  std::tuple<time_t, long, ino_t> version_ GUARDED_BY(mutex_);
};

void CheckFiles(const GrpcCertificates& files) {
  const std::string certificate = ReadPem(files.certificate);
  const std::string key = ReadPem(files.key);
  try {
    CheckKeyPair(certificate, key);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(files.certificate + " with " + files.key + ": " +
                             error.what());
  }
  try {
    const CertificateCheck check(ReadPem(files.client_ca));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(files.client_ca + ": " + error.what());
  }
}

}  // namespace

std::shared_ptr<grpc::ServerCredentials> MutualTls(
    const GrpcCertificates& files, const Log& log) {
  CheckFiles(files);
  using grpc::experimental::ExternalCertificateVerifier;
  grpc::experimental::TlsServerCredentialsOptions options(
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          files.key, files.certificate, files.client_ca, kRereadSeconds));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_BUT_DONT_VERIFY);
  options.set_certificate_verifier(
      ExternalCertificateVerifier::Create<ClientVerifier>(files.client_ca,
                                                          log));
  options.set_check_call_host(false);
  return grpc::experimental::TlsServerCredentials(options);
}

}  // namespace fluxnetes::services
