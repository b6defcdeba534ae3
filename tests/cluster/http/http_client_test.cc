#include "cluster/http/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <limits>
#include <utility>

#include "services/http/http_server.h"
#include "sql/condition_variable.h"
#include "sql/mutex.h"

namespace fluxnetes::cluster {
namespace {

using services::HttpAnswer;
using services::HttpQuestion;
using services::HttpServer;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kPatience{10};

// A server with scripted answers.
class Server {
 public:
  explicit Server(std::function<HttpAnswer(const HttpQuestion&)> answer,
                  const std::string& address = "127.0.0.1:0")
      : server_({.address = address,
                 .answer = std::move(answer),
                 .refuse = [](int, const std::string& why) { return why; }}) {
    server_.Start();
  }
  const std::string& address() const { return server_.address(); }
  HttpServer& operator*() { return server_; }

 private:
  HttpServer server_;
};

HttpAnswer Text(int status, std::string body = "") {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body);
  return answer;
}

// Collects the lines of a stream; pauses it while it has `most` lines.
class Lines : public StreamReader {
 public:
  bool Ready() override {
    const sql::MutexLock lock(mutex_);
    return lines_.size() < most_;
  }
  void Line(std::string_view line) override {
    const sql::MutexLock lock(mutex_);
    lines_.emplace_back(line);
    changed_.NotifyAll();
  }
  void Frame(std::string_view frame) override {
    Line("frame " + std::string(frame));
  }
  void End(HttpResponse response) override {
    const sql::MutexLock lock(mutex_);
    end_ = std::move(response);
    changed_.NotifyAll();
  }

  void HoldAt(std::size_t most) {
    const sql::MutexLock lock(mutex_);
    most_ = most;
  }
  std::vector<std::string> Await(std::size_t count) {
    const sql::MutexLock lock(mutex_);
    WaitFor(count);
    return lines_;
  }
  HttpResponse AwaitEnd() {
    const sql::MutexLock lock(mutex_);
    WaitFor(std::numeric_limits<std::size_t>::max());
    return end_.value_or(HttpResponse{});
  }
  bool Ended() {
    const sql::MutexLock lock(mutex_);
    return end_.has_value();
  }
  // Like Await(), and removes them.
  std::vector<std::string> Take(std::size_t count) {
    const sql::MutexLock lock(mutex_);
    WaitFor(count);
    return std::exchange(lines_, {});
  }

 private:
  // Waits for so many lines, or for the end.
  void WaitFor(std::size_t count) REQUIRES(mutex_) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (lines_.size() < count && !end_ &&
           changed_.WaitUntil(mutex_, until)) {
    }
  }

  sql::Mutex mutex_;
  sql::ConditionVariable changed_;
  std::vector<std::string> lines_ GUARDED_BY(mutex_);
  std::optional<HttpResponse> end_ GUARDED_BY(mutex_);
  std::size_t most_ GUARDED_BY(mutex_) = 1'000'000;
};

TEST(HttpClient, CarriesMethodPathQueryAndBody) {
  Server server([](const HttpQuestion& question) {
    return Text(201, question.method + " " + question.path + " " +
                         question.query.at("q") + " " + question.body + " " +
                         question.content_type);
  });
  HttpClient client({.address = server.address()});
  for (const char* method : {"POST", "PATCH", "DELETE", "PUT"}) {
    const HttpResponse response =
        client.Send({.method = method,
                     .path = "/a%20b?q=" + PercentEncode("x/y&z=ä"),
                     .body = "body",
                     .content_type = "application/merge-patch+json"});
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body, std::string(method) +
                                 " /a b x/y&z=ä body "
                                 "application/merge-patch+json");
  }
  EXPECT_EQ(client.Send({.path = "/a?q=1"}).body, "GET /a 1  ");
  EXPECT_EQ(client.Send({.method = "DELETE", .path = "/a?q=1"}).body,
            "DELETE /a 1  ");
}

TEST(HttpClient, SpeaksOverASocketFile) {
  Server server([](const HttpQuestion&) { return Text(200, "here"); },
                "unix:" + ::testing::TempDir() + "http_client_test.sock");
  HttpClient client({.address = server.address()});
  EXPECT_EQ(client.Send({.path = "/"}).body, "here");
}

TEST(HttpClient, ManyRequestsAreUnderWayAtOnceAndAnsweredInOrder) {
  std::atomic<int> present = 0;
  std::atomic<int> most = 0;
  sql::Mutex mutex;
  sql::ConditionVariable full;
  Server server([&](const HttpQuestion& question) {
    {
      const auto until = std::chrono::steady_clock::now() + kPatience;
      const sql::MutexLock lock(mutex);
      most = std::max(most.load(), ++present);
      full.NotifyAll();
      while (most != 8 && full.WaitUntil(mutex, until)) {
      }
    }
    --present;
    return Text(200, question.path);
  });
  HttpClient client({.address = server.address(), .connections = 8});
  std::vector<HttpRequest> requests(100);
  for (int i = 0; i < 100; ++i) requests[i].path = "/" + std::to_string(i);
  const auto responses = client.SendAll(std::move(requests));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(responses[i].body, "/" + std::to_string(i));
  }
  EXPECT_EQ(most, 8);
}

