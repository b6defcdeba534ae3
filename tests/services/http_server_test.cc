#include "services/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "cluster/http_client.h"

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

// Sends these bytes as they are and reads until the server hangs up.
std::string Exchange(const std::string& address, const std::string& bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port = htons(static_cast<in_port_t>(
      std::stoi(address.substr(address.rfind(':') + 1))));
  EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
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
  // Idle ones would be kept for 120 s.
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
