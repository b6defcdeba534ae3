#include "services/web_http/web_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <sstream>
#include <thread>

#include "services/web_http/call_threads.h"
#include "services/web_http/web_stream.h"
#include "tests/services/support/garbler.h"
#include "tests/services/support/own_resources.h"
#include "tests/services/support/raw_exchange.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::WaitUntil;

std::shared_ptr<const std::string> Text(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

WebReply EchoReply(const WebRequest& request) {
  return {.body = Text(request.method + " " + request.path + " " +
                       request.Query("q") + " " + request.Header("x-word") +
                       " " + request.body)};
}

class WebServerTest : public ::testing::Test {
 protected:
  void Serve(WebServerOptions options) {
    options.address = "127.0.0.1:0";
    server_.emplace(std::move(options), log_);
    server_->Start();
  }
  void ServeEcho() {
    Serve({.answer = [](const WebRequest& request, const auto&) {
      return std::optional(EchoReply(request));
    }});
  }
  const std::string& address() const { return server_->address(); }

  std::ostringstream lines_;
  const Log log_{{.out = &lines_}};
  std::optional<WebServer> server_;
};

TEST_F(WebServerTest, RequestReachesTheAnswerWhole) {
  ServeEcho();
  EXPECT_THAT(
      ExchangeRaw(address(), RawRequest("POST /a%20b?q=1%2B1",
                                        {"Host: x", "X-Word: hi"}, "body")),
      HasSubstr("\r\n\r\nPOST /a b 1+1 hi body"));
}

TEST_F(WebServerTest, ConnectionIsUsedAgain) {
  ServeEcho();
  RawConnection connection(address());
  for (int i = 0; i < 3; ++i) {
    connection.Send("GET /one HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(connection.ReadUntil("GET /one   "),
                StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(WebServerTest, AnswerMayComeLaterFromAnotherThread) {
  CallThreads threads(2, 100);
  Serve({.answer = [&threads](const WebRequest& request,
                              auto send) -> std::optional<WebReply> {
    EXPECT_TRUE(threads.Post(
        [request, send = std::move(send)] { send(EchoReply(request)); }));
    return std::nullopt;
  }});
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(ExchangeRaw(address(), RawRequest("GET /late", {"Host: x"})),
                HasSubstr("GET /late"));
  threads.Stop();
}

TEST_F(WebServerTest, AnswerToWhoIsGoneIsDropped) {
  CallThreads threads(1, 100);
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<int> sent = 0;
  Serve({.answer = [&](const WebRequest& request,
                       auto send) -> std::optional<WebReply> {
    EXPECT_TRUE(threads.Post([&, request, send = std::move(send)] {
      open.wait();
      send(EchoReply(request));
      ++sent;
    }));
    return std::nullopt;
  }});
  {
    RawConnection connection(address());
    connection.Send("GET /gone HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  gate.set_value();
  EXPECT_TRUE(WaitUntil(seconds(10), [&] { return sent == 1; }));
  EXPECT_THAT(ExchangeRaw(address(), RawRequest("GET /next", {"Host: x"})),
              Not(HasSubstr("/gone")));
  threads.Stop();
}

TEST_F(WebServerTest, BodyThatIsTooLargeIsRefused) {
  Serve(
      {.answer = [](const WebRequest& request,
                    const auto&) { return std::optional(EchoReply(request)); },
       .largest_body = 1'000});
  EXPECT_THAT(ExchangeRaw(address(), RawRequest("POST /", {"Host: x"},
                                                std::string(1'001, 'x'))),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ExchangeRaw(address(), RawRequest("POST /", {"Host: x"},
                                                std::string(1'000, 'x'))),
              StartsWith("HTTP/1.1 200"));
  std::string chunked =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i)
    chunked += "100\r\n" + std::string(256, 'x') + "\r\n";
  EXPECT_THAT(ExchangeRaw(address(), chunked + "0\r\n\r\n"),
              Not(HasSubstr("200 OK")));
}

TEST_F(WebServerTest, HeadersThatAreTooLongAreRefused) {
  ServeEcho();
  EXPECT_THAT(
      ExchangeRaw(address(),
                  RawRequest("GET /", {"Host: x",
                                       "X-Word: " + std::string(60'000, 'x')})),
      StartsWith("HTTP/1.1 4"));
}

TEST_F(WebServerTest, WhoSendsNoWholeRequestInTimeIsDropped) {
  Serve(
      {.answer = [](const WebRequest& request,
                    const auto&) { return std::optional(EchoReply(request)); },
       .request_time = seconds(1)});
  RawConnection slow(address());
  slow.Send("GET / HTTP/1.1\r\nX-Word: ");
  EXPECT_EQ(slow.ReadAll(), "");
  EXPECT_EQ(server_->too_slow(), 1);
}

TEST_F(WebServerTest, MoreConnectionsThanAllowedAreClosed) {
  Serve(
      {.answer = [](const WebRequest& request,
                    const auto&) { return std::optional(EchoReply(request)); },
       .connections = 2});
  RawConnection one(address());
  RawConnection two(address());
  for (RawConnection* each : {&one, &two}) {
    each->Send("GET /in HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_THAT(each->ReadUntil("GET /in"), HasSubstr("200"));
  }
  EXPECT_EQ(RawConnection(address()).ReadAll(), "");
  EXPECT_EQ(server_->turned_away(), 1);
}

// A stream whose producer adds "0\n", "1\n", ... whenever all has been taken.
class Counting : public std::enable_shared_from_this<Counting> {
 public:
  explicit Counting(int end) : end_(end) {}
  std::shared_ptr<WebStream> Open() {
    auto stream = std::make_shared<WebStream>(
        [self = shared_from_this()] { self->Add(); });
    stream_ = stream;
    return stream;
  }
  void Add() {
    const auto stream = stream_.lock();
    if (!stream) return;
    if (next_ == end_) {
      stream->End();
    } else {
      stream->Add(Text(std::to_string(next_++) + "\n"));
    }
  }

 private:
  const int end_;
  int next_ = 0;
  std::weak_ptr<WebStream> stream_;
};

TEST_F(WebServerTest, StreamIsSentPieceByPieceToItsEnd) {
  Serve({.answer = [](const WebRequest&, const auto&) {
    const auto counting = std::make_shared<Counting>(100);
    WebReply reply{.stream = counting->Open()};
    counting->Add();
    return std::optional(reply);
  }});
  const std::string answer =
      ExchangeRaw(address(), RawRequest("GET /", {"Host: x"}));
  EXPECT_THAT(answer, HasSubstr("\r\n0\n\r\n"));
  EXPECT_THAT(answer, HasSubstr("99\n"));
}

TEST_F(WebServerTest, PausedStreamGoesOnFromAnotherThread) {
  auto stream = std::make_shared<WebStream>([] {});
  Serve({.answer = [stream](const WebRequest&, const auto&) {
    return std::optional(WebReply{.stream = stream});
  }});
  RawConnection reader(address());
  reader.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(reader.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  for (const char* word : {"one", "two"}) {
    stream->Add(Text(word));
    EXPECT_THAT(reader.ReadUntil(word), HasSubstr(word));
    EXPECT_TRUE(WaitUntil(seconds(10), [&] { return stream->IsTaken(); }));
  }
  stream->End();
  // The connection stays for the next request.
  EXPECT_THAT(reader.ReadUntil("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
}

TEST_F(WebServerTest, StreamIsToldThatItsReaderIsGone) {
  auto stream = std::make_shared<WebStream>([] {});
  Serve({.answer = [stream](const WebRequest&, const auto&) {
    return std::optional(WebReply{.stream = stream});
  }});
  {
    RawConnection reader(address());
    reader.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    reader.ReadUntil("\r\n\r\n");
  }
  EXPECT_TRUE(WaitUntil(seconds(20), [&] {
    stream->Add(Text(":\n\n"));
    return stream->HasEnded();
  }));
}

TEST_F(WebServerTest, StopEndsOpenStreamsAndConnections) {
  auto stream = std::make_shared<WebStream>([] {});
  Serve({.answer = [stream](const WebRequest&, const auto&) {
    return std::optional(WebReply{.stream = stream});
  }});
  RawConnection reader(address());
  RawConnection idle(address());
  reader.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  reader.ReadUntil("\r\n\r\n");
  server_->Stop();
  server_->Stop();
  EXPECT_TRUE(stream->HasEnded());
  reader.ReadAll();
  EXPECT_EQ(idle.ReadAll(), "");
}

TEST_F(WebServerTest, ManyStreamsNeedNoThreadEach) {
  constexpr int kStreams = 200;
  Serve({.answer = [](const WebRequest&, const auto&) {
    return std::optional(
        WebReply{.stream = std::make_shared<WebStream>([] {})});
  }});
  const std::size_t threads = Own("task");
  std::vector<std::unique_ptr<RawConnection>> readers;
  for (int i = 0; i < kStreams; ++i) {
    readers.push_back(std::make_unique<RawConnection>(address()));
    readers.back()->Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    readers.back()->ReadUntil("\r\n\r\n");
  }
  EXPECT_EQ(Own("task"), threads);
}

TEST_F(WebServerTest, MalformedRequestsDoNoHarm) {
  ServeEcho();
  Garbler garbler({"\r\n", "\0", ":", "%", "HTTP/1.1", "Content-Length: 9\r\n",
                   "Transfer-Encoding: chunked\r\n", "\xff\xfe"});
  const std::string valid =
      RawRequest("POST /a?q=1", {"Host: x", "X-Word: hi"}, "body");
  for (int i = Garbler::Count(300, 10'000); i > 0; --i) {
    RawConnection connection(address());
    connection.Send(garbler.Garble(valid));
  }
  EXPECT_THAT(ExchangeRaw(address(), RawRequest("GET /still", {"Host: x"})),
              HasSubstr("GET /still"));
}

TEST(CallThreads, WorkBeyondTheLimitIsRefused) {
  CallThreads threads(1, 1);
  std::promise<void> gate;
  const std::shared_future<void> open = gate.get_future().share();
  std::atomic<bool> begun = false;
  ASSERT_TRUE(threads.Post([&] {
    begun = true;
    open.wait();
  }));
  ASSERT_TRUE(WaitUntil(seconds(10), [&] { return begun.load(); }));
  EXPECT_TRUE(threads.Post([] {}));
  EXPECT_FALSE(threads.Post([] {}));
  gate.set_value();
  threads.Stop();
  EXPECT_FALSE(threads.Post([] {}));
}

}  // namespace
}  // namespace fluxnetes::services
