#include "services/web_http/web_server.h"

#include <microhttpd.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "services/http/connection_gate.h"
#include "services/web_http/connection_deadlines.h"
#include "services/web_http/web_stream.h"
#include "sql/mutex.h"

namespace fluxnetes::services {
namespace {

using Clock = ConnectionDeadlines::Clock;

constexpr std::size_t kConnectionMemory = std::size_t{32} << 10U;
constexpr std::size_t kStreamBlock = std::size_t{4} << 10U;
constexpr std::chrono::seconds kBetweenDeadlineLooks{1};

int FdOf(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info == nullptr ? -1 : info->connect_fd;
}

std::string LowerCase(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

MHD_Result NoteHeader(void* to, MHD_ValueKind, const char* key,
                      const char* value) {
  std::string& text =
      (*static_cast<std::map<std::string, std::string>*>(to))[LowerCase(key)];
  // RFC 9110, section 5.3: a header that is there twice is a list.
  if (!text.empty()) text += ", ";
  text += value == nullptr ? "" : value;
  return MHD_YES;
}

MHD_Result NoteQuery(void* to, MHD_ValueKind, const char* key,
                     const char* value) {
  (*static_cast<std::map<std::string, std::string>*>(to))[key] =
      value == nullptr ? "" : value;
  return MHD_YES;
}

// A request from its first line to the end of its answer. All of it belongs to
// the server's thread, apart from what the mutex guards.
class Exchange {
 public:
  Exchange(MHD_Connection* connection, const char* method, const char* path)
      : connection_(connection) {
    request.method = method;
    request.path = path;
    MHD_get_connection_values(connection, MHD_HEADER_KIND, NoteHeader,
                              &request.headers);
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, NoteQuery,
                              &request.query);
  }

  WebRequest request;
  bool dispatched = false;
  std::shared_ptr<WebStream> stream;

  // Waits for Send().
  void Suspend() {
    const sql::MutexLock lock(mutex_);
    if (reply_) return;
    suspended_ = true;
    MHD_suspend_connection(connection_);
  }

  void Send(WebReply reply) EXCLUDES(mutex_) {
    const sql::MutexLock lock(mutex_);
    if (reply_) return;
    reply_ = std::move(reply);
    if (std::exchange(suspended_, false)) MHD_resume_connection(connection_);
  }

  std::optional<WebReply> TakeReply() EXCLUDES(mutex_) {
    const sql::MutexLock lock(mutex_);
    return reply_;
  }

  MHD_Connection* connection() const { return connection_; }

 private:
  MHD_Connection* const connection_;
  sql::Mutex mutex_;
  bool suspended_ GUARDED_BY(mutex_) = false;
  std::optional<WebReply> reply_ GUARDED_BY(mutex_);
};

using ExchangePtr = std::shared_ptr<Exchange>;  // the server's, and Send's

ssize_t ReadStream(void* of, std::uint64_t /*position*/, char* to,
                   std::size_t room) {
  const ExchangePtr& exchange = *static_cast<ExchangePtr*>(of);
  std::size_t count = 0;
  switch (exchange->stream->Take(to, room, count, [&exchange] {
    MHD_suspend_connection(exchange->connection());
  })) {
    case WebStream::Outcome::kCopied:
      return static_cast<ssize_t>(count);
    case WebStream::Outcome::kWaits:
      return 0;
    case WebStream::Outcome::kEnded:
      break;
  }
  return MHD_CONTENT_READER_END_OF_STREAM;
}

void FreeText(void* text) {
  delete static_cast<std::shared_ptr<const std::string>*>(text);
}

void FreeStream(void* exchange) { delete static_cast<ExchangePtr*>(exchange); }

MHD_Response* ResponseOf(const ExchangePtr& exchange, const WebReply& reply) {
  if (reply.stream) {
    exchange->stream = reply.stream;
    MHD_Connection* connection = exchange->connection();
    reply.stream->Open([connection] { MHD_resume_connection(connection); });
    return MHD_create_response_from_callback(
        MHD_SIZE_UNKNOWN, kStreamBlock, ReadStream, new ExchangePtr(exchange),
        FreeStream);
  }
  static const auto kNothing = std::make_shared<const std::string>();
  auto body = reply.body ? reply.body : kNothing;
  const std::string& text = *body;
  return MHD_create_response_from_buffer_with_free_callback_cls(
      text.size(), const_cast<char*>(text.data()), FreeText,
      new std::shared_ptr<const std::string>(std::move(body)));
}

WebReply Refusal(int status, const char* why) {
  return {.status = status,
          .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
          .body = std::make_shared<const std::string>(why)};
}

}  // namespace

struct WebServer::State {
  State(WebServerOptions given, const Log& logger)
      : options(std::move(given)),
        log(logger),
        gate({.address = options.address,
              .connections = options.connections,
              .admit = [this](int fd) { Admit(fd); }}),
        deadlines(kBetweenDeadlineLooks) {}

