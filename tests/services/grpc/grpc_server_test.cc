#include "services/grpc/grpc_server.h"

#include <gmock/gmock.h>
#include <grpcpp/impl/client_unary_call.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <sstream>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "services/grpc/grpc_calls.h"
#include "services/grpc_v1/grpc_scheduler.h"
#include "tests/services/support/grpc_client.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;

using ::testing::AllOf;
using ::testing::HasSubstr;

// A server of the scheduler's service, with its log.
class GrpcServing : public ::testing::Test {
 protected:
  void Start(GrpcServerOptions options) {
    options.services = {&scheduler_.service()};
    server_.emplace(std::move(options), log_);
    server_->Start();
  }

  std::string SocketPath() const {
    return ::testing::TempDir() + "grpc_server.sock";
  }

  static grpc::Status GetCaller(const std::shared_ptr<grpc::Channel>& channel,
                                v1::GetCallerResponse* response = nullptr) {
    const auto stub = v1::Scheduler::NewStub(channel);
    grpc::ClientContext context;
    SetPatience(context);
    v1::GetCallerResponse unused;
    return stub->GetCaller(&context, {}, response ? response : &unused);
  }

  // Calls a service that has no stub here: the message consists of unknown
  // fields, the result is the bytes of the answer.
  std::string SendByHand(const char* path,
                         const v1::GetCallerRequest& request) {
    const auto channel = PlainChannel(server_->address());
    grpc::internal::RpcMethod method(path,
                                     grpc::internal::RpcMethod::NORMAL_RPC);
    grpc::ClientContext context;
    SetPatience(context);
    v1::GetCallerRequest answer;
    const grpc::Status status = grpc::internal::BlockingUnaryCall<
        v1::GetCallerRequest, v1::GetCallerRequest, grpc::protobuf::MessageLite,
        grpc::protobuf::MessageLite>(channel.get(), method, &context, request,
                                     &answer);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return answer.SerializeAsString();
  }

  std::ostringstream lines_;  // read once the server has stopped
  const Log log_{{.format = LogFormat::kText, .out = &lines_}};
  const Config config_{};
  sql::Pool pool_{{.connection = "host=/nowhere", .catalogues = {}}};
  GrpcAccess access_;
  GrpcCalls calls_{{}, access_, log_};
  GroupFeed feed_{pool_, log_, {}};
  GrpcScheduler scheduler_{config_, pool_, calls_, feed_};
  std::optional<GrpcServer> server_;
};

TEST_F(GrpcServing, SocketFileIsForItsOwnerWhoIsAnOperator) {
  Start({.address = "unix:" + SocketPath()});
  struct stat made {};
  ASSERT_EQ(stat(SocketPath().c_str(), &made), 0);
  EXPECT_EQ(made.st_mode & 07777U, 0600U);
  v1::GetCallerResponse caller;
  const grpc::Status status =
      GetCaller(PlainChannel(server_->address()), &caller);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(caller.name(), "local");
  EXPECT_EQ(caller.role(), v1::ROLE_OPERATOR);
  EXPECT_EQ(caller.server_version(), "0.1.0");
}

TEST_F(GrpcServing, LoopbackNeedsNoCertificates) {
  Start({.address = "127.0.0.1:0"});
  const grpc::Status status = GetCaller(PlainChannel(server_->address()));
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(GrpcServing, AddressThatOthersReachIsRefusedWithoutCertificates) {
  try {
    Start({.address = "0.0.0.0:0"});
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("without certificates"));
    EXPECT_THAT(error.what(), HasSubstr("grpc.clientCA"));
  }
}

TEST_F(GrpcServing, HealthSaysServing) {
  Start({.address = "unix:" + SocketPath()});
  // grpc.health.v1.HealthCheckResponse{status: SERVING}.
  EXPECT_EQ(SendByHand("/grpc.health.v1.Health/Check", {}), "\x08\x01");
}

TEST_F(GrpcServing, ReflectionListsAndDescribesTheServices) {
  Start({.address = "unix:" + SocketPath()});
  // grpc.reflection.v1alpha.ServerReflectionRequest.
  constexpr int kFileContainingSymbol = 4, kListServices = 7;
  const char* kReflection =
      "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo";
  v1::GetCallerRequest list;
  list.GetReflection()->MutableUnknownFields(&list)->AddLengthDelimited(
      kListServices, "*");
  EXPECT_THAT(SendByHand(kReflection, list),
              AllOf(HasSubstr("fluxnetes.v1.Scheduler"),
                    HasSubstr("grpc.health.v1.Health")));
  v1::GetCallerRequest describe;
  describe.GetReflection()->MutableUnknownFields(&describe)->AddLengthDelimited(
      kFileContainingSymbol, "fluxnetes.v1.Scheduler");
  EXPECT_THAT(SendByHand(kReflection, describe), HasSubstr("WatchGroups"));
}

