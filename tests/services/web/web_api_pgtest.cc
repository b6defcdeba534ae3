// The whole server of the pages, on a database of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "services/feed/live_groups.h"
#include "services/web/web_api.h"
#include "services/web/web_sessions.h"
#include "services/web/web_sessions_queries.h"
#include "sql/connection/pool.h"
#include "tests/services/support/raw_exchange.h"
#include "tests/support/postgres.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kList = "POST /fluxnetes.v1.Scheduler/ListGroups";
const std::string kHold = "POST /fluxnetes.v1.Scheduler/HoldGroup";

const std::string kSecret = "0123456789abcdef";

class WebApiTest : public ::testing::Test {
 protected:
  void Serve(bool read_only = false, const std::string& prefix = "") {
    config_.database.connection = database_.options().connection;
    config_.database.schema = database_.schema();
    config_.web.listen = "127.0.0.1:0";
    config_.web.read_only = read_only;
    config_.web.prefix = prefix;
    live_.emplace(config_, log_);
    live_->feed().Start();
    api_.emplace(config_, log_, live_->feed());
    api_->Start();
  }

  // The file of the roles of those that a proxy names.
  void ServeBehindAProxy() {
    const std::string folder = ::testing::TempDir();
    std::ofstream(folder + "web_api.secret") << kSecret << '\n';
    std::ofstream(folder + "web_api.access")
        << "- {name: anna, role: user, namespaces: [a]}\n"
           "- {group: admins, role: operator}\n";
    config_.web.identity = WebIdentity::kProxy;
    config_.web.proxy_secret = folder + "web_api.secret";
    config_.grpc.access = folder + "web_api.access";
    Serve();
  }

  std::string SendAs(const std::string& line, const std::string& name,
                     const std::string& body = "{}",
                     const std::string& groups = "") {
    return Send(line,
                {"X-Proxy-Secret: " + kSecret, "X-Forwarded-User: " + name,
                 "X-Forwarded-Groups: " + groups},
                body);
  }

  void AddGroup(int id, const std::string& reason = "") {
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        "  priority, state, phase, shape, reason, submitted_at, promoted_at)"
        " VALUES (" +
        std::to_string(id) + ", 'a', 'g" + std::to_string(id) +
        "', 1, 'default', 0, 'pending', 'queued', 1, '" + reason +
        "', now(), now())");
  }

  std::string MakeLink(WebSessionTimes times = {}) {
    return WebSessions(pool_, times)
        .MakeLink({.name = "anna", .role = Role::kOperator});
  }

  std::string SendLink(const std::string& link) {
    return Send("POST /session", {}, json{{"link", link}}.dump());
  }

  // Returns the header with the cookie of a new session.
  std::string SignIn() {
    const std::string answer = SendLink(MakeLink());
    const std::size_t begin = answer.find("Set-Cookie: ") + 12;
    return "Cookie: " + answer.substr(begin, answer.find(';', begin) - begin);
  }

  std::string Send(const std::string& line,
                   const std::vector<std::string>& more = {},
                   const std::string& body = "{}",
                   const std::string& host = "localhost") {
    std::vector<std::string> headers = {"Host: " + host,
                                        "Content-Type: application/json"};
    headers.insert(headers.end(), more.begin(), more.end());
    return ExchangeRaw(
        api_->address(),
        RawRequest(line, headers, line.starts_with("GET") ? "" : body));
  }

  static json BodyOf(const std::string& answer) {
    return json::parse(answer.substr(answer.find("\r\n\r\n") + 4));
  }

  testing::TestDatabase database_;
  sql::Pool pool_{[this] {
    sql::PoolOptions options = database_.options();
    options.catalogues = {queries::kAllWebSessions};
    return options;
  }()};
  std::ostringstream lines_;
  const Log log_{{.out = &lines_}};
  Config config_;
  std::optional<LiveGroups> live_;
  std::optional<WebApi> api_;
};

