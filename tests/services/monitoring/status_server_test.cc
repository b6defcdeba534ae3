#include "services/monitoring/status_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/http/http_client.h"

namespace fluxnetes::services {
namespace {

using cluster::HttpClient;
using cluster::HttpResponse;
using ::testing::HasSubstr;

class StatusServerTest : public ::testing::Test {
 protected:
  StatusServerTest() { server_.Start(); }

  HttpResponse Get(const std::string& path, const std::string& method = "GET") {
    HttpClient client({.address = server_.address()});
    return client.Send({.method = method, .path = path, .once = true});
  }

  Health health_ = {{.name = "loops"}};
  Health readiness_ = {{.name = "database"},
                       {.name = "replica", .note = "stands by"}};
  StatusServer server_{{.address = "127.0.0.1:0",
                        .health = [this] { return health_; },
                        .readiness = [this] { return readiness_; },
                        .metrics = [] { return "figure 1\n"; }}};
};

TEST_F(StatusServerTest, SaysCheckByCheckWhetherItIsReady) {
  HttpResponse response = Get("/readyz");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "[+] database\n[+] replica: stands by\n");
  readiness_[0].problem = "it cannot\n\tbe reached";
  response = Get("/readyz");
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(response.body,
            "[-] database: it cannot  be reached\n[+] replica: stands by\n");
  EXPECT_EQ(Get("/healthz").status, 200);
}

TEST_F(StatusServerTest, PasswordsAreNotSaid) {
  readiness_[0].problem = "no connection by postgresql://ann:secret@db/x";
  EXPECT_EQ(Get("/readyz").body,
            "[-] database: no connection by postgresql://ann:***@db/x\n"
            "[+] replica: stands by\n");
}

TEST_F(StatusServerTest, IsHealthyUnlessALoopIsStuck) {
  EXPECT_EQ(Get("/healthz").body, "[+] loops\n");
  health_[0].problem = "match has been at one step for 900s";
  EXPECT_EQ(Get("/healthz").status, 503);
}

TEST_F(StatusServerTest, MetricsAreTextForPrometheus) {
  const HttpResponse response = Get("/metrics");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "figure 1\n");
}

TEST_F(StatusServerTest, IsOnlyToBeRead) {
  EXPECT_EQ(Get("/metrics", "POST").status, 405);
  EXPECT_EQ(Get("/metrics", "DELETE").status, 405);
  EXPECT_EQ(Get("/").status, 404);
  EXPECT_THAT(Get("/debug").body, HasSubstr("/healthz, /readyz and /metrics"));
}

TEST_F(StatusServerTest, ProbesAreNotKeptOutByLongRequests) {
  const HttpResponse response = Get("/" + std::string(20'000, 'x'));
  EXPECT_NE(response.status, 200);
  EXPECT_EQ(Get("/healthz").status, 200);
}

}  // namespace
}  // namespace fluxnetes::services
