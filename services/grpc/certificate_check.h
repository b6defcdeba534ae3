// Checks a client's certificate: signed by a trusted authority, for client use,
// and valid now (RFC 5280, section 6, by OpenSSL).
//
// Thread-safe.
// Tests: tests/services/grpc/grpc_server_test.cc.
#pragma once

#include <memory>
#include <string>

namespace fluxnetes::services {

class CertificateCheck {
 public:
  // Takes certificates in PEM form. Throws std::runtime_error if there is none
  // or one cannot be read.
  explicit CertificateCheck(const std::string& authorities);
  ~CertificateCheck();
  CertificateCheck(const CertificateCheck&) = delete;
  CertificateCheck& operator=(const CertificateCheck&) = delete;

  // Returns "" if the certificate is valid, else the reason in OpenSSL's words
  // and the certificate's subject. `chain` holds the certificates that the
  // client sent with it.
  std::string WhyNot(const std::string& certificate,
                     const std::string& chain) const;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

// Throws std::runtime_error unless the key belongs to the (first) certificate.
void CheckKeyPair(const std::string& certificate, const std::string& key);

}  // namespace fluxnetes::services
