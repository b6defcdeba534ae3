// An HTTP/1.1 server on a socket: one thread per connection, persistent
// connections. Requests and answers are plain values; an answer may be a
// stream, which is written piece by piece until its source ends.
//
// Limits: `largest_request` for a request's line, headers and body together. A
// connection is closed if it is silent for `idle`, if a request takes longer
// than `request_time` from its first byte, or if the peer takes longer than
// `answer_time` for each MiB of an answer.
//
// `answer` is called from many threads. If it throws, the answer is a 500 whose
// body comes from `refuse`.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "services/http/listening_socket.h"

namespace fluxnetes::services {

struct HttpQuestion {
  std::string method;
  std::string path;  // percent-decoded
  std::map<std::string, std::string> query;
  std::string content_type;
  std::string accept;  // the types that the client takes, as it wrote them
  std::string body;
};

struct HttpAnswer {
  // Returns the next piece of a stream, empty if there is none yet; nullopt at
  // the end. Waits at most a second, so that a server can stop.
  using Source = std::function<std::optional<std::string>()>;

  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::optional<std::chrono::seconds> retry_after;
  std::vector<std::string> warnings = {};  // headers `Warning: 299 - "TEXT"`
  Source stream;                           // instead of the body
};

struct HttpServerOptions {
  std::string address;  // see ListeningSocket
  Reach reach = Reach::kMachine;
  std::function<HttpAnswer(const HttpQuestion&)> answer;
  // The body of the server's own errors: malformed, too large, failed.
  std::function<std::string(int status, const std::string& why)> refuse;
  std::size_t largest_request = std::size_t{8} << 20U;
  std::chrono::milliseconds idle{120'000};
  std::chrono::milliseconds request_time{60'000};
  std::chrono::milliseconds answer_time{60'000};
  int connections = 1024;
};

class HttpServer {
 public:
  explicit HttpServer(HttpServerOptions options);
  ~HttpServer();

  // Throws as ListeningSocket does.
  void Start();
  // Ends all connections, streams too. Stopping twice is fine.
  void Stop();
  // The address for a client; valid after Start().
  const std::string& address() const;

 private:
  class Acceptor;
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace fluxnetes::services
