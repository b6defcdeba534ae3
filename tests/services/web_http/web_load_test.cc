// The server of the pages under load: idle connections, slow readers and
// malformed requests at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <sstream>

#include "services/web_http/web_server.h"
#include "services/web_http/web_stream.h"
#include "tests/services/support/garbler.h"
#include "tests/services/support/own_resources.h"
#include "tests/services/support/raw_exchange.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using std::chrono::steady_clock;
using ::testing::EndsWith;
using testing::WaitUntil;
using Connections = std::vector<std::unique_ptr<RawConnection>>;

constexpr int kIdle = 5'000;
constexpr int kSlow = 50;
constexpr std::size_t kLarge = std::size_t{1} << 20U;
const std::string kAsked = RawRequest("GET /still", {"Host: x"});

class WebLoad : public ::testing::Test {
 protected:
  WebLoad() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    server_.Start();
  }

  static WebReply Answer(const WebRequest& request) {
    static const auto kLargeText =
        std::make_shared<const std::string>(kLarge, 'x');
    static const auto kStill = std::make_shared<const std::string>("still");
    return {.body = request.path == "/large" ? kLargeText : kStill};
  }

  Connections Open(int count, const std::string& bytes) {
    Connections connections;
    for (int i = 0; i < count; ++i) {
      connections.push_back(std::make_unique<RawConnection>(server_.address()));
      connections.back()->Send(bytes);
    }
    return connections;
  }

  // Returns the longest of twenty requests.
  std::chrono::milliseconds Longest() {
    steady_clock::duration longest{};
    for (int i = 0; i < 20; ++i) {
      const auto begin = steady_clock::now();
      EXPECT_THAT(ExchangeRaw(server_.address(), kAsked), EndsWith("still"));
      longest = std::max(longest, steady_clock::now() - begin);
    }
    return std::chrono::duration_cast<std::chrono::milliseconds>(longest);
  }

  std::ostringstream lines_;
  const Log log_{{.level = LogLevel::kError, .out = &lines_}};
  WebServer server_{
      {.address = "127.0.0.1:0",
       .answer =
           [](const WebRequest& request, const WebServerOptions::Send&) {
             return std::optional(Answer(request));
           },
       // Who leaves within a request is forgotten by then.
       .request_time = std::chrono::seconds(5)},
      log_};
};

TEST_F(WebLoad, IdleSlowAndMalformedConnectionsDelayNobodyAndLeaveNothing) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  const int idle_count =
      static_cast<int>(std::min<rlim_t>(kIdle, (files.rlim_cur - 500) / 2));
  Longest();
  const std::size_t files_before = Own("fd");
  const std::size_t threads_before = Own("task");
  const auto heap_before = OwnHeap();
  {
    const Connections idle = Open(idle_count, "GET / HTTP/1.1\r\nHost: ");
    const Connections slow = Open(kSlow, RawRequest("GET /large", {"Host: x"}));
    Garbler garbler({"\r\n", "\0", ":", "%", "HTTP/1.1",
                     "Content-Length: 9\r\n", "Transfer-Encoding: chunked\r\n",
                     "\xff\xfe"});
    for (int i = Garbler::Count(10'000, 100'000); i > 0; --i) {
      RawConnection connection(server_.address());
      connection.Send(garbler.Garble(kAsked));
    }
    EXPECT_LT(Longest(), std::chrono::seconds(2));
    EXPECT_EQ(Own("task"), threads_before);
  }
  EXPECT_TRUE(WaitUntil(std::chrono::seconds(20),
                        [&] { return Own("fd") <= files_before + 2; }))
      << Own("fd") << " files, and " << files_before << " before";
  Longest();
  if (heap_before) {
    EXPECT_LT(OwnHeap().value_or(0), *heap_before + (std::size_t{8} << 20U));
  }
}

}  // namespace
}  // namespace fluxnetes::services