TEST_F(WebApiTest, PagesAreThereForEverybodyAndSayWhatMayRun) {
  Serve();
  const std::string answer = Send("GET /");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr("script-src 'self';"));
  EXPECT_THAT(answer, HasSubstr("frame-ancestors 'none'"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff"));
}

TEST_F(WebApiTest, WithoutACookieThereIsNoData) {
  Serve();
  for (const std::string& line : {kList, std::string("GET /events/groups")}) {
    const std::string answer = Send(line);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 401"));
    EXPECT_EQ(BodyOf(answer)["code"], "unauthenticated");
  }
  EXPECT_THAT(Send(kList, {"Cookie: fluxnetes_session=guessed"}),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(lines_.str(), HasSubstr("there is no cookie"));
  EXPECT_THAT(lines_.str(), HasSubstr("the session is over"));
}

TEST_F(WebApiTest, LinkOpensOneSession) {
  Serve();
  const std::string link = MakeLink();
  const std::string answer = SendLink(link);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(answer, HasSubstr("; HttpOnly; SameSite=Strict; "));
  EXPECT_THAT(SendLink(link), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(SendLink("guessed"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(lines_.str(), HasSubstr("the link was used before"));
  EXPECT_THAT(lines_.str(), Not(HasSubstr(link)));
}

TEST_F(WebApiTest, OldLinkOpensNothing) {
  Serve();
  EXPECT_THAT(SendLink(MakeLink({.link = std::chrono::seconds(0)})),
              StartsWith("HTTP/1.1 401"));
}

TEST_F(WebApiTest, SessionEndsWhenSignedOut) {
  Serve();
  const std::string cookie = SignIn();
  EXPECT_THAT(Send(kList, {cookie}), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Send("DELETE /session", {cookie}), StartsWith("HTTP/1.1 204"));
  EXPECT_THAT(Send(kList, {cookie}), StartsWith("HTTP/1.1 401"));
}

TEST_F(WebApiTest, SessionOutlivesTheServer) {
  Serve();
  const std::string cookie = SignIn();
  live_->feed().Stop();
  api_->Stop();
  Serve();
  EXPECT_THAT(Send(kList, {cookie}), StartsWith("HTTP/1.1 200"));
}

TEST_F(WebApiTest, OtherSitesAreRefusedWithALineThatSaysWhy) {
  Serve();
  const std::string cookie = SignIn();
  EXPECT_THAT(Send(kList, {cookie}, "{}", "evil.example"),
              StartsWith("HTTP/1.1 421"));
  EXPECT_THAT(lines_.str(), HasSubstr("Host is"));
  EXPECT_THAT(Send(kList, {cookie, "Origin: http://evil.example"}),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(lines_.str(), HasSubstr("Origin is"));
  EXPECT_THAT(
      ExchangeRaw(
          api_->address(),
          RawRequest(kList,
                     {"Host: localhost", cookie,
                      "Content-Type: application/x-www-form-urlencoded"},
                     "{}")),
      StartsWith("HTTP/1.1 415"));
  EXPECT_THAT(lines_.str(), HasSubstr("Content-Type is"));
}

TEST_F(WebApiTest, CallAnswersAsGrpcDoes) {
  Serve();
  AddGroup(7, "waits");
  const std::string answer =
      Send(kList, {SignIn()}, R"({"namespace": "a", "pageSize": 5})");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  const json group = BodyOf(answer)["groups"].at(0);
  EXPECT_EQ(group["id"], "7");
  EXPECT_EQ(group["state"], "GROUP_STATE_PENDING");
  EXPECT_EQ(group["reason"], "waits");
}

TEST_F(WebApiTest, ErrorsAreInConnectsForm) {
  Serve();
  const std::string cookie = SignIn();
  const std::string none =
      Send("POST /fluxnetes.v1.Scheduler/GetGroup", {cookie},
           R"({"namespace": "a", "name": "none"})");
  EXPECT_THAT(none, StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(BodyOf(none)["code"], "not_found");
  EXPECT_EQ(BodyOf(none)["details"].at(0)["type"], "google.rpc.ErrorInfo");
  const std::string wrong = Send(kList, {cookie}, R"({"nmespace": "a"})");
  EXPECT_THAT(wrong, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(BodyOf(wrong)["message"], HasSubstr("nmespace"));
  EXPECT_THAT(Send(kList, {cookie}, "no json"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send("POST /fluxnetes.v1.Scheduler/Nothing", {cookie}),
              StartsWith("HTTP/1.1 501"));
  EXPECT_THAT(Send("GET /nothing", {cookie}), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Send("GET /fluxnetes.v1.Scheduler/ListGroups", {cookie}),
              StartsWith("HTTP/1.1 405"));
}

TEST_F(WebApiTest, LargeAnswersAreGzippedForWhoTakesThem) {
  Serve();
  AddGroup(1, std::string(5'000, 'x'));
  const std::string cookie = SignIn();
  EXPECT_THAT(Send(kList, {cookie, "Accept-Encoding: gzip"}),
              HasSubstr("Content-Encoding: gzip"));
  EXPECT_THAT(Send(kList, {cookie}), Not(HasSubstr("Content-Encoding")));
}

TEST_F(WebApiTest, ChangesAreAuditedUnderTheNameOfWhoMadeTheLink) {
  Serve();
  AddGroup(3);
  EXPECT_THAT(Send(kHold, {SignIn()},
                   R"({"namespace": "a", "name": "g3", "reason": "wait"})"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(database_.Ask("SELECT caller || ' ' || via || ' ' || verb "
                          "FROM audit"),
            "anna web hold");
}

TEST_F(WebApiTest, ReadOnlyPagesChangeNothing) {
  Serve(true);
  AddGroup(3);
  const std::string answer =
      Send(kHold, {SignIn()}, R"({"namespace": "a", "name": "g3"})");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 403"));
  EXPECT_EQ(BodyOf(answer)["code"], "permission_denied");
}

TEST_F(WebApiTest, ProxySaysWhoAsks) {
  ServeBehindAProxy();
  AddGroup(3);
  const std::string call = "POST /fluxnetes.v1.Scheduler/GetCaller";
  EXPECT_EQ(
      BodyOf(SendAs(call, "anna")),
      json({{"name", "anna"},
            {"role", "ROLE_USER"},
            {"namespaces", {"a"}},
            {"serverVersion", BodyOf(SendAs(call, "zoe"))["serverVersion"]}}));
  EXPECT_EQ(BodyOf(SendAs(call, "zoe"))["role"], "ROLE_VIEWER");
  EXPECT_EQ(BodyOf(SendAs(call, "otto", "{}", "admins"))["role"],
            "ROLE_OPERATOR");
  const std::string of_a = R"({"namespace": "a", "name": "g3"})";
  EXPECT_THAT(SendAs(kHold, "zoe", of_a), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(SendAs(kHold, "anna", of_a), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(SendAs(kHold, "anna", R"({"namespace": "b", "name": "g3"})"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_EQ(database_.Ask("SELECT caller || ' ' || role FROM audit"),
            "anna user");
}

TEST_F(WebApiTest, ForgedIdentityIsRefusedWithALineThatSaysWhy) {
  ServeBehindAProxy();
  EXPECT_THAT(Send(kList, {"X-Forwarded-User: otto"}),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(lines_.str(), HasSubstr("X-Forwarded-User is forged"));
  EXPECT_THAT(Send(kList, {"X-Forwarded-User: otto",
                           "X-Proxy-Secret: 0123456789abcdeg"}),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(lines_.str(), HasSubstr("X-Proxy-Secret is not that"));
  EXPECT_THAT(lines_.str(), Not(HasSubstr("0123456789abcde")));
  EXPECT_THAT(SendAs(kList, ""), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(SendAs(kList, "anna,otto"), StartsWith("HTTP/1.1 403"));
  // Nor does a link help where the proxy says who asks.
  EXPECT_THAT(Send(kList, {"Cookie: fluxnetes_session=" + MakeLink()}),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(SendLink(MakeLink()), StartsWith("HTTP/1.1 400"));
}

TEST_F(WebApiTest, WithLinksIdentityHeadersAreRefused) {
  Serve();
  EXPECT_THAT(Send(kList, {SignIn(), "X-Forwarded-User: root"}),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(lines_.str(), HasSubstr("web.identity is link"));
}

TEST_F(WebApiTest, SessionSaysWhoSaysWhoAsks) {
  Serve();
  EXPECT_EQ(BodyOf(Send("GET /session"))["identity"], "link");
  api_->Stop();
  ServeBehindAProxy();
  EXPECT_EQ(BodyOf(Send("GET /session"))["identity"], "proxy");
}

TEST_F(WebApiTest, CookieIsSecureWhereTheBrowserCameByHttps) {
  Serve();
  const auto opened = [this](const std::string& header) {
    return Send("POST /session", {header}, json{{"link", MakeLink()}}.dump());
  };
  EXPECT_THAT(opened("Origin: http://localhost"), Not(HasSubstr("Secure")));
  EXPECT_THAT(opened("Origin: https://localhost"), HasSubstr("; Secure"));
  EXPECT_THAT(opened("X-Forwarded-Proto: https"), HasSubstr("; Secure"));
}

TEST_F(WebApiTest, SessionThatIsOverIsRefused) {
  Serve();
  const std::string cookie = SignIn();
  database_.Execute("UPDATE web_sessions SET expires_at = now()");
  api_->Stop();  // it remembers sessions for half a minute
  Serve();
  EXPECT_THAT(Send(kList, {cookie}), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(lines_.str(), HasSubstr("the session is over"));
}

TEST_F(WebApiTest, NamedSitesMayShowThePagesInAFrame) {
  config_.web.frame_ancestors = {"self", "https://portal.example"};
  Serve();
  EXPECT_THAT(Send("GET /"),
              HasSubstr("frame-ancestors 'self' https://portal.example\r\n"));
}

TEST_F(WebApiTest, PagesAreAlsoUnderTheirPrefix) {
  Serve(false, "/flux");
  for (const char* line : {"GET /flux/", "GET /flux/app.js", "GET /app.js"})
    EXPECT_THAT(Send(line), StartsWith("HTTP/1.1 200")) << line;
  EXPECT_THAT(Send("GET /flux"), HasSubstr("Location: /flux/"));
  EXPECT_THAT(Send("GET /fluxapp.js"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Send("POST /flux/fluxnetes.v1.Scheduler/ListGroups", {SignIn()}),
              StartsWith("HTTP/1.1 200"));
}

// A watch that is read as it comes.
class EventReader {
 public:
  EventReader(const std::string& address, const std::string& query,
              const std::vector<std::string>& headers)
      : connection_(address) {
    std::vector<std::string> all = {"Host: localhost"};
    all.insert(all.end(), headers.begin(), headers.end());
    connection_.Send(RawRequest("GET /events/groups?" + query, all));
  }
  // Returns the next event that has this text, and what came before it; "" at
  // the end.
  std::string Next(const std::string& text) {
    std::string events;
    while (events.find(text) == std::string::npos) {
      const std::string event = connection_.ReadUntil("\n\n");
      if (event.empty()) return "";
      events += event;
    }
    return events;
  }
  std::string ReadAll() { return connection_.ReadAll(); }

 private:
  RawConnection connection_;
};

TEST_F(WebApiTest, ChangesArePushedAndResumed) {
  Serve();
  AddGroup(1);
  const std::string cookie = SignIn();
  std::string id;
  {
    EventReader reader(api_->address(), "present=false", {cookie});
    const std::string begin = reader.Next("\"current\":true");
    EXPECT_THAT(begin, HasSubstr("Content-Type: text/event-stream"));
    EXPECT_THAT(begin, Not(HasSubstr("\"g1\"")));
    AddGroup(2);
    const std::string event = reader.Next("\"g2\"");
    EXPECT_THAT(event, HasSubstr("event: changes\nid: "));
    const std::size_t at = event.rfind("id: ") + 4;
    id = event.substr(at, event.find('\n', at) - at);
  }
  AddGroup(3);
  EventReader again(api_->address(), "present=false",
                    {cookie, "Last-Event-ID: " + id});
  const std::string rest = again.Next("\"g3\"");
  EXPECT_THAT(rest, HasSubstr("\"g3\""));
  EXPECT_THAT(rest, Not(HasSubstr("\"g2\"")));
  EXPECT_THAT(rest, Not(HasSubstr("\"reset\"")));
}

TEST_F(WebApiTest, WatchFromAnUnknownPlaceBeginsAnew) {
  Serve();
  AddGroup(1);
  EventReader reader(api_->address(), "", {SignIn(), "Last-Event-ID: 1.2"});
  EXPECT_THAT(reader.Next("\"current\":true"), HasSubstr("\"g1\""));
}

TEST_F(WebApiTest, WatchEndsWithItsServer) {
  Serve();
  EventReader reader(api_->address(), "", {SignIn()});
  reader.Next("\"current\":true");
  live_->feed().Stop();
  api_->Stop();
  reader.ReadAll();  // returns
}

}  // namespace
}  // namespace fluxnetes::services
