// HttpClient against a server with certificates: server and client identity.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cluster/http/http_client.h"
#include "tests/support/places.h"
#include "tests/support/process.h"

namespace fluxnetes::cluster {
namespace {

using fluxnetes::testing::Process;
using std::chrono::milliseconds;
using ::testing::HasSubstr;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A command that makes a self-signed certificate and its key: NAME.crt,
// NAME.key.
std::string MakeCertificate(const std::string& name, const std::string& names) {
  return "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=" + name +
         " -addext subjectAltName=" + names + " -keyout " + name +
         ".key -out " + name + ".crt && ";
}

class Https : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = ::testing::TempDir() + "https_test/";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    Process make({"/bin/sh", "-c",
                  "cd " + folder_ + " && " +
                      MakeCertificate("server", "DNS:api.example") +
                      MakeCertificate("here", "IP:127.0.0.1") +
                      MakeCertificate("ann", "DNS:ann") + "true"},
                 {}, folder_ + "openssl.log");
    ASSERT_EQ(make.WaitForEnd(std::chrono::minutes(1)), 0)
        << ReadFile(folder_ + "openssl.log");
  }

  // Starts a server with that certificate; returns its address.
  std::string Serve(const std::string& name) {
    const std::string log = folder_ + name + ".port";
    std::filesystem::remove(log);
    const std::string program =
        testing::SourcePath("tests/support/https_server.py");
    server_.emplace(
        std::vector<std::string>{"/usr/bin/python3", program,
                                 folder_ + name + ".crt",
                                 folder_ + name + ".key", folder_ + "ann.crt"},
        std::map<std::string, std::string>{}, log);
    std::string port;
    while (!port.ends_with('\n') && !server_->HasEnded()) {
      std::this_thread::sleep_for(milliseconds(10));
      port = ReadFile(log);
    }
    EXPECT_TRUE(port.ends_with('\n')) << port;
    return "https://127.0.0.1:" + port.substr(0, port.size() - 1);
  }

  static HttpResponse Get(HttpOptions options) {
    HttpClient client(std::move(options));
    return client.Send({.path = "/",
                        .repeatable = false,
                        .attempt_timeout = std::chrono::minutes(1),
                        .deadline = std::chrono::minutes(1)});
  }
  static TlsOptions Trust(const std::string& name,
                          const std::string& server_name = "") {
    return {.authorities = ReadFile(folder_ + name + ".crt"),
            .server_name = server_name};
  }

  static std::string folder_;
  std::optional<Process> server_;
};

std::string Https::folder_;

TEST_F(Https, TheServerProvesItsAddress) {
  const std::string address = Serve("here");
  EXPECT_EQ(Get({.address = address, .tls = Trust("here")}).status, 200);
  EXPECT_THAT(Get({.address = address}).error, HasSubstr("certificate"));
  EXPECT_THAT(Get({.address = address, .tls = Trust("ann")}).error,
              HasSubstr("certificate"));
  EXPECT_EQ(Get({.address = address, .tls = {.insecure = true}}).status, 200);
}

TEST_F(Https, TheServerProvesTheNameThatIsAskedFor) {
  const std::string address = Serve("server");
  EXPECT_EQ(Get({.address = address, .tls = Trust("server")}).status, 0);
  EXPECT_EQ(
      Get({.address = address, .tls = Trust("server", "api.example")}).status,
      200);
  EXPECT_EQ(
      Get({.address = address, .tls = Trust("server", "api.other")}).status, 0);
}

TEST_F(Https, WeProveWhoWeAre) {
  const std::string address = Serve("here");
  const Identity identity{.token = "t",
                          .certificate = ReadFile(folder_ + "ann.crt"),
                          .key = ReadFile(folder_ + "ann.key")};
  EXPECT_EQ(Get({.address = address,
                 .tls = Trust("here"),
                 .credentials = FixedCredentials(identity)})
                .body,
            "Bearer t ann");
}

TEST_F(Https, ATokenThatIsRefusedIsReplacedByTheNextOne) {
  const std::string address = Serve("here");
  const std::string file = folder_ + "token";
  std::ofstream(file) << "old";
  std::shared_ptr<Credentials> credentials = TokenFileCredentials(file, {});
  HttpClient client(
      {.address = address, .tls = Trust("here"), .credentials = credentials});
  EXPECT_EQ(client.Send({.path = "/"}).status, 401);
  std::ofstream(file) << "new";
  EXPECT_EQ(client.Send({.path = "/"}).body, "Bearer new ");
}

TEST_F(Https, WithoutAnIdentityARequestFailsAndSaysWhy) {
  HttpClient client({.address = "https://127.0.0.1:1",
                     .credentials = TokenFileCredentials("/nonexistent", {})});
  EXPECT_THAT(client.Send({.path = "/", .deadline = milliseconds(500)}).error,
              HasSubstr("the token file /nonexistent"));
}

}  // namespace
}  // namespace fluxnetes::cluster
