// One libcurl transfer, set up for an API server, with its header lists and the
// parsed address. Used by one thread.
// Tests: tests/cluster/http/http_client_test.cc,
// tests/cluster/http/https_test.cc.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cluster/http/http_client.h"

namespace fluxnetes::cluster {

// The server's address in the form that libcurl takes.
struct CurlAddress {
  std::string base_url;     // http://host:port, without a slash at the end
  std::string unix_socket;  // empty: TCP
  TlsOptions tls;
};

// Throws std::invalid_argument.
CurlAddress ParseAddress(const HttpOptions& options);

struct CurlMultiCleanup {
  void operator()(CURLM* multi) const { curl_multi_cleanup(multi); }
};
using CurlMulti = std::unique_ptr<CURLM, CurlMultiCleanup>;
CurlMulti NewCurlMulti();

class CurlHandle {
 public:
  CurlHandle(const CurlAddress& address,
             std::chrono::milliseconds connect_timeout);
  CurlHandle(CurlHandle&&) noexcept = default;
  CurlHandle& operator=(CurlHandle&&) noexcept = default;

  CURL* get() const { return easy_.get(); }

  // `request` must outlive the transfer. `identity` may be null.
  void Prepare(const HttpRequest& request, std::chrono::milliseconds timeout,
               std::shared_ptr<const Identity> identity);
  void OnData(curl_write_callback callback, void* argument);

  // The identity of this transfer; may be null.
  const std::shared_ptr<const Identity>& identity() const { return identity_; }

  int Status() const;
  // As the server wrote it; empty: it wrote none.
  std::string ContentType() const;
  std::optional<std::chrono::seconds> RetryAfter() const;
  // The texts of the headers `Warning: 299 - "TEXT"` (RFC 7234, section 5.5).
  std::vector<std::string> Warnings() const;
  // Describes the failure for people. Durations are left out, so that the same
  // failure always reads the same.
  std::string Explain(CURLcode code) const;

 private:
  struct EasyCleanup {
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
  };
  struct ListFree {
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  };

  template <typename Value>
  void Set(CURLoption option, Value value);
  void SetMethod(const HttpRequest& request);
  void SetServerProof(const CurlAddress& address);
  void SetCertificate();

  std::string base_url_;
  std::shared_ptr<const Identity> identity_;
  std::unique_ptr<curl_slist, ListFree> headers_;
  std::unique_ptr<curl_slist, ListFree> route_;
  std::unique_ptr<char[]> error_;
  std::unique_ptr<CURL, EasyCleanup> easy_;
};

}  // namespace fluxnetes::cluster
