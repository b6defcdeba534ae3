// HTTP/1.1 to one API server: requests over a pool of kept connections, several
// under way at once, and streams (watches) that each have a connection of their
// own, so that a long list or a slow reader never stands before a binding.
//
//   Send ──▶ waiting ──▶ under way ──▶ answered
//                ▲           │
//                └─ backoff ◀┘   429, 5xx, lost connection; until the deadline
//
// One thread of the client's own does all the input and output (libcurl, multi
// interface). All functions are thread-safe; callbacks come from that thread,
// are short and throw nothing.
//
// What goes wrong on the way is in the response (status 0 and `error`), not an
// exception. The constructor throws std::invalid_argument for an address that
// cannot be used.
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
  // Who we are; null: nobody. An answer of 401 makes it look for another
  // identity and try once more.
  std::shared_ptr<Credentials> credentials = {};
  // At most so many a second, with bursts of as many; 0: as many as can be.
  // Streams do not count.
  double requests_per_second = 0;
  // For requests; each stream has one beside them.
  int connections = 32;
  std::chrono::milliseconds connect_timeout{5'000};
  // Between attempts where the server names no time: doubled each time, with
  // jitter (half to whole).
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds longest_backoff{5'000};
  // Told of each attempt of a request; null: nobody wants to know. Outlives us.
  ApiTally* tally = nullptr;
};

struct HttpRequest {
  std::string method = "GET";
  std::string path = {};  // with the query, percent-encoded
  std::string body = {};
  std::string content_type = "application/json";
  // May be sent again when it is unknown whether the server has acted on it.
  // 429 and a refused connection are tried again in any case.
  bool repeatable = true;
  // One attempt only, whatever comes of it: the caller tries again himself.
  bool once = false;
  std::chrono::milliseconds attempt_timeout{30'000};
  std::chrono::milliseconds deadline{30'000};  // of all attempts
};

struct HttpResponse {
  int status = 0;  // 0: there was no answer, `error` says why
  std::string body;
  std::string error;
  std::optional<std::chrono::seconds> retry_after;

  bool Succeeded() const { return status >= 200 && status < 300; }
};

// What a stream tells its reader, from the client's thread.
class StreamReader {
 public:
  virtual ~StreamReader() = default;

  // False holds the stream back (and, by TCP, the server) until Resume.
  virtual bool Ready() = 0;
  // Without its line end. The text is valid during the call.
  virtual void Line(std::string_view line) = 0;
  // Once, the last call. Status 200 with or without an error: it had begun.
  virtual void End(HttpResponse response) = 0;
};

// A stream that is open; closed by its destructor, after which the reader is
// not called any more. Not to be destroyed by the reader's own calls.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  virtual void Resume() = 0;
};

class HttpClient {
 public:
  explicit HttpClient(HttpOptions options);
  ~HttpClient();  // Stop()

  // What is under way, and all that still comes, is answered with an error;
  // streams end. From one thread; twice is fine.
  void Stop();

  HttpResponse Send(HttpRequest request);
  // Starts all in order, returns when each has its answer, in order.
  std::vector<HttpResponse> SendAll(std::vector<HttpRequest> requests);
  void Start(HttpRequest request, std::function<void(HttpResponse)> done);

  // Opens GET `path` and reads its lines. The stream ends with an error when
  // nothing has come for `silence`, or a line is longer than 16 MiB.
  std::unique_ptr<HttpStream> Open(std::string path,
                                   std::chrono::milliseconds silence,
                                   StreamReader& reader);

 private:
  class Loop;
  // Shared with the streams, which may be closed after the client.
  std::shared_ptr<Loop> loop_;
};

// "a%2Fb": for one segment of a path or one value of a query.
std::string PercentEncode(std::string_view text);

}  // namespace fluxnetes::cluster
