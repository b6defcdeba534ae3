#include "services/web/web_api.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "services/console/exit_code.h"
#include "services/database/database.h"
#include "services/feed/group_watch.h"
#include "services/grpc/grpc_access.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc_v1/scheduler_calls.h"
#include "services/monitoring/slow_statements.h"
#include "services/web/group_events.h"
#include "services/web/gzip.h"
#include "services/web/json_calls.h"
#include "services/web/page_files.h"
#include "services/web/proxy_identity.h"
#include "services/web/refusal_log.h"
#include "services/web/web_guard.h"
#include "services/web/web_sessions.h"
#include "services/web/web_sessions_queries.h"
#include "services/web_http/call_threads.h"
#include "services/web_http/web_server.h"
#include "services/web_http/web_stream.h"

namespace fluxnetes::services {
namespace {

using std::chrono::milliseconds;

constexpr int kThreads = 4;
constexpr std::size_t kTasksWaiting = 10'000;
constexpr std::size_t kWorthGzip = 1'000;  // bytes
constexpr const char* kCookie = "fluxnetes_session";
constexpr milliseconds kLongestCall{60'000};

// A proxy says who asks when a stream begins, so it is asked again.
constexpr std::chrono::minutes kLongestStream{10};

// No script but ours, and in no frame of a site that is not named.
std::string PolicyOf(const Config::Web& web) {
  std::string ancestors;
  for (const std::string& site : web.frame_ancestors)
    ancestors += site == "self" ? " 'self'" : " " + site;
  return "default-src 'none'; script-src 'self'; style-src 'self'; img-src "
         "'self' data:; connect-src 'self'; base-uri 'none'; form-action "
         "'none'; frame-ancestors" +
         (ancestors.empty() ? " 'none'" : ancestors);
}

// A cookie must not leave by plain HTTP if the browser came by HTTPS.
const char* SecureFor(const WebRequest& request) {
  const bool https = request.Header("origin").starts_with("https://") ||
                     request.Header("x-forwarded-proto") == "https";
  return https ? "; Secure" : "";
}

sql::PoolOptions ConnectionsOf(const Config& config) {
  auto catalogues = SchedulerCalls::Catalogues();
  catalogues.emplace_back(queries::kAllWebSessions);
  sql::PoolOptions options = DatabaseOptions(config, std::move(catalogues));
  options.max_connections = kThreads;
  return options;
}

std::shared_ptr<const std::string> Shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

WebReply ReplyOf(JsonAnswer answer, const WebRequest& request) {
  WebReply reply{.status = answer.status,
                 .headers = {{"Content-Type", "application/json"},
                             {"Cache-Control", "no-store"}}};
  if (answer.body.size() >= kWorthGzip &&
      TakesGzip(request.Header("accept-encoding"))) {
    answer.body = Gzip(answer.body, 1);
    reply.headers.emplace_back("Content-Encoding", "gzip");
  }
  reply.body = Shared(std::move(answer.body));
  return reply;
}

WebReply ErrorReply(int status, const std::string& code,
                    const std::string& why) {
  return ReplyOf(JsonError(status, code, why), {});
}

WebReply WithSafety(WebReply reply, const std::string& policy) {
  reply.headers.emplace_back("Content-Security-Policy", policy);
  for (const auto& [name, value] :
       {std::pair("X-Content-Type-Options", "nosniff"),
        std::pair("Referrer-Policy", "no-referrer"),
        std::pair("Cross-Origin-Resource-Policy", "same-origin"),
        std::pair("Cross-Origin-Opener-Policy", "same-origin")})
    reply.headers.emplace_back(name, value);
  return reply;
}

// Connect's header for the time that a client waits.
std::chrono::system_clock::time_point DeadlineOf(const WebRequest& request) {
  const std::string text = request.Header("connect-timeout-ms");
  std::int64_t count = kLongestCall.count();
  std::from_chars(text.data(), text.data() + text.size(), count);
  return std::chrono::system_clock::now() +
         std::clamp(milliseconds(count), milliseconds(1), kLongestCall);
}

constexpr const char* kNotLetIn =
    "you are not signed in, or no longer; `fluxnetes web` prints a link";

}  // namespace

struct WebApi::State {
  using Send = WebServerOptions::Send;