  void Start();
  void Admit(int fd);
  MHD_Result Take(MHD_Connection* connection, const char* path,
                  const char* method, const char* data, std::size_t* size,
                  void** slot);
  MHD_Result Begin(const ExchangePtr& exchange);
  MHD_Result Dispatch(const ExchangePtr& exchange);
  MHD_Result Reply(const ExchangePtr& exchange, const WebReply& reply);

  // As libmicrohttpd calls back.
  static MHD_Result OnRequest(void* of, MHD_Connection* connection,
                              const char* path, const char* method,
                              const char* version, const char* data,
                              std::size_t* size, void** slot);
  static void OnCompleted(void* of, MHD_Connection* connection, void** slot,
                          MHD_RequestTerminationCode code);
  static void OnConnection(void* of, MHD_Connection* connection, void** slot,
                           MHD_ConnectionNotificationCode code);

  void Note(const ExchangePtr& exchange) EXCLUDES(mutex);
  void EndStreams() EXCLUDES(mutex);

  const WebServerOptions options;
  const Log& log;
  ConnectionGate gate;
  ConnectionDeadlines deadlines;
  MHD_Daemon* daemon = nullptr;

  sql::Mutex mutex;
  bool stopping GUARDED_BY(mutex) = false;
  // Those that are open.
  std::map<const Exchange*, std::weak_ptr<WebStream>> streams GUARDED_BY(mutex);
};

namespace {

void OnLog(void* log, const char* format, va_list arguments) {
  char line[512];
  std::vsnprintf(line, sizeof(line), format, arguments);
  std::string text = line;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  static_cast<const Log*>(log)->Debug("a browser's connection",
                                      {{"what", text}});
}

}  // namespace

void WebServer::State::Start() {
  gate.Open();
  daemon = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_NO_LISTEN_SOCKET |
          MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
      0, nullptr, nullptr, OnRequest, this, MHD_OPTION_EXTERNAL_LOGGER, OnLog,
      const_cast<Log*>(&log), MHD_OPTION_NOTIFY_COMPLETED, OnCompleted, this,
      MHD_OPTION_NOTIFY_CONNECTION, OnConnection, this,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, kConnectionMemory,
      MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(options.connections + 16),
      MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(options.idle.count()), MHD_OPTION_END);
  if (daemon == nullptr)
    throw std::runtime_error("libmicrohttpd does not start on " +
                             options.address);
  gate.Start();
}

void WebServer::State::Admit(int fd) {
  sockaddr_un nobody{};
  nobody.sun_family = AF_UNIX;
  MHD_add_connection(daemon, fd, reinterpret_cast<sockaddr*>(&nobody),
                     sizeof(nobody));
}

MHD_Result WebServer::State::Begin(const ExchangePtr& exchange) {
  deadlines.Set(FdOf(exchange->connection()),
                Clock::now() + options.request_time);
  const std::string announced = exchange->request.Header("content-length");
  std::uint64_t length = 0;
  std::from_chars(announced.data(), announced.data() + announced.size(),
                  length);
  if (length > options.largest_body) {
    exchange->dispatched = true;
    return Reply(exchange, Refusal(413, "the request is too large\n"));
  }
  return MHD_YES;
}

MHD_Result WebServer::State::Dispatch(const ExchangePtr& exchange) {
  exchange->dispatched = true;
  deadlines.Set(FdOf(exchange->connection()), Clock::time_point::max());
  const std::optional<WebReply> reply = options.answer(
      std::move(exchange->request),
      [exchange](WebReply late) { exchange->Send(std::move(late)); });
  if (reply) return Reply(exchange, *reply);
  exchange->Suspend();
  return MHD_YES;
}

