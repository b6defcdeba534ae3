#include "services/http/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "cluster/http/http_client.h"
#include "tests/services/support/garbler.h"
#include "tests/services/support/own_resources.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using cluster::HttpClient;
using cluster::HttpResponse;
using ::testing::HasSubstr;

HttpServerOptions Options(
    std::function<HttpAnswer(const HttpQuestion&)> answer) {
  HttpServerOptions options;
  options.address = "127.0.0.1:0";
  options.answer = std::move(answer);
  options.refuse = [](int status, const std::string& why) {
    return "refused " + std::to_string(status) + ": " + why;
  };
  options.largest_request = 100'000;
  return options;
}

HttpAnswer Echo(const HttpQuestion& question) {
  HttpAnswer answer;
  answer.body = question.body;
  return answer;
}

int Connect(const std::string& address, int receive_buffer = 0) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  if (receive_buffer > 0)
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer,
               sizeof(receive_buffer));
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(static_cast<in_port_t>(
      std::stoi(address.substr(address.rfind(':') + 1))));
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  return fd;
}

// Sends these bytes unchanged and reads until the server closes the connection.
std::string Exchange(const std::string& address, const std::string& bytes) {
  const int fd = Connect(address);
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t count =
        send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (count <= 0) break;
    sent += static_cast<std::size_t>(count);
  }
  shutdown(fd, SHUT_WR);
  std::string answer;
  char buffer[4096];
  for (ssize_t got = 0; (got = recv(fd, buffer, sizeof(buffer), 0)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  close(fd);
  return answer;
}

TEST(HttpServer, ExceptionIsA500ThatSaysWhy) {
  HttpServer server(Options([](const HttpQuestion&) -> HttpAnswer {
    throw std::runtime_error("out of order");
  }));
  server.Start();
  HttpClient client({.address = server.address()});
  const HttpResponse response =
      client.Send({.path = "/", .deadline = std::chrono::seconds(10)});
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body, "refused 500: out of order");
}

