// Whether a client's certificate holds: signed by an authority that we trust,
// for the use of clients, and valid at this moment (RFC 5280, section 6, as
// OpenSSL does it).
//
// Thread-safe.
#pragma once

#include <memory>
#include <string>

namespace fluxnetes::services {

class CertificateCheck {
 public:
  // Certificates in PEM form. Throws std::runtime_error if there is none or one
  // cannot be read.
  explicit CertificateCheck(const std::string& authorities);
  ~CertificateCheck();
  CertificateCheck(const CertificateCheck&) = delete;
  CertificateCheck& operator=(const CertificateCheck&) = delete;

  // "" if it holds; else why not, in OpenSSL's words, and whose it is. `chain`
  // has what the client sent along.
  std::string WhyNot(const std::string& certificate,
                     const std::string& chain) const;

 private:
  struct Store;
  std::unique_ptr<Store> store_;
};

// Throws std::runtime_error unless the key is that of the (first) certificate.
void CheckKeyPair(const std::string& certificate, const std::string& key);

}  // namespace fluxnetes::services