MHD_Result WebServer::State::Reply(const ExchangePtr& exchange,
                                   const WebReply& reply) {
  deadlines.Set(FdOf(exchange->connection()),
                reply.stream ? Clock::time_point::max()
                             : Clock::now() + options.answer_time);
  MHD_Response* response = ResponseOf(exchange, reply);
  if (response == nullptr) return MHD_NO;
  if (exchange->stream) Note(exchange);
  for (const auto& [name, value] : reply.headers)
    MHD_add_response_header(response, name.c_str(), value.c_str());
  const MHD_Result queued = MHD_queue_response(
      exchange->connection(), static_cast<unsigned>(reply.status), response);
  MHD_destroy_response(response);
  return queued;
}

void WebServer::State::Note(const ExchangePtr& exchange) {
  const sql::MutexLock lock(mutex);
  if (stopping) exchange->stream->End();
  streams[exchange.get()] = exchange->stream;
}

// libmicrohttpd cannot stop while a connection waits to be resumed.
void WebServer::State::EndStreams() {
  const sql::MutexLock lock(mutex);
  stopping = true;
  for (const auto& [exchange, open] : streams)
    if (const auto stream = open.lock()) stream->End();
}

MHD_Result WebServer::State::Take(MHD_Connection* connection, const char* path,
                                  const char* method, const char* data,
                                  std::size_t* size, void** slot) {
  if (*slot == nullptr) {
    auto* const made =
        new ExchangePtr(std::make_shared<Exchange>(connection, method, path));
    *slot = made;
    return Begin(*made);
  }
  const ExchangePtr& exchange = *static_cast<ExchangePtr*>(*slot);
  if (*size > 0) {
    if (exchange->request.body.size() + *size > options.largest_body)
      return MHD_NO;
    exchange->request.body.append(data, *size);
    *size = 0;
    return MHD_YES;
  }
  if (const auto reply = exchange->TakeReply()) return Reply(exchange, *reply);
  if (exchange->dispatched) return MHD_YES;
  return Dispatch(exchange);
}

MHD_Result WebServer::State::OnRequest(void* of, MHD_Connection* connection,
                                       const char* path, const char* method,
                                       const char* /*version*/,
                                       const char* data, std::size_t* size,
                                       void** slot) {
  return static_cast<State*>(of)->Take(connection, path, method, data, size,
                                       slot);
}

void WebServer::State::OnCompleted(void* of, MHD_Connection* connection,
                                   void** slot,
                                   MHD_RequestTerminationCode /*code*/) {
  auto& state = *static_cast<State*>(of);
  if (const auto* exchange = static_cast<ExchangePtr*>(*slot)) {
    if ((*exchange)->stream) {
      (*exchange)->stream->Close();
      const sql::MutexLock lock(state.mutex);
      state.streams.erase(exchange->get());
    }
    delete exchange;
    *slot = nullptr;
  }
  state.deadlines.Set(FdOf(connection), Clock::now() + state.options.idle);
}

void WebServer::State::OnConnection(void* of, MHD_Connection* connection,
                                    void** /*slot*/,
                                    MHD_ConnectionNotificationCode code) {
  auto& state = *static_cast<State*>(of);
  const int fd = FdOf(connection);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    state.deadlines.Set(fd, Clock::now() + state.options.request_time);
  } else {
    state.deadlines.Remove(fd);
  }
}

WebServer::WebServer(WebServerOptions options, const Log& log)
    : state_(std::make_unique<State>(std::move(options), log)) {}

WebServer::~WebServer() { Stop(); }

void WebServer::Start() { state_->Start(); }

void WebServer::Stop() {
  if (state_->daemon == nullptr) return;
  state_->gate.Stop();
  state_->EndStreams();
  MHD_stop_daemon(std::exchange(state_->daemon, nullptr));
}

const std::string& WebServer::address() const { return state_->gate.address(); }

std::int64_t WebServer::turned_away() const {
  return state_->gate.turned_away();
}

std::int64_t WebServer::too_slow() const { return state_->deadlines.ended(); }

}  // namespace fluxnetes::services