TEST(HttpServer, BodyThatIsTooLargeIsRefused) {
  HttpServer server(Options(Echo));
  server.Start();
  HttpClient client({.address = server.address()});
  EXPECT_EQ(
      client
          .Send(
              {.method = "POST", .path = "/", .body = std::string(90'000, 'x')})
          .body.size(),
      90'000U);
  const HttpResponse response = client.Send(
      {.method = "POST", .path = "/", .body = std::string(100'001, 'x')});
  EXPECT_EQ(response.status, 413);
}

TEST(HttpServer, BodyOfUnknownLengthHasTheSameLimit) {
  HttpServer server(Options(Echo));
  server.Start();
  std::string request =
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 200; ++i) {
    request += "400\r\n" + std::string(1'024, 'x') + "\r\n";
  }
  request += "0\r\n\r\n";
  EXPECT_THAT(Exchange(server.address(), request),
              ::testing::Not(HasSubstr(" 200 ")));
}

TEST(HttpServer, HeadersWithoutEndAreCutOff) {
  HttpServer server(Options(Echo));
  server.Start();
  std::string request = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 10'000; ++i) {
    request += "X-Header-" + std::to_string(i) + ": value\r\n";
  }
  EXPECT_THAT(Exchange(server.address(), request + "\r\n"),
              ::testing::Not(HasSubstr(" 200 ")));
}

TEST(HttpServer, NonsenseHarmsNobody) {
  HttpServer server(Options(Echo));
  server.Start();
  for (const std::string& nonsense :
       {std::string("nonsense\r\n\r\n"), std::string(1'000, '\0'),
        std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        "GET /" + std::string(10'000, 'x') + " HTTP/1.1\r\n\r\n",
        std::string("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 50\r\n\r\nshort"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "zz\r\n")}) {
    EXPECT_THAT(Exchange(server.address(), nonsense),
                ::testing::Not(HasSubstr(" 200 ")))
        << nonsense.substr(0, 40);
  }
  HttpClient client({.address = server.address()});
  EXPECT_EQ(client.Send({.path = "/"}).status, 200);
}

std::vector<std::string> RequestsToGarble() {
  return {
      "GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: text/plain\r\n\r\n",
      "GET /a%20b?x=1&y=%2F&&z HTTP/1.1\r\nHost: a\r\n\r\n",
      "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      "POST /x HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello",
      "POST /x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n0\r\n\r\n",
      "POST /x HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
      "Content-Length: 70\r\n\r\n--b\r\nContent-Disposition: form-data; "
      "name=\"f\"\r\n\r\nv\r\n--b--\r\n",
      "GET / HTTP/1.1\r\nRange: bytes=0-1,5-\r\nExpect: 100-continue\r\n\r\n"};
}

Garbler HttpGarbler() {
  return Garbler(
      {"\r\n\r\n", "%", "%u12", "Content-Length: 99999999999999999999\r\n",
       "Content-Length: -1\r\n", "Transfer-Encoding: chunked\r\n",
       "ffffffffffffffff\r\n", ": ", "HTTP/1.1", "\xff\xfe", "?", "#", "//"});
}

// Sends each request on its own connection, and some more on persistent ones.
// The first half creates what is created once. The second half leaves no file
// and no thread, and on the heap less than 200 bytes per request.
TEST(HttpServer, MalformedRequestsCrashAndLeakNothing) {
  SCOPED_TRACE("repeat with FLUXNETES_TEST_SEED=" +
               std::to_string(Garbler::Seed()));
  const std::vector<std::string> requests = RequestsToGarble();
  Garbler garbler = HttpGarbler();
  const auto next = [&] { return garbler.Garble(garbler.OneOf(requests)); };
  HttpServer server(Options(Echo));
  server.Start();
  const std::size_t threads = Own("task");  // of other tests too
  const auto rest = [&] {
    // Closed connections are cleared away when another one comes.
    Exchange(server.address(), "GET / HTTP/1.0\r\n\r\n");
    return Own("task") <= threads + 4;
  };
  const int half = Garbler::Count(1'000, 10'000) / 2;
  const auto send = [&] {
    for (int i = 0; i < half; ++i) Exchange(server.address(), next());
    for (int connection = 0; connection < 25; ++connection) {
      std::string bytes;
      for (int i = 0; i < 25; ++i) bytes += next();
      Exchange(server.address(), bytes);
    }
    EXPECT_TRUE(testing::WaitUntil(std::chrono::seconds(30), rest))
        << Own("task") << " threads";
  };
  send();
  const std::size_t files = Own("fd");
  const auto heap = OwnHeap();
  send();
  EXPECT_TRUE(
      testing::WaitUntil(std::chrono::seconds(30),
                         [&] { return rest() && Own("fd") <= files + 2; }))
      << Own("fd") << " files after " << files;
  if (heap) {
    EXPECT_LT(*OwnHeap(), *heap + static_cast<std::size_t>(half) * 200);
  }
  HttpClient client({.address = server.address()});
  EXPECT_EQ(client.Send({.path = "/"}).status, 200);
}

TEST(HttpServer, WhoTakesNoAnswerHoldsNoThread) {
  constexpr std::size_t kSize = std::size_t{16} << 20U;
  HttpServerOptions options = Options([](const HttpQuestion&) {
    HttpAnswer answer;
    answer.body = std::string(kSize, 'x');
    return answer;
  });
  options.answer_time = std::chrono::milliseconds(50);
  HttpServer server(options);
  server.Start();
  const std::size_t threads = Own("task");
  const int fd = Connect(server.address(), 4096);
  const std::string request = "GET / HTTP/1.1\r\n\r\n";
  ASSERT_EQ(send(fd, request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  pollfd begun{fd, POLLIN, 0};
  ASSERT_EQ(poll(&begun, 1, 30'000), 1);
  EXPECT_TRUE(testing::WaitUntil(std::chrono::seconds(30),
                                 [&] { return Own("task") <= threads; }));
  // The bytes under way still arrive, then the end.
  std::size_t taken = 0;
  char buffer[65536];
  for (ssize_t got = 0; (got = recv(fd, buffer, sizeof(buffer), 0)) > 0;)
    taken += static_cast<std::size_t>(got);
  EXPECT_LT(taken, kSize);
  close(fd);
}

TEST(HttpServer, RequestThatComesByteByByteIsCutOff) {
  HttpServerOptions options = Options(Echo);
  options.request_time = std::chrono::milliseconds(50);
  HttpServer server(options);
  server.Start();
  const int fd = Connect(server.address());
  const auto begin = std::chrono::steady_clock::now();
  bool open = true;
  while (open &&
         std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)) {
    send(fd, "G", 1, MSG_NOSIGNAL);
    pollfd answered{fd, POLLIN, 0};
    open = poll(&answered, 1, 5) == 0;
  }
  EXPECT_FALSE(open);
  close(fd);
}

TEST(HttpServer, CompressedBodyIsTakenAsItIs) {
  HttpServer server(Options(Echo));
  server.Start();
  EXPECT_THAT(Exchange(server.address(),
                       "POST / HTTP/1.1\r\nContent-Encoding: gzip\r\n"
                       "Content-Length: 5\r\nConnection: close\r\n\r\nplain"),
              HasSubstr("plain"));
}

TEST(HttpServer, StopEndsIdleConnectionsAndStreamsAtOnce) {
  std::atomic<bool> streaming{false};
  HttpServer server(Options([&streaming](const HttpQuestion& question) {
    HttpAnswer answer;
    if (question.path == "/stream") {
      answer.stream = [&streaming] {
        streaming = true;
        streaming.notify_all();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return std::string("line\n");
      };
    }
    return answer;
  }));
  server.Start();
  HttpClient client({.address = server.address()});
  EXPECT_EQ(client.Send({.path = "/"}).status, 200);
  std::thread reader(
      [&] { Exchange(server.address(), "GET /stream HTTP/1.1\r\n\r\n"); });
  streaming.wait(false);
  const auto start = std::chrono::steady_clock::now();
  server.Stop();
  server.Stop();
  // Idle connections would be kept for 120 s.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  reader.join();
}

TEST(HttpServer, SaysThatTheAddressIsTaken) {
  HttpServer server(Options(Echo));
  server.Start();
  HttpServerOptions options = Options(Echo);
  options.address = server.address();
  HttpServer second(options);
  EXPECT_THROW(second.Start(), std::runtime_error);
}

}  // namespace
}  // namespace fluxnetes::services