  State(const Config& given, const Log& logger, GroupFeed& feed,
        std::function<Health()> health)
      : config(given),
        log(logger),
        refusals(logger),
        policy(PolicyOf(config.web)),
        proxy(config.web, ReadAccess(config.grpc.access)),
        pool(ConnectionsOf(config)),
        sessions(pool),
        scheduler(config, pool, feed, std::move(health)),
        calls(scheduler),
        threads(kThreads, kTasksWaiting),
        events(feed, threads),
        server({.address = config.web.listen,
                .answer =
                    [this](WebRequest request, Send send) {
                      auto now = Answer(std::move(request), std::move(send));
                      if (now) now = WithSafety(*std::move(now), policy);
                      return now;
                    }},
               logger) {
    sql::OnSlowStatements(pool, LogSlowStatements(log));
  }

  std::optional<WebReply> Answer(WebRequest request, Send send);
  std::optional<WebReply> Refused(const WebRequest& request, int status,
                                  const std::string& code,
                                  const std::string& why);
  std::optional<WebReply> Later(WebRequest request, Send send);
  WebReply AnswerSlowly(const WebRequest& request);
  WebReply AnswerSession(const WebRequest& request);
  std::variant<Principal, WebRefusal> Identify(const WebRequest& request);
  WebReply OpenSession(const WebRequest& request);
  WebReply EndSession(const WebRequest& request);
  WebReply Watch(const WebRequest& request);
  std::string PathIn(const WebRequest& request) const;