TEST_F(GrpcServing, MessageThatIsTooLargeIsRefused) {
  Start({.address = "unix:" + SocketPath(), .largest_message = 1000});
  const auto channel = PlainChannel(server_->address());
  v1::GetCallerRequest request;
  request.GetReflection()->MutableUnknownFields(&request)->AddLengthDelimited(
      1, std::string(1001, 'x'));
  grpc::ClientContext context;
  SetPatience(context);
  v1::GetCallerResponse response;
  const grpc::Status status =
      v1::Scheduler::NewStub(channel)->GetCaller(&context, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(GetCaller(channel).ok());
}

TEST_F(GrpcServing, MetadataThatIsTooLargeIsRefused) {
  Start({.address = "unix:" + SocketPath()});
  const auto channel = PlainChannel(server_->address());
  grpc::ClientContext context;
  SetPatience(context);
  context.AddMetadata("x", std::string(20'000, 'x'));
  v1::GetCallerResponse response;
  const grpc::Status status =
      v1::Scheduler::NewStub(channel)->GetCaller(&context, {}, &response);
  EXPECT_EQ(status.error_code(), StatusCode::RESOURCE_EXHAUSTED)
      << status.error_message();
  EXPECT_TRUE(GetCaller(PlainChannel(server_->address())).ok());
}

TEST_F(GrpcServing, ConnectionBeyondTheLimitIsTurnedAway) {
  Start({.address = "unix:" + SocketPath(), .connections = 2});
  auto first = PlainChannel(server_->address());
  const auto second = PlainChannel(server_->address());
  EXPECT_TRUE(GetCaller(first).ok());
  EXPECT_TRUE(GetCaller(second).ok());
  EXPECT_EQ(GetCaller(PlainChannel(server_->address())).error_code(),
            StatusCode::UNAVAILABLE);
  first.reset();
  // Wait until the server notices that the first is closed.
  grpc::Status status;
  for (int i = 0; i < 1000 && !status.ok(); ++i) {
    status = GetCaller(PlainChannel(server_->address()));
  }
  EXPECT_TRUE(status.ok()) << status.error_message();
  server_->Stop();
  EXPECT_THAT(lines_.str(),
              HasSubstr("connections were closed: too many are open"));
}

TEST_F(GrpcServing, StopsTwiceAndRemovesItsSocket) {
  Start({.address = "unix:" + SocketPath()});
  EXPECT_TRUE(GetCaller(PlainChannel(server_->address())).ok());
  server_->Stop();
  server_->Stop();
  EXPECT_FALSE(std::filesystem::exists(SocketPath()));
}

class GrpcMutualTls : public GrpcServing {
 protected:
  static void SetUpTestSuite() {
    certificates_.emplace(::testing::TempDir() + "grpc_certificates");
    certificates_->AddAuthority("ca");
    certificates_->AddAuthority("other");
    certificates_->Add("server", "ca", "DNS:localhost");
    certificates_->Add("ann", "ca", "DNS:ann.example");
    certificates_->Add("late", "ca", "DNS:late.example", -1);
    certificates_->Add("stranger", "other", "DNS:ann.example");
  }
  static void TearDownTestSuite() { certificates_.reset(); }

  static GrpcCertificates Files() {
    return {.certificate = certificates_->Path("server.crt"),
            .key = certificates_->Path("server.key"),
            .client_ca = certificates_->Path("ca.crt")};
  }

  void SetUp() override {
    Start({.address = "127.0.0.1:0", .certificates = Files()});
  }

  grpc::Status CallAs(const std::string& name,
                      v1::GetCallerResponse* response = nullptr) {
    return GetCaller(TlsChannel(server_->address(), *certificates_, "ca", name),
                     response);
  }

  // Stops the server and returns its log.
  std::string Lines() {
    server_->Stop();
    return lines_.str();
  }

  static std::optional<TestCertificates> certificates_;
};

std::optional<TestCertificates> GrpcMutualTls::certificates_;

TEST_F(GrpcMutualTls, ClientIsKnownByItsCertificateAndMayLook) {
  v1::GetCallerResponse caller;
  const grpc::Status status = CallAs("ann", &caller);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(caller.name(), "ann");
  EXPECT_EQ(caller.role(), v1::ROLE_VIEWER);
}

TEST_F(GrpcMutualTls, ExpiredCertificateIsRefusedAndTheLogSaysWhy) {
  EXPECT_EQ(CallAs("late").error_code(), StatusCode::UNAVAILABLE);
  const std::string lines = Lines();
  EXPECT_THAT(lines, HasSubstr("a client's certificate is refused"));
  EXPECT_THAT(lines, HasSubstr("certificate has expired"));
  EXPECT_THAT(lines, HasSubstr("subject CN=late"));
}

TEST_F(GrpcMutualTls, CertificateOfAnotherAuthorityIsRefused) {
  EXPECT_EQ(CallAs("stranger").error_code(), StatusCode::UNAVAILABLE);
  const std::string lines = Lines();
  EXPECT_THAT(lines, HasSubstr("unable to get local issuer certificate"));
  EXPECT_THAT(lines, HasSubstr("issuer CN=other"));
}

TEST_F(GrpcMutualTls, ClientWithoutACertificateIsRefused) {
  EXPECT_EQ(CallAs("").error_code(), StatusCode::UNAVAILABLE);
  EXPECT_THAT(Lines(), HasSubstr("peer did not return a certificate"));
}

TEST_F(GrpcMutualTls, PlainTextIsRefused) {
  EXPECT_EQ(GetCaller(PlainChannel(server_->address())).error_code(),
            StatusCode::UNAVAILABLE);
}

TEST_F(GrpcMutualTls, KeyOfAnotherCertificateIsSaidAtTheStart) {
  GrpcCertificates files = Files();
  files.key = certificates_->Path("ann.key");
  GrpcServer server({.address = "127.0.0.1:0", .certificates = files}, log_);
  try {
    server.Start();
    FAIL() << "it started";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("ann.key"));
    EXPECT_THAT(error.what(), HasSubstr("not that of the certificate"));
  }
}

TEST_F(GrpcMutualTls, MissingFileIsSaidAtTheStart) {
  GrpcCertificates files = Files();
  files.client_ca = certificates_->Path("nowhere.crt");
  GrpcServer server({.address = "127.0.0.1:0", .certificates = files}, log_);
  EXPECT_THROW(server.Start(), std::runtime_error);
}

}  // namespace
}  // namespace fluxnetes::services