TEST(HttpClient, TriesAgainAfterServerErrorsUntilItSucceeds) {
  std::atomic<int> asked = 0;
  Server server([&](const HttpQuestion&) {
    const int n = ++asked;
    return Text(n == 1 ? 500 : n == 2 ? 429 : 200);
  });
  HttpClient client(
      {.address = server.address(), .first_backoff = milliseconds(1)});
  EXPECT_EQ(client.Send({.path = "/"}).status, 200);
  EXPECT_EQ(asked, 3);
}

TEST(HttpClient, GivesTheLastAnswerAtTheDeadline) {
  Server server([](const HttpQuestion&) { return Text(503, "away"); });
  HttpClient client(
      {.address = server.address(), .first_backoff = milliseconds(1)});
  const HttpResponse response =
      client.Send({.path = "/", .deadline = milliseconds(500)});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "away");
}

TEST(HttpClient, GivesTheLastAnswerIfTheDeadlineCutsOffTheNextAttempt) {
  std::atomic<int> asked = 0;
  std::promise<void> over;
  Server server([&, waits = over.get_future().share()](const HttpQuestion&) {
    if (++asked > 1) waits.wait();
    return Text(503, "away");
  });
  HttpClient client(
      {.address = server.address(), .first_backoff = milliseconds(1)});
  const HttpResponse response =
      client.Send({.path = "/", .deadline = std::chrono::seconds(2)});
  over.set_value();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body, "away");
}

TEST(HttpClient, ThatIsNotKnownOfWhatMustNotBeDoneTwice) {
  std::atomic<int> asked = 0;
  std::promise<void> over;
  Server server([&, waits = over.get_future().share()](const HttpQuestion&) {
    if (++asked > 1) waits.wait();
    return Text(429, "busy");
  });
  HttpClient client(
      {.address = server.address(), .first_backoff = milliseconds(1)});
  const HttpResponse response =
      client.Send({.method = "POST",
                   .path = "/",
                   .repeatable = false,
                   .deadline = std::chrono::seconds(2)});
  over.set_value();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(response.status, 0);
}

TEST(HttpClient, WaitsAsLongAsRetryAfterSays) {
  std::atomic<int> asked = 0;
  Server server([&](const HttpQuestion&) {
    HttpAnswer answer = Text(++asked == 1 ? 429 : 200);
    answer.retry_after = std::chrono::seconds(1);
    return answer;
  });
  HttpClient client(
      {.address = server.address(), .first_backoff = milliseconds(1)});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(client.Send({.path = "/"}).status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(950));
  // Does not wait beyond the deadline.
  asked = 0;
  EXPECT_EQ(client.Send({.path = "/", .deadline = milliseconds(500)}).status,
            429);
}

TEST(HttpClient, DoesNotRepeatWhatMayHaveHappenedUnlessAllowed) {
  std::atomic<int> asked = 0;
  Server server([&](const HttpQuestion&) {
    ++asked;
    return Text(500);
  });
  HttpClient client(
      {.address = server.address(), .first_backoff = milliseconds(1)});
  EXPECT_EQ(
      client
          .Send(
              {.method = "POST", .path = "/", .body = "x", .repeatable = false})
          .status,
      500);
  EXPECT_EQ(asked, 1);
}

TEST(HttpClient, SaysThatNobodyAnswers) {
  HttpClient client({.address = "unix:/nonexistent/socket",
                     .first_backoff = milliseconds(1)});
  const HttpResponse response =
      client.Send({.path = "/", .deadline = milliseconds(500)});
  EXPECT_EQ(response.status, 0);
  EXPECT_THAT(response.error, ::testing::HasSubstr("unix:/nonexistent/socket"));
  // The durations are left out, so that a log does not repeat the error.
  EXPECT_THAT(response.error, ::testing::Not(::testing::HasSubstr(" ms")));
}

TEST(HttpClient, RefusesAddressesThatItCannotUse) {
  for (const char* address :
       {"", "unix:", "http://", "ftp://x", "127.0.0.1:80", "/run/x.sock"}) {
    EXPECT_THROW(HttpClient({.address = address}), std::invalid_argument)
        << address;
  }
}

TEST(HttpClient, StopsWithRequestsUnderWay) {
  sql::Mutex mutex;
  sql::ConditionVariable asked;
  bool is_asked = false;
  bool released = false;
  Server server([&](const HttpQuestion&) {
    const auto until = std::chrono::steady_clock::now() + kPatience;
    const sql::MutexLock lock(mutex);
    is_asked = true;
    asked.NotifyAll();
    while (!released && asked.WaitUntil(mutex, until)) {
    }
    return Text(200);
  });
  HttpResponse response;
  {
    HttpClient client({.address = server.address()});
    client.Start({.path = "/"},
                 [&](HttpResponse it) { response = std::move(it); });
    const auto until = std::chrono::steady_clock::now() + kPatience;
    const sql::MutexLock lock(mutex);
    while (!is_asked && asked.WaitUntil(mutex, until)) {
    }
  }
  EXPECT_EQ(response.status, 0);
  EXPECT_THAT(response.error, ::testing::HasSubstr("stopped"));
  const sql::MutexLock lock(mutex);
  released = true;
  asked.NotifyAll();
}

