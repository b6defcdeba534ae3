#include "cluster/http/curl_handle.h"

#include <mutex>
#include <new>
#include <regex>
#include <stdexcept>

namespace fluxnetes::cluster {

namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttp = "http://";
constexpr std::string_view kHttps = "https://";

void StartCurlOnce() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

// `299 - "TEXT"`, whose TEXT may have escaped characters.
std::string WarningText(std::string_view header) {
  const auto begin = header.find('"');
  const auto end = header.rfind('"');
  if (begin == end) return std::string(header);
  std::string text;
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (header[i] == '\\' && i + 1 < end) ++i;
    text += header[i];
  }
  return text;
}

curl_slist* Append(curl_slist* list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list, line.c_str());
  if (longer == nullptr) {
    curl_slist_free_all(list);
    throw std::bad_alloc();
  }
  return longer;
}

// Copied by libcurl, so the text need not outlive the call that takes it.
curl_blob BlobOf(const std::string& text) {
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_COPY};
}

// Appends ":443" if the host has no port; an IPv6 address is in brackets.
std::string WithPort(const std::string& host) {
  const auto colon = host.find(':', host.starts_with('[') ? host.find(']') : 0);
  return colon == std::string::npos ? host + ":443" : host;
}

}  // namespace

CurlAddress ParseAddress(const HttpOptions& options) {
  const std::string& address = options.address;
  if (address.starts_with(kUnix)) {
    std::string path = address.substr(kUnix.size());
    if (path.empty()) {
      throw std::invalid_argument("address '" + address +
                                  "': the path of the socket is missing");
    }
    return {"http://localhost", std::move(path), {}};
  }
  const bool known = address.starts_with(kHttp) || address.starts_with(kHttps);
  if (!known || address.ends_with("://")) {
    throw std::invalid_argument(
        "address '" + address +
        "': expected unix:PATH, http://HOST:PORT or https://HOST:PORT");
  }
  std::string url = address;
  while (url.ends_with('/')) url.pop_back();
  return {std::move(url), "", options.tls};
}

CurlMulti NewCurlMulti() {
  StartCurlOnce();
  CurlMulti multi(curl_multi_init());
  if (!multi) throw std::bad_alloc();
  return multi;
}

CurlHandle::CurlHandle(const CurlAddress& address,
                       std::chrono::milliseconds connect_timeout)
    : base_url_(address.base_url), error_(new char[CURL_ERROR_SIZE]()) {
  StartCurlOnce();
  easy_.reset(curl_easy_init());
  if (!easy_) throw std::bad_alloc();
  Set(CURLOPT_NOSIGNAL, 1L);
  Set(CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
  Set(CURLOPT_PROTOCOLS_STR, "http,https");
  Set(CURLOPT_NOPROXY, "*");
  Set(CURLOPT_TCP_KEEPALIVE, 1L);
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
  Set(CURLOPT_USERAGENT, "fluxnetes");
  Set(CURLOPT_ERRORBUFFER, error_.get());
  if (!address.unix_socket.empty()) {
    Set(CURLOPT_UNIX_SOCKET_PATH, address.unix_socket.c_str());
  }
  if (base_url_.starts_with(kHttps)) SetServerProof(address);
}

void CurlHandle::SetServerProof(const CurlAddress& address) {
  const TlsOptions& tls = address.tls;
  Set(CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  if (tls.insecure) {
    Set(CURLOPT_SSL_VERIFYPEER, 0L);
    Set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!tls.authorities.empty()) {
    curl_blob blob = BlobOf(tls.authorities);
    Set(CURLOPT_CAINFO_BLOB, &blob);
    Set(CURLOPT_CAPATH, nullptr);
  }
  // libcurl verifies the name in the URL, so that is set to the server name,
  // and the connection is routed to the real address.
  if (!tls.server_name.empty()) {
    const std::string host_and_port = base_url_.substr(kHttps.size());
    base_url_ = std::string(kHttps) + tls.server_name;
    route_.reset(Append(nullptr, "::" + WithPort(host_and_port)));
    Set(CURLOPT_CONNECT_TO, route_.get());
  }
}

void CurlHandle::SetCertificate() {
  if (!identity_ || identity_->certificate.empty()) {
    Set(CURLOPT_SSLCERT_BLOB, nullptr);
    Set(CURLOPT_SSLKEY_BLOB, nullptr);
    return;
  }
  curl_blob certificate = BlobOf(identity_->certificate);
  curl_blob key = BlobOf(identity_->key);
  Set(CURLOPT_SSLCERT_BLOB, &certificate);
  Set(CURLOPT_SSLKEY_BLOB, &key);
}

template <typename Value>
void CurlHandle::Set(CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
  if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
}

void CurlHandle::Prepare(const HttpRequest& request,
                         std::chrono::milliseconds timeout,
                         std::shared_ptr<const Identity> identity) {
  if (identity != identity_) {
    identity_ = std::move(identity);
    SetCertificate();
  }
  Set(CURLOPT_URL, (base_url_ + request.path).c_str());
  Set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  SetMethod(request);
  curl_slist* list = Append(nullptr, "Accept: " + request.accept);
  if (identity_ && !identity_->token.empty()) {
    list = Append(list, "Authorization: Bearer " + identity_->token);
  }
  if (!request.body.empty()) {
    list = Append(list, "Expect:");
    list = Append(list, "Content-Type: " + request.content_type);
  }
  headers_.reset(list);
  Set(CURLOPT_HTTPHEADER, list);
  error_[0] = '\0';
}

void CurlHandle::SetMethod(const HttpRequest& request) {
  Set(CURLOPT_HTTPGET, 1L);
  const bool has_body = !request.body.empty();
  if (has_body) {
    Set(CURLOPT_POSTFIELDSIZE_LARGE,
        static_cast<curl_off_t>(request.body.size()));
    Set(CURLOPT_POSTFIELDS, request.body.data());
  }
  const bool plain = request.method == (has_body ? "POST" : "GET");
  Set(CURLOPT_CUSTOMREQUEST, plain ? nullptr : request.method.c_str());
}

void CurlHandle::OnData(curl_write_callback callback, void* argument) {
  Set(CURLOPT_WRITEFUNCTION, callback);
  Set(CURLOPT_WRITEDATA, argument);
}

int CurlHandle::Status() const {
  long status = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

std::string CurlHandle::ContentType() const {
  const char* type = nullptr;
  curl_easy_getinfo(easy_.get(), CURLINFO_CONTENT_TYPE, &type);
  return type == nullptr ? "" : type;
}

std::optional<std::chrono::seconds> CurlHandle::RetryAfter() const {
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &seconds);
  if (seconds <= 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::vector<std::string> CurlHandle::Warnings() const {
  std::vector<std::string> warnings;
  curl_header* header = nullptr;
  for (std::size_t i = 0;
       curl_easy_header(easy_.get(), "Warning", i, CURLH_HEADER, -1, &header) ==
       CURLHE_OK;
       ++i) {
    warnings.push_back(WarningText(header->value));
  }
  return warnings;
}

std::string CurlHandle::Explain(CURLcode code) const {
  if (error_[0] == '\0') return curl_easy_strerror(code);
  static const std::regex took(" after [0-9]+ m(s|illiseconds)\\b");
  return std::regex_replace(error_.get(), took, "");
}

}  // namespace fluxnetes::cluster
