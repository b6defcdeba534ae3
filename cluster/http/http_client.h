// HTTP/1.1 client of one API server. Requests share a pool of kept connections,
// several at once; each stream (watch) has a connection of its own, so that a
// long list or a slow reader never delays a binding.
//
//   Send ──▶ waiting ──▶ in flight ──▶ answered
//                ▲           │
//                └─ backoff ◀┘   429, 5xx, lost connection; until the deadline
//
// One thread of the client does all input and output (libcurl, multi
// interface). All functions are thread-safe; callbacks run on that thread, must
// be short and must not throw.
//
// Transport failures are reported in the response (status 0 and `error`), not
// as exceptions. The constructor throws std::invalid_argument for an unusable
// address.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/http/api_access.h"
#include "cluster/http/api_tally.h"

namespace fluxnetes::cluster {

struct HttpOptions {
  // "unix:/path/of/socket", "http://host:port" or "https://host:port".
  std::string address;
  TlsOptions tls = {};
  // Our identity; null: anonymous. After a 401 it is renewed and the request
  // sent once more.
  std::shared_ptr<Credentials> credentials = {};
  // Rate limit, with bursts of one second's worth; 0: none. Streams do not
  // count.
  double requests_per_second = 0;
  // For requests; each stream has one more.
  int connections = 32;
  std::chrono::milliseconds connect_timeout{5'000};
  // Wait between attempts if the server names none: doubles each time, with
  // jitter (half to whole).
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds longest_backoff{5'000};
  // Counts each attempt of a request; may be null. Outlives the client.
  ApiTally* tally = nullptr;
};

struct HttpRequest {
  std::string method = "GET";
  std::string path = {};  // with the query, percent-encoded
  std::string body = {};
  std::string content_type = "application/json";
  std::string accept = "application/json";
  // True if the request may be sent again when it is unknown whether the server
  // has acted on it. 429 and a refused connection are always retried.
  bool repeatable = true;
  // Makes one attempt only: the caller retries.
  bool once = false;
  std::chrono::milliseconds attempt_timeout{30'000};
  std::chrono::milliseconds deadline{30'000};  // of all attempts
};

struct HttpResponse {
  int status = 0;  // 0: no answer; `error` has the reason
  std::string body;
  std::string error;
  std::optional<std::chrono::seconds> retry_after;
  std::vector<std::string> warnings = {};  // of the API server, for people

  bool Succeeded() const { return status >= 200 && status < 300; }
};

// Receives a stream, on the client's thread.
class StreamReader {
 public:
  virtual ~StreamReader() = default;

  // Returns false to pause the stream (and, by TCP, the server) until Resume.
  virtual bool Ready() = 0;
  // One line without its line end. The text is valid during the call.
  virtual void Line(std::string_view line) = 0;
  // Instead of lines, if the stream is in Protobuf: one frame without its
  // length. Not called unless `accept` asked for it.
  virtual void Frame(std::string_view /*frame*/) {}
  // The last call, made once. With status 200 the stream had begun, with or
  // without an error.
  virtual void End(HttpResponse response) = 0;
};

// An open stream. Its destructor closes it; after that the reader is not
// called. The reader's own calls must not destroy it.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  virtual void Resume() = 0;
};

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();  // Stop()

  // Answers all requests, in flight and later ones, with an error and ends the
  // streams. Call from one thread; calling twice is fine.
  void Stop();

  HttpResponse Send(HttpRequest request);
  // Starts all in order; returns the answers in order when all have arrived.
  std::vector<HttpResponse> SendAll(std::vector<HttpRequest> requests);
  void Start(HttpRequest request, std::function<void(HttpResponse)> done);

  // Opens GET `path` and reads its lines or frames. The stream ends with an
  // error if nothing arrives for `silence`, or if a line or a frame exceeds
  // 16 MiB.
  std::unique_ptr<HttpStream> Open(std::string path,
                                   std::chrono::milliseconds silence,
                                   StreamReader& reader,
                                   std::string accept = "application/json");

 private:
  class Loop;
  // Shared with the streams, which may outlive the client.
  std::shared_ptr<Loop> loop_;
};

// "a%2Fb": encodes one path segment or query value.
std::string PercentEncode(std::string_view text);

}  // namespace fluxnetes::cluster
