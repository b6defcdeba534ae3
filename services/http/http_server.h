// HTTP/1.1 on a socket: one thread per connection, connections
// are kept. What is asked and answered are plain values; an answer may be a
// stream, which is written piece by piece until its source ends.
//
// Limits: a request's line and headers together with its body at most
// `largest_request`. A connection is closed that says nothing at all for
// `idle`, whose request has not arrived `request_time` after its first byte, or
// that takes longer than `answer_time` for each MiB of its answer.
//
// The functions that answer are called from many threads. An exception of
// theirs becomes a 500 whose body is made by them too (`refuse`).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "services/http/listening_socket.h"

namespace fluxnetes::services {

struct HttpQuestion {
  std::string method;
  std::string path;  // decoded
  std::map<std::string, std::string> query;
  std::string content_type;
  std::string body;
};

struct HttpAnswer {
  // The next piece of a stream, empty if there is none just now; nothing at its
  // end. Waits not longer than a second, so that a server can stop.
  using Source = std::function<std::optional<std::string>()>;

  int status = 200;
  std::string body;
  std::string content_type = "application/json";
  std::optional<std::chrono::seconds> retry_after;
  Source stream;  // instead of the body
};

struct HttpServerOptions {
  std::string address;  // see ListeningSocket
  Reach reach = Reach::kMachine;
  std::function<HttpAnswer(const HttpQuestion&)> answer;
  // The body of what the server itself refuses: malformed, too large, failed.
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
  // Ends all connections, streams too. Twice is fine.
  void Stop();
  // For a client; after Start.
  const std::string& address() const;

 private:
  class Acceptor;
  std::unique_ptr<Acceptor> acceptor_;
};

}  // namespace fluxnetes::services