  const Config config;
  const Log& log;
  RefusalLog refusals;
  const std::string policy;
  const ProxyIdentity proxy;
  sql::Pool pool;
  WebSessions sessions;
  SchedulerCalls scheduler;
  const JsonCalls calls;
  const PageFiles files;
  CallThreads threads;
  GroupEvents events;
  WebServer server;
};

// Without web.prefix; one that does not begin with it is left as it is, because
// a proxy may have removed it.
std::string WebApi::State::PathIn(const WebRequest& request) const {
  const std::string& prefix = config.web.prefix;
  if (!prefix.empty() && request.path.starts_with(prefix + "/"))
    return request.path.substr(prefix.size());
  return request.path;
}

std::optional<WebReply> WebApi::State::Refused(const WebRequest& request,
                                               int status,
                                               const std::string& code,
                                               const std::string& why) {
  refusals.Note(request, status, why);
  return ErrorReply(status, code, why);
}

std::optional<WebReply> WebApi::State::Answer(WebRequest request, Send send) {
  const std::string path = PathIn(request);
  const bool reads = request.method == "GET" || request.method == "HEAD";
  if (!config.web.prefix.empty() && path == config.web.prefix && reads)
    return WebReply{.status = 308,
                    .headers = {{"Location", config.web.prefix + "/"}}};
  std::optional<WebReply> file;
  if (reads && path.starts_with('/'))
    file = files.Answer(path.substr(1), request);
  const WebRefusal refusal = CheckRequest(
      request, file ? WebAsk::kFile : WebAsk::kData, config.web.hosts);
  if (refusal.status != 0)
    return Refused(request, refusal.status, refusal.code, refusal.why);
  if (file) return file;
  const bool is_session = path == "/session";
  const bool is_call = path.starts_with(kSchedulerPath);
  const bool is_watch = path == "/events/groups";
  if (!is_session && !is_call && !is_watch)
    return Refused(request, 404, "not_found", "there is nothing here");
  const bool fits = is_watch ? request.method == "GET"
                    : is_session
                        ? request.method == "GET" || request.method == "POST" ||
                              request.method == "DELETE"
                        : request.method == "POST";
  if (!fits)
    return Refused(request, 405, "unimplemented",
                   request.method + " is not for this path");
  request.path = path;
  return Later(std::move(request), std::move(send));
}

std::optional<WebReply> WebApi::State::Later(WebRequest request, Send send) {
  const bool posted = threads.Post(
      [this, request = std::move(request), send = std::move(send)] {
        WebReply reply;
        try {
          reply = AnswerSlowly(request);
        } catch (const std::exception& error) {
          log.Warn("a request of a browser failed", {{"why", error.what()}});
          const auto status = StatusOf(error);
          reply = ReplyOf(ErrorOf(status), request);
        }
        send(WithSafety(std::move(reply), policy));
      });
  if (posted) return std::nullopt;
  return ErrorReply(429, "resource_exhausted",
                    "too many requests wait already; try again later");
}

WebReply WebApi::State::AnswerSlowly(const WebRequest& request) {
  if (request.path == "/session") return AnswerSession(request);
  auto identified = Identify(request);
  if (const auto* refusal = std::get_if<WebRefusal>(&identified))
    return *Refused(request, refusal->status, refusal->code, refusal->why);
  auto& caller = std::get<Principal>(identified);
  if (config.web.read_only) caller.role = Role::kViewer;
  if (request.path == "/events/groups") return Watch(request);
  return ReplyOf(
      calls.Do(std::string_view(request.path).substr(kSchedulerPath.size()),
               {.caller = std::move(caller),
                .via = "web",
                .deadline = DeadlineOf(request)},
               request.body),
      request);
}

std::variant<Principal, WebRefusal> WebApi::State::Identify(
    const WebRequest& request) {
  if (proxy.IsUsed()) return proxy.Identify(request);
  if (WebRefusal forged = ProxyIdentity::CheckNoIdentity(request);
      forged.status != 0)
    return forged;
  const std::string cookie = CookieOf(request, kCookie);
  if (auto caller = sessions.Find(cookie)) return *std::move(caller);
  return WebRefusal{.status = 401,
                    .code = "unauthenticated",
                    .why = fmt::format("{}: {}",
                                       cookie.empty() ? "there is no cookie"
                                                      : "the session is over",
                                       kNotLetIn)};
}

WebReply WebApi::State::AnswerSession(const WebRequest& request) {
  if (request.method == "GET")
    return ReplyOf({.body = proxy.IsUsed() ? R"({"identity":"proxy"})"
                                           : R"({"identity":"link"})"},
                   request);
  if (proxy.IsUsed())
    return *Refused(request, 400, "failed_precondition",
                    "the proxy before the pages says who asks; sign in and out "
                    "there");
  return request.method == "POST" ? OpenSession(request) : EndSession(request);
}

WebReply WebApi::State::OpenSession(const WebRequest& request) {
  const auto body = nlohmann::json::parse(request.body, nullptr, false);
  if (!body.is_object() || !body.contains("link") || !body["link"].is_string())
    return *Refused(request, 400, "invalid_argument",
                    R"(the body must be {"link": "SECRET"})");
  const auto secret = sessions.Open(body["link"].get<std::string>());
  if (!secret)
    return *Refused(request, 401, "unauthenticated",
                    "the link was used before, or is older than five minutes; "
                    "`fluxnetes web` prints a new one");
  // Without a Path the cookie belongs to the folder of the pages, whatever
  // prefix a proxy gives them.
  return {.status = 204,
          .headers = {
              {"Set-Cookie",
               fmt::format("{}={}; HttpOnly; SameSite=Strict; "
                           "Max-Age={}{}",
                           kCookie, *secret, sessions.times().session.count(),
                           SecureFor(request))},
              {"Cache-Control", "no-store"}}};
}

WebReply WebApi::State::EndSession(const WebRequest& request) {
  sessions.End(CookieOf(request, kCookie));
  return {
      .status = 204,
      .headers = {{"Set-Cookie",
                   fmt::format("{}=; HttpOnly; SameSite=Strict; Max-Age=0{}",
                               kCookie, SecureFor(request))},
                  {"Cache-Control", "no-store"}}};
}

WebReply WebApi::State::Watch(const WebRequest& request) {
  auto stream = events.Watch(
      PlaceOf(WatchIn(request)),
      [this, cookie = CookieOf(request, kCookie),
       until = std::chrono::steady_clock::now() + kLongestStream] {
        return proxy.IsUsed() ? std::chrono::steady_clock::now() < until
                              : sessions.Find(cookie).has_value();
      });
  if (!stream)
    return *Refused(request, 429, "resource_exhausted",
                    "too many watch already; try again later");
  return {.headers = {{"Content-Type", "text/event-stream"},
                      {"Cache-Control", "no-store"},
                      // nginx would keep events back.
                      {"X-Accel-Buffering", "no"}},
          .stream = std::move(stream)};
}

WebApi::WebApi(const Config& config, const Log& log, GroupFeed& feed,
               std::function<Health()> health)
    : state_(std::make_unique<State>(config, log, feed, std::move(health))) {}

WebApi::~WebApi() { Stop(); }

void WebApi::Start() {
  try {
    state_->server.Start();
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::kUsage, std::string("web: ") + error.what(),
                  "See web.listen in the configuration.");
  }
}

void WebApi::Stop() {
  state_->threads.Stop();
  state_->server.Stop();
}

std::string WebApi::address() const { return state_->server.address(); }

void WebApi::AddTo(PoolMetrics& pools) const {
  pools.Add("web", ConnectionsOf(state_->config).max_connections,
            sql::CountsOf(state_->pool));
}

}  // namespace fluxnetes::services
