#include "services/http/http_server.h"

#include <httplib.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <list>
#include <stdexcept>
#include <thread>
#include <utility>

#include "services/http/connection_stream.h"
#include "services/http/listening_socket.h"
#include "sql/mutex.h"

namespace fluxnetes::services {

namespace {

HttpQuestion ToQuestion(const httplib::Request& request) {
  HttpQuestion question;
  question.method = request.method;
  question.path = request.path;
  for (const auto& [key, value] : request.params) {
    question.query.emplace(key, value);
  }
  question.content_type = request.get_header_value("Content-Type");
  question.accept = request.get_header_value("Accept");
  question.body = request.body;
  return question;
}

// As a quoted string of HTTP (RFC 9110, section 5.6.4), on one line.
std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\r' || c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

void Fill(httplib::Response& response, HttpAnswer answer) {
  response.status = answer.status;
  if (answer.retry_after) {
    response.set_header("Retry-After",
                        std::to_string(answer.retry_after->count()));
  }
  for (const std::string& warning : answer.warnings) {
    response.headers.emplace("Warning", "299 - " + Quoted(warning));
  }
  if (!answer.stream) {
    response.set_content(answer.body, answer.content_type);
    return;
  }
  response.set_chunked_content_provider(
      answer.content_type, [source = std::move(answer.stream)](
                               std::size_t, httplib::DataSink& sink) {
        const std::optional<std::string> piece = source();
        if (!piece) {
          sink.done();
          return true;
        }
        const bool sent =
            piece->empty() || sink.write(piece->data(), piece->size());
        return sent && sink.is_writable();
      });
}

// Compression and ranges are not supported. A request without a body length has
// no body (RFC 9112, section 6.3); cpp-httplib would wait for one.
void Normalize(httplib::Request& request) {
  for (const char* header : {"Accept-Encoding", "Content-Encoding", "Range"}) {
    request.headers.erase(header);
  }
  if (!request.has_header("Content-Length") &&
      !request.has_header("Transfer-Encoding")) {
    request.set_header("Content-Length", "0");
  }
}

}  // namespace

// Accepts connections; cpp-httplib parses requests and writes answers.
class HttpServer::Acceptor : private httplib::Server {
 public:
  explicit Acceptor(HttpServerOptions options);
  ~Acceptor() override { Stop(); }

  void Start();
  void Stop();
  const std::string& address() const { return address_; }

 private:
  struct Connection {
    int fd = -1;
    bool over = false;  // guarded by mutex_ of the acceptor
    std::thread thread;
  };

  void Answer(const httplib::Request& request, httplib::Response& response);
  void Refuse(httplib::Response& response, const std::string& why);
  void Accept() EXCLUDES(mutex_);
  void Admit(int fd) EXCLUDES(mutex_);
  void Reap() EXCLUDES(mutex_);
  void Serve(Connection& connection) EXCLUDES(mutex_);

  const HttpServerOptions options_;
  // Set by Start(), before the thread begins.
  std::optional<ListeningSocket> socket_;
  std::string address_;
  int wake_ = -1;
  std::thread accepting_;

  sql::Mutex mutex_;
  std::list<Connection> connections_ GUARDED_BY(mutex_);
};

HttpServer::Acceptor::Acceptor(HttpServerOptions options)
    : options_(std::move(options)) {
  const auto answer = [this](const httplib::Request& request,
                             httplib::Response& response) {
    Answer(request, response);
  };
  constexpr const char* kAny = "[^]*";
  Get(kAny, answer);
  Post(kAny, answer);
  Put(kAny, answer);
  Patch(kAny, answer);
  Delete(kAny, answer);
  set_payload_max_length(options_.largest_request);
  set_keep_alive_timeout(
      std::chrono::ceil<std::chrono::seconds>(options_.idle).count());
  set_error_handler([this](const httplib::Request&, httplib::Response& it) {
    if (it.body.empty()) Refuse(it, "the request cannot be read");
  });
}

void HttpServer::Acceptor::Answer(const httplib::Request& request,
                                  httplib::Response& response) {
  try {
    Fill(response, options_.answer(ToQuestion(request)));
  } catch (const std::exception& error) {
    response.status = 500;
    Refuse(response, error.what());
  }
}

void HttpServer::Acceptor::Refuse(httplib::Response& response,
                                  const std::string& why) {
  response.set_content(options_.refuse(response.status, why),
                       "application/json");
}

void HttpServer::Acceptor::Start() {
  socket_.emplace(options_.address, options_.reach);
  address_ = socket_->address();
  wake_ = eventfd(0, EFD_CLOEXEC);
  if (wake_ < 0) throw std::runtime_error("cannot make an eventfd");
  // cpp-httplib ends its streams when this is no socket.
  svr_sock_ = socket_->fd();
  accepting_ = std::thread([this] { Accept(); });
}

void HttpServer::Acceptor::Stop() {
  if (!accepting_.joinable()) return;
  svr_sock_ = INVALID_SOCKET;
  eventfd_write(wake_, 1);
  accepting_.join();
  std::list<Connection> connections;  // each stays where its thread knows it
  {
    const sql::MutexLock lock(mutex_);
    for (Connection& connection : connections_) {
      if (!connection.over) shutdown(connection.fd, SHUT_RDWR);
    }
    connections.swap(connections_);
  }
  for (Connection& connection : connections) connection.thread.join();
  close(wake_);
  socket_.reset();
}

void HttpServer::Acceptor::Accept() {
  while (true) {
    pollfd waiting[] = {{socket_->fd(), POLLIN, 0}, {wake_, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) continue;
    if (waiting[1].revents != 0) return;
    Reap();
    const int fd = accept4(socket_->fd(), nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) {
      Admit(fd);
    } else if (errno != ECONNABORTED && errno != EINTR) {
      // Out of descriptors: pause, so that the loop does not spin.
      poll(&waiting[1], 1, 50);
    }
  }
}

void HttpServer::Acceptor::Admit(int fd) {
  const sql::MutexLock lock(mutex_);
  if (connections_.size() >= static_cast<std::size_t>(options_.connections)) {
    close(fd);
    return;
  }
  Connection& connection = connections_.emplace_back();
  connection.fd = fd;
  connection.thread = std::thread([this, &connection] { Serve(connection); });
}

void HttpServer::Acceptor::Reap() {
  const sql::MutexLock lock(mutex_);
  std::erase_if(connections_, [](Connection& connection) {
    if (!connection.over) return false;
    connection.thread.join();
    return true;
  });
}

void HttpServer::Acceptor::Serve(Connection& connection) {
  ConnectionStream stream(connection.fd,
                          {.largest_request = options_.largest_request,
                           .request_time = options_.request_time,
                           .answer_time = options_.answer_time});
  bool closed = false;
  while (!closed && stream.AwaitRequest(options_.idle)) {
    if (!process_request(stream, false, closed, Normalize)) closed = true;
    if (!stream.Flush()) closed = true;
  }
  const sql::MutexLock lock(mutex_);
  connection.over = true;
  close(connection.fd);
}

HttpServer::HttpServer(HttpServerOptions options)
    : acceptor_(std::make_unique<Acceptor>(std::move(options))) {}
HttpServer::~HttpServer() = default;
void HttpServer::Start() { acceptor_->Start(); }
void HttpServer::Stop() { acceptor_->Stop(); }
const std::string& HttpServer::address() const { return acceptor_->address(); }

}  // namespace fluxnetes::services
