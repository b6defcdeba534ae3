// An HTTP/1.1 server for browsers, on libmicrohttpd: one thread for all
// connections, by epoll. A request is answered in place, or later from another
// thread; an answer may be a stream, which costs no thread either.
//
// Limits: 32 KiB of memory for the lines and headers of a request and its
// answer (else 413, 414 or 431), `largest_body` for its body (413),
// `connections` in all (further ones are closed at once). A
// connection is closed if it does not send a whole request within
// `request_time`, has none for `idle`, or does not take its answer within
// `answer_time`; a stream whose reader takes nothing of what is sent for `idle`
// ends too.
//
// Start() and Stop() are for one thread; stopping twice is fine.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "services/config/log.h"
#include "services/web_http/web_message.h"

namespace fluxnetes::services {

struct WebServerOptions {
  std::string address = {};  // see ListeningSocket; of this machine only
  // Sends the answer of a request that was not answered in place; callable once
  // from any thread.
  using Send = std::function<void(WebReply)>;
  // Called on the server's thread, where it must not block. Returns the answer,
  // or nullopt if it will call `send`.
  std::function<std::optional<WebReply>(WebRequest request, Send send)> answer =
      {};
  std::size_t largest_body = std::size_t{4} << 20U;
  std::size_t connections = 6'000;
  std::chrono::seconds request_time{30};
  std::chrono::seconds answer_time{60};
  std::chrono::seconds idle{75};
};

class WebServer {
 public:
  WebServer(WebServerOptions options, const Log& log);
  ~WebServer();  // Stop()
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  // Throws as ListeningSocket does.
  void Start();
  // Ends all connections and streams. Every Send must have been called before.
  void Stop();

  // The address for a client: "unix:PATH" or "http://HOST:PORT"; valid after
  // Start().
  const std::string& address() const;
  // Connections closed because too many were open, and because they took too
  // long.
  std::int64_t turned_away() const;
  std::int64_t too_slow() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fluxnetes::services
