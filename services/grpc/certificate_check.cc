#include "services/grpc/certificate_check.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <stdexcept>
#include <vector>

namespace fluxnetes::services {
namespace {

template <auto kFree>
struct Freed {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using CheckContext =
    std::unique_ptr<X509_STORE_CTX, Freed<X509_STORE_CTX_free>>;
using Stack =
    std::unique_ptr<STACK_OF(X509),
                    Freed<[](STACK_OF(X509) * stack) { sk_X509_free(stack); }>>;

Bio Reading(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::vector<Certificate> ReadCertificates(const std::string& text) {
  std::vector<Certificate> certificates;
  const Bio bio = Reading(text);
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next);
  }
  ERR_clear_error();  // left by the end of the file
  return certificates;
}

std::string NameText(const X509_NAME* name) {
  const Bio bio(BIO_new(BIO_s_mem()));
  X509_NAME_print_ex(bio.get(), name, 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string TimeText(const ASN1_TIME* time) {
  const Bio bio(BIO_new(BIO_s_mem()));
  ASN1_TIME_print(bio.get(), time);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

struct CertificateCheck::Store {
  std::unique_ptr<X509_STORE, Freed<X509_STORE_free>> trusted{X509_STORE_new()};
};

CertificateCheck::CertificateCheck(const std::string& authorities)
    : store_(std::make_unique<Store>()) {
  const auto certificates = ReadCertificates(authorities);
  if (certificates.empty()) {
    throw std::runtime_error("holds no certificate in PEM form");
  }
  for (const Certificate& authority : certificates) {
    X509_STORE_add_cert(store_->trusted.get(), authority.get());
  }
}

CertificateCheck::~CertificateCheck() = default;

std::string CertificateCheck::WhyNot(const std::string& certificate,
                                     const std::string& chain) const {
  const auto own = ReadCertificates(certificate);
  if (own.empty()) return "there is none";
  const auto sent = ReadCertificates(chain);
  const Stack between(sk_X509_new_null());
  for (const Certificate& one : sent) sk_X509_push(between.get(), one.get());
  const CheckContext context(X509_STORE_CTX_new());
  X509* leaf = own.front().get();
  if (!between || !context ||
      X509_STORE_CTX_init(context.get(), store_->trusted.get(), leaf,
                          between.get()) != 1 ||
      X509_STORE_CTX_set_default(context.get(), "ssl_client") != 1) {
    return "it cannot be checked";
  }
  if (X509_verify_cert(context.get()) == 1) return "";
  const int error = X509_STORE_CTX_get_error(context.get());
  return fmt::format("{} (subject {}, issuer {}, valid from {} until {})",
                     X509_verify_cert_error_string(error),
                     NameText(X509_get_subject_name(leaf)),
                     NameText(X509_get_issuer_name(leaf)),
                     TimeText(X509_get0_notBefore(leaf)),
                     TimeText(X509_get0_notAfter(leaf)));
}

void CheckKeyPair(const std::string& certificate, const std::string& key) {
  const auto certificates = ReadCertificates(certificate);
  if (certificates.empty()) {
    throw std::runtime_error("the first file has no certificate in PEM form");
  }
  const Key read(
      PEM_read_bio_PrivateKey(Reading(key).get(), nullptr, nullptr, nullptr));
  ERR_clear_error();
  if (!read)
    throw std::runtime_error("the second file has no private key in PEM form");
  if (X509_check_private_key(certificates.front().get(), read.get()) != 1) {
    ERR_clear_error();
    throw std::runtime_error("the key is not that of the certificate");
  }
}

}  // namespace fluxnetes::services