HttpAnswer Stream(std::vector<std::string> pieces, bool ends = true) {
  HttpAnswer answer;
  answer.stream = [pieces, ends,
                   next =
                       std::size_t{0}]() mutable -> std::optional<std::string> {
    if (next < pieces.size()) return pieces[next++];
    if (ends) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(1));
    return "";
  };
  return answer;
}

TEST(HttpStream, GivesWholeLinesHoweverTheyArrive) {
  Server server([](const HttpQuestion&) {
    return Stream({"on", "e\ntwo\nthr", "ee\n", "rest without an end"});
  });
  HttpClient client({.address = server.address()});
  Lines lines;
  const auto stream = client.Open("/", std::chrono::seconds(10), lines);
  EXPECT_EQ(lines.AwaitEnd().status, 200);
  EXPECT_THAT(lines.Await(3), ::testing::ElementsAre("one", "two", "three"));
}

TEST(HttpStream, GivesFramesIfTheAnswerIsInProtobuf) {
  Server server([](const HttpQuestion& question) {
    HttpAnswer answer = Stream({std::string("\0\0\0\4a\nb", 7), "c"});
    answer.content_type = question.accept;
    return answer;
  });
  HttpClient client({.address = server.address()});
  Lines lines;
  const auto stream =
      client.Open("/", std::chrono::seconds(10), lines,
                  "application/vnd.kubernetes.protobuf;stream=watch");
  EXPECT_EQ(lines.AwaitEnd().status, 200);
  EXPECT_THAT(lines.Await(1), ::testing::ElementsAre("frame a\nbc"));
}

TEST(HttpStream, SaysWhyItWasRefused) {
  Server server([](const HttpQuestion&) { return Text(410, "too old"); });
  HttpClient client({.address = server.address()});
  Lines lines;
  const auto stream = client.Open("/", std::chrono::seconds(10), lines);
  const HttpResponse end = lines.AwaitEnd();
  EXPECT_EQ(end.status, 410);
  EXPECT_EQ(end.body, "too old");
}

TEST(HttpStream, IsGivenUpWhenItFallsSilent) {
  Server server([](const HttpQuestion&) { return Stream({"one\n"}, false); });
  HttpClient client({.address = server.address()});
  Lines lines;
  const auto stream = client.Open("/", milliseconds(100), lines);
  EXPECT_THAT(lines.AwaitEnd().error, ::testing::HasSubstr("silent"));
}

TEST(HttpStream, WaitsForASlowReader) {
  Server server([](const HttpQuestion&) {
    return Stream(
        std::vector<std::string>(2'000, std::string(999, 'x') + "\n"));
  });
  HttpClient client({.address = server.address()});
  Lines lines;
  lines.HoldAt(1);
  const auto stream = client.Open("/", std::chrono::seconds(10), lines);
  std::size_t received = 0;
  while (received < 2'000) {
    const std::size_t count = lines.Take(1).size();
    ASSERT_GT(count, 0U);
    EXPECT_LT(count, 600U);  // at most the lines of one read
    received += count;
    stream->Resume();
  }
  EXPECT_EQ(received, 2'000U);
}

TEST(HttpClient, KeepsToItsRate) {
  Server server([](const HttpQuestion&) { return Text(200); });
  HttpClient client({.address = server.address(), .requests_per_second = 10});
  const auto begin = std::chrono::steady_clock::now();
  for (const HttpResponse& response :
       client.SendAll(std::vector<HttpRequest>(15, {.path = "/"})))
    EXPECT_EQ(response.status, 200);
  // Ten at once, then one per 100 ms.
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(400));
}

TEST(HttpStream, ClosesWhileTheServerHasMoreToSay) {
  Server server([](const HttpQuestion&) { return Stream({"one\n"}, false); });
  HttpClient client({.address = server.address()});
  Lines lines;
  auto stream = client.Open("/", std::chrono::seconds(10), lines);
  EXPECT_THAT(lines.Await(1), ::testing::ElementsAre("one"));
  stream.reset();
  EXPECT_FALSE(lines.Ended());  // and is not called any more
}

TEST(HttpStream, EndsWithItsClientAndMayBeClosedLater) {
  Server server([](const HttpQuestion&) { return Stream({"one\n"}, false); });
  auto client =
      std::make_unique<HttpClient>(HttpOptions{.address = server.address()});
  Lines lines;
  const auto stream = client->Open("/", std::chrono::seconds(10), lines);
  lines.Await(1);
  client.reset();
  EXPECT_THAT(lines.AwaitEnd().error, ::testing::HasSubstr("stopped"));
}

}  // namespace
}  // namespace fluxnetes::cluster
