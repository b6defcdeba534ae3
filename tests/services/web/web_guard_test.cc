#include "services/web/web_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fluxnetes::services {
namespace {

using ::testing::HasSubstr;

WebRequest GetRequest(std::map<std::string, std::string> headers) {
  return {.method = "GET", .path = "/x", .headers = std::move(headers)};
}

WebRequest PostRequest(std::map<std::string, std::string> headers) {
  headers.emplace("content-type", "application/json");
  return {.method = "POST", .path = "/x", .headers = std::move(headers)};
}

int StatusOf(const WebRequest& request, WebAsk ask = WebAsk::kData,
             const std::vector<std::string>& hosts = {}) {
  return CheckRequest(request, ask, hosts).status;
}

TEST(WebGuard, LoopbackIsLetThroughAtAnyPort) {
  for (const char* host :
       {"localhost", "LOCALHOST:80", "127.0.0.1:10293", "[::1]:5", "[::1]"})
    EXPECT_EQ(StatusOf(GetRequest({{"host", host}})), 0) << host;
}

TEST(WebGuard, OtherNamesAreRefused) {
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example",
        "localhost:80.evil.example", "localhost:", "127.0.0.11"})
    EXPECT_EQ(StatusOf(GetRequest({{"host", host}}), WebAsk::kFile), 421)
        << host;
  EXPECT_THAT(
      CheckRequest(GetRequest({{"host", "evil.example"}}), WebAsk::kFile, {})
          .why,
      HasSubstr("\"evil.example\""));
}

TEST(WebGuard, NamesOfTheConfigurationAreLetThrough) {
  const std::vector<std::string> hosts = {"flux.example", "flux.example:8443"};
  EXPECT_EQ(
      StatusOf(GetRequest({{"host", "Flux.example"}}), WebAsk::kData, hosts),
      0);
  EXPECT_EQ(StatusOf(GetRequest({{"host", "flux.example:8443"}}), WebAsk::kData,
                     hosts),
            0);
  EXPECT_EQ(
      StatusOf(GetRequest({{"host", "flux.example:1"}}), WebAsk::kData, hosts),
      421);
}

TEST(WebGuard, OtherOriginsAreRefused) {
  const std::string host = "localhost:1";
  EXPECT_EQ(
      StatusOf(PostRequest({{"host", host}, {"origin", "http://localhost:1"}})),
      0);
  for (const char* origin :
       {"http://localhost:2", "http://evil.example", "null",
        "http://localhost:1.evil.example", "ftp://localhost:1"})
    EXPECT_EQ(StatusOf(PostRequest({{"host", host}, {"origin", origin}})), 403)
        << origin;
}

TEST(WebGuard, BrowserThatTellsOfAnotherSiteIsBelieved) {
  EXPECT_EQ(StatusOf(GetRequest(
                {{"host", "localhost"}, {"sec-fetch-site", "cross-site"}})),
            403);
  EXPECT_EQ(StatusOf(GetRequest(
                {{"host", "localhost"}, {"sec-fetch-site", "same-site"}})),
            403);
  EXPECT_EQ(StatusOf(GetRequest(
                {{"host", "localhost"}, {"sec-fetch-site", "same-origin"}})),
            0);
  // Another site may have a link to the pages, which hold no data.
  EXPECT_EQ(StatusOf(GetRequest({{"host", "localhost"},
                                 {"sec-fetch-site", "cross-site"}}),
                     WebAsk::kFile),
            0);
}

TEST(WebGuard, CallsAreJson) {
  const auto typed = [](const char* type) {
    return WebRequest{
        .method = "POST",
        .path = "/x",
        .headers = {{"host", "localhost"}, {"content-type", type}}};
  };
  EXPECT_EQ(StatusOf(typed("application/json; charset=utf-8")), 0);
  for (const char* type :
       {"", "text/plain", "application/x-www-form-urlencoded",
        "application/jsonx"})
    EXPECT_EQ(StatusOf(typed(type)), 415) << type;
}

TEST(WebGuard, CookieIsFoundAmongOthers) {
  const auto with = [](const char* cookies) {
    return CookieOf(GetRequest({{"cookie", cookies}}), "session");
  };
  EXPECT_EQ(with("session=a"), "a");
  EXPECT_EQ(with("x=1; session=a; y=2"), "a");
  EXPECT_EQ(with("mysession=a"), "");
  EXPECT_EQ(with("sessions=a"), "");
  EXPECT_EQ(with("session"), "");
  EXPECT_EQ(CookieOf(GetRequest({}), "session"), "");
}

}  // namespace
}  // namespace fluxnetes::services
