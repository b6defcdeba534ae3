// Any bytes sent to the server of the pages leave it there to answer the next
// request, and whatever they mean, none that passes the guard has another Host,
// another Origin, or a body that is not declared as JSON.
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "services/web/web_guard.h"
#include "services/web_http/web_server.h"
#include "services/web_http/web_stream.h"

namespace {

namespace services = fluxnetes::services;
using services::WebReply;
using services::WebRequest;

std::string Lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

void CheckPassed(const WebRequest& request) {
  const std::string host = Lower(request.Header("host"));
  if (!host.starts_with("localhost") && !host.starts_with("127.0.0.1") &&
      !host.starts_with("[::1]"))
    std::abort();
  const std::string origin = Lower(request.Header("origin"));
  if (!origin.empty() && !origin.ends_with("://" + host)) std::abort();
  if (request.method == "POST" &&
      !Lower(request.Header("content-type")).starts_with("application/json"))
    std::abort();
}

std::shared_ptr<const std::string> Text(const std::string& text) {
  return std::make_shared<const std::string>(text);
}

WebReply Answer(const WebRequest& request) {
  const services::WebRefusal refusal =
      services::CheckRequest(request, services::WebAsk::kData, {});
  if (services::CookieOf(request, "a").find(';') != std::string::npos)
    std::abort();
  if (refusal.status != 0)
    return {.status = refusal.status, .body = Text(refusal.why)};
  CheckPassed(request);
  if (!request.path.starts_with("/events")) return {.body = Text("well")};
  auto stream = std::make_shared<services::WebStream>([] {});
  stream->Add(Text("data: {}\n\n"));
  stream->End();
  return {.headers = {{"Content-Type", "text/event-stream"}},
          .stream = std::move(stream)};
}

// The server, for as long as the program runs.
class Server {
 public:
  Server() { server_.Start(); }

  // Returns what is answered to these bytes until the server closes, or says
  // nothing for so long: it waits for the rest of a request.
  std::string Send(const std::string& bytes, timeval patience) const {
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof(address.sun_path) - 1);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
        0)
      std::abort();
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count =
          send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) break;  // it is refused already
      sent += static_cast<std::size_t>(count);
    }
    shutdown(fd, SHUT_WR);
    std::string answer;
    char buffer[4096];
    for (;;) {
      const ssize_t count = recv(fd, buffer, sizeof(buffer), 0);
      if (count <= 0) break;
      answer.append(buffer, static_cast<std::size_t>(count));
    }
    close(fd);
    return answer;
  }

 private:
  const std::string path_ =
      (std::filesystem::temp_directory_path() /
       ("web_request_fuzz." + std::to_string(getpid()) + ".sock"))
          .string();
  std::ostringstream lines_;
  const services::Log log_{
      {.level = services::LogLevel::kError, .out = &lines_}};
  services::WebServer server_{
      {.address = "unix:" + path_,
       .answer =
           [](WebRequest request, const services::WebServerOptions::Send&) {
             return std::optional(Answer(request));
           },
       .largest_body = 4'096},
      log_};
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  static const Server server;
  server.Send({reinterpret_cast<const char*>(data), size},
              {.tv_sec = 0, .tv_usec = 20'000});
  const std::string next = server.Send(
      "GET /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
      {.tv_sec = 20, .tv_usec = 0});
  if (!next.starts_with("HTTP/1.1 200") || !next.ends_with("well"))
    std::abort();
  return 0;
}
