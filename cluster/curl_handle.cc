#include "cluster/curl_handle.h"

#include <mutex>
#include <new>
#include <stdexcept>

namespace fluxnetes::cluster {

namespace {

constexpr std::string_view kUnix = "unix:";
constexpr std::string_view kHttp = "http://";

void StartCurlOnce() {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
}

curl_slist* Append(curl_slist* list, const std::string& line) {
  curl_slist* longer = curl_slist_append(list, line.c_str());
  if (longer == nullptr) {
    curl_slist_free_all(list);
    throw std::bad_alloc();
  }
  return longer;
}

}  // namespace

CurlAddress ParseAddress(const std::string& address) {
  if (address.starts_with(kUnix)) {
    std::string path = address.substr(kUnix.size());
    if (path.empty()) {
      throw std::invalid_argument("address '" + address +
                                  "': the path of the socket is missing");
    }
    return {"http://localhost", std::move(path)};
  }
  if (!address.starts_with(kHttp) || address.size() == kHttp.size()) {
    throw std::invalid_argument("address '" + address +
                                "': expected unix:PATH or http://HOST:PORT");
  }
  std::string url = address;
  while (url.ends_with('/')) url.pop_back();
  return {std::move(url), ""};
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
  Set(CURLOPT_PROTOCOLS_STR, "http");
  Set(CURLOPT_NOPROXY, "*");
  Set(CURLOPT_TCP_KEEPALIVE, 1L);
  Set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(connect_timeout.count()));
  Set(CURLOPT_USERAGENT, "fluxnetes");
  Set(CURLOPT_ERRORBUFFER, error_.get());
  if (!address.unix_socket.empty()) {
    Set(CURLOPT_UNIX_SOCKET_PATH, address.unix_socket.c_str());
  }
}

template <typename Value>
void CurlHandle::Set(CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
  if (code != CURLE_OK) throw std::runtime_error(curl_easy_strerror(code));
}

void CurlHandle::Prepare(const HttpRequest& request,
                         std::chrono::milliseconds timeout) {
  Set(CURLOPT_URL, (base_url_ + request.path).c_str());
  Set(CURLOPT_TIMEOUT_MS, static_cast<long>(timeout.count()));
  SetMethod(request);
  curl_slist* list = Append(nullptr, "Accept: application/json");
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

std::optional<std::chrono::seconds> CurlHandle::RetryAfter() const {
  curl_off_t seconds = 0;
  curl_easy_getinfo(easy_.get(), CURLINFO_RETRY_AFTER, &seconds);
  if (seconds <= 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::string CurlHandle::Explain(CURLcode code) const {
  return error_[0] != '\0' ? error_.get() : curl_easy_strerror(code);
}

}  // namespace fluxnetes::cluster
