// The Fluence-compatible services as their callers see them: a match worker on
// a simulated cluster decides while calls wait.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fluence/external_plugin.grpc.pb.h"
#include "fluence/fluxcli.grpc.pb.h"
#include "fluence/fluxion.grpc.pb.h"
#include "matcher/readers/jgf.h"
#include "services/fluence/fluence_services.h"
#include "services/grpc/grpc_server.h"
#include "tests/invariants/behaviour/manifests.h"
#include "tests/invariants/invariants.h"
#include "tests/services/support/grpc_client.h"
#include "tests/support/whole_system.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using namespace std::string_literals;

// Two nodes with 4 cpu and a GPU each, one of them in zone a.
class FluenceServicesTest : public ::testing::Test {
 protected:
  FluenceServicesTest() { Serve({.external_plugin = true}); }
  ~FluenceServicesTest() override {
    services_->Stop();
    server_->Stop();
    calls_.Stop();
  }

  void Serve(FluenceServices::Options options) {
    if (server_) server_->Stop();
    options.match.now = [this] { return system_.cluster.Now(); };
    services_.emplace(pool_, jobs_, calls_, std::move(options));
    server_.emplace(
        GrpcServerOptions{
            .address = "unix:" + ::testing::TempDir() + "fluence.sock",
            .services = services_->services()},
        log_);
    server_->Start();
    channel_ = PlainChannel(server_->address());
    fluxion_ = fluxion::FluxionService::NewStub(channel_);
    fluxcli_ = fluxcli::FluxcliService::NewStub(channel_);
    external_ = service::ExternalPluginService::NewStub(channel_);
  }

  // Makes a call while the workers run until it is answered.
  template <typename Call>
  grpc::Status Decided(Call call) {
    auto answer = std::async(std::launch::async, [&] {
      grpc::ClientContext context;
      SetPatience(context);
      return call(context);
    });
    while (answer.wait_for(std::chrono::milliseconds(1)) !=
           std::future_status::ready) {
      system_.process->Step(system_.cluster.Now());
      services_->Ring();
    }
    system_.Settle();
    return answer.get();
  }

  static fluxion::MatchRequest MatchOf(const std::string& name, int count,
                                       int cpu = 2) {
    fluxion::MatchRequest request;
    request.set_jobname(name);
    request.set_count(count);
    request.mutable_podspec()->set_id("pod");
    request.mutable_podspec()->set_cpu(cpu);
    return request;
  }
  grpc::Status Match(const fluxion::MatchRequest& request,
                     fluxion::MatchResponse& response) {
    return Decided([&](grpc::ClientContext& context) {
      return fluxion_->Match(&context, request, &response);
    });
  }
  fluxion::MatchResponse Matched(const fluxion::MatchRequest& request) {
    fluxion::MatchResponse response;
    const grpc::Status status = Match(request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  grpc::Status Cancel(std::uint64_t id, bool no_exist_ok = false) {
    fluxion::CancelRequest request;
    request.set_fluxid(id);
    request.set_noexistok(no_exist_ok);
    return Decided([&](grpc::ClientContext& context) {
      fluxion::CancelResponse response;
      const auto status = fluxion_->Cancel(&context, request, &response);
      EXPECT_EQ(response.fluxid(), status.ok() ? id : 0);
      return status;
    });
  }
  service::GroupResponse Group(const std::string& name) {
    service::GroupRequest request;
    service::GroupResponse response;
    request.set_group(name);
    grpc::ClientContext context;
    SetPatience(context);
    const auto status = external_->GetGroup(&context, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }

  // Sends these bytes and returns the bytes of the answer.
  std::string Send(const std::string& method, const std::string& bytes) {
    grpc::ByteBuffer answer;
    const grpc::Status status = Decided([&](grpc::ClientContext& context) {
      grpc::GenericStub stub(channel_);
      const grpc::Slice slice(bytes);
      grpc::ByteBuffer request(&slice, 1);
      grpc::CompletionQueue queue;
      auto call = stub.PrepareUnaryCall(&context, method, request, &queue);
      call->StartCall();
      grpc::Status status;
      call->Finish(&answer, &status, nullptr);
      void* tag = nullptr;
      bool ok = false;
      queue.Next(&tag, &ok);
      return status;
    });
    EXPECT_TRUE(status.ok()) << status.error_message();
    std::vector<grpc::Slice> slices;
    answer.Dump(&slices);
    std::string text;
    for (const grpc::Slice& slice : slices)
      text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    return text;
  }

  static std::string NodesOf(const fluxion::MatchResponse& response) {
    std::string text;
    for (const auto& node : response.nodelist())
      text += (text.empty() ? "" : " ") + node.nodeid() + "=" +
              std::to_string(node.tasks());
    return text;
  }

  testing::WholeSystem system_{R"(
nodes:
- {name: node0, cpu: 4, memory: 16Gi, zone: a, resources: {nvidia.com/gpu: 1}}
- {name: node1, cpu: 4, memory: 16Gi, resources: {nvidia.com/gpu: 1}}
)"};
  sql::Pool pool_{[this] {
    sql::PoolOptions options = system_.database.options();
    options.catalogues = FluenceServices::Catalogues();
    return options;
  }()};
  queue::WorkQueue jobs_{pool_};
  std::ostringstream lines_;
  const Log log_{{.format = LogFormat::kText, .out = &lines_}};
  GrpcAccess access_;
  GrpcCalls calls_{{}, access_, log_};
  std::optional<FluenceServices> services_;
  std::optional<GrpcServer> server_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<fluxion::FluxionService::Stub> fluxion_;
  std::unique_ptr<fluxcli::FluxcliService::Stub> fluxcli_;
  std::unique_ptr<service::ExternalPluginService::Stub> external_;
};

TEST_F(FluenceServicesTest, MatchSaysHowManyPodsHavePlacesOnWhichNode) {
  testing::Invariants::Attach(system_, {});
  const auto response = Matched(MatchOf("train", 3));
  EXPECT_TRUE(response.allocated());
  EXPECT_FALSE(response.reserved());
  EXPECT_EQ(NodesOf(response), "node0=2 node1=1");
  EXPECT_EQ(system_.Ask("SELECT id || ' ' || namespace || '/' || group_name || "
                        "' ' || state FROM pod_groups"),
            std::to_string(response.fluxid()) + " default/train allocated");
}

TEST_F(FluenceServicesTest, WithoutRoomTheAnswerIsEmpty) {
  Matched(MatchOf("first", 4));
  EXPECT_EQ(Matched(MatchOf("second", 1)).SerializeAsString(), "");
  EXPECT_EQ(system_.Ask("SELECT count(*) FROM pod_groups"), "1");
}

TEST_F(FluenceServicesTest, WithReserveItIsSaidWhenAndWhere) {
  Serve({.match = {.lifetime = std::chrono::seconds(600)}});
  Matched(MatchOf("first", 4));
  auto request = MatchOf("second", 3);
  request.set_reserve(true);
  const auto response = Matched(request);
  EXPECT_TRUE(response.reserved());
  EXPECT_FALSE(response.allocated());
  EXPECT_EQ(std::to_string(response.reserved_at()),
            system_.Ask("SELECT extract(epoch FROM ends_at)::bigint FROM "
                        "allocations"));
  EXPECT_EQ(NodesOf(response), "node0=2 node1=1");

  // A repeated request after the reserved time gets the allocation.
  system_.Advance(std::chrono::seconds(602));
  const auto later = Matched(request);
  EXPECT_EQ(later.fluxid(), response.fluxid());
  EXPECT_TRUE(later.allocated());
}

TEST_F(FluenceServicesTest, RepeatedCallHoldsNothingTwice) {
  const auto first = Matched(MatchOf("train", 3));
  const auto again = Matched(MatchOf("train", 3));
  EXPECT_EQ(first.SerializeAsString(), again.SerializeAsString());
  EXPECT_EQ(system_.Ask("SELECT count(*) FROM placements"), "3");
}

TEST_F(FluenceServicesTest, CancelGivesBackOnceAndThenKnowsTheIdNoMore) {
  const auto id = Matched(MatchOf("train", 4)).fluxid();
  EXPECT_TRUE(Cancel(id).ok());
  const grpc::Status again = Cancel(id);
  EXPECT_EQ(again.error_code(), StatusCode::NOT_FOUND);
  EXPECT_THAT(again.error_message(), HasSubstr("no match with the id"));
  EXPECT_TRUE(Cancel(id, true).ok());
  EXPECT_EQ(Cancel(7'000).error_code(), StatusCode::NOT_FOUND);
  EXPECT_TRUE(Cancel(7'000, true).ok());
  EXPECT_TRUE(Matched(MatchOf("other", 4)).allocated());
}

TEST_F(FluenceServicesTest, MatchAndCancelWriteWhoHasDoneIt) {
  const auto id = Matched(MatchOf("train", 3)).fluxid();
  Matched(MatchOf("train", 3));  // a repetition changes nothing
  EXPECT_TRUE(Cancel(id).ok());
  EXPECT_EQ(Cancel(id).error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(system_.Ask("SELECT string_agg(concat_ws(' ', caller, role, via, "
                        "verb, object, detail), ', ' ORDER BY id) FROM audit"),
            "local operator grpc match group/default/train 3 pods of (2 cpu), "
            "local operator grpc cancel group/default/train cancelled by its "
            "caller");
}

TEST_F(FluenceServicesTest,
       WhoMayChangeNothingInANamespaceMatchesAndEndsNothingThere) {
  const auto id = Matched(MatchOf("train", 1)).fluxid();
  FluenceMatch match(pool_, jobs_, {});
  FluenceRequest request;
  request.name = "train";
  request.cpu = request.count = 1;
  const auto refused = [](const auto& call) {
    try {
      call();
    } catch (const GrpcRefusal& refusal) {
      return refusal.code() == GrpcCode::kPermissionDenied;
    }
    return false;
  };
  const Principal viewer{"bob", Role::kViewer};
  const Principal other{"ann", Role::kUser, {"elsewhere"}};
  for (const Principal& caller : {viewer, other}) {
    EXPECT_TRUE(refused([&] { match.Match(request, {caller}); }))
        << caller.name;
    EXPECT_TRUE(refused([&] {
      match.Cancel(static_cast<std::int64_t>(id), caller);
    })) << caller.name;
  }
  EXPECT_EQ(system_.Ask("SELECT count(*) FROM external_groups"), "1");
  const Principal user{"ann", Role::kUser, {"default"}};
  EXPECT_TRUE(match.Cancel(static_cast<std::int64_t>(id), user));
}

TEST_F(FluenceServicesTest, RequestThatCannotBeIsRefusedByField) {
  const auto why = [this](const fluxion::MatchRequest& request) {
    fluxion::MatchResponse response;
    const grpc::Status status = Match(request, response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
    return status.error_message();
  };
  EXPECT_THAT(why(MatchOf("a", 1, 0)), HasSubstr("cpu is 0; right would be"));
  EXPECT_THAT(why(MatchOf("a", 0)), HasSubstr("count is 0; right would be"));
  EXPECT_THAT(why(MatchOf("a/b/c", 1)), HasSubstr("name is \"a/b/c\""));
  auto request = MatchOf("a", 1);
  request.mutable_podspec()->set_memory(-1);
  EXPECT_THAT(why(request), HasSubstr("memory is -1"));
  EXPECT_THAT(why({}), HasSubstr("cpu is 0"));
  EXPECT_EQ(system_.Ask("SELECT count(*) FROM external_groups"), "0");
}

TEST_F(FluenceServicesTest, MemoryStorageGpusAndZonesCount) {
  auto request = MatchOf("space/train", 1);
  request.mutable_podspec()->set_memory(std::int64_t{17} << 30);
  EXPECT_FALSE(Matched(request).allocated());
  request.mutable_podspec()->set_memory(std::int64_t{1} << 30);
  request.mutable_podspec()->set_gpu(2);
  EXPECT_FALSE(Matched(request).allocated());
  request.mutable_podspec()->set_gpu(1);
  request.mutable_podspec()->add_labels("zone");
  request.set_count(2);  // one GPU in the zone
  EXPECT_FALSE(Matched(request).allocated());
  request.set_count(1);
  EXPECT_EQ(NodesOf(Matched(request)), "node0=1");
  EXPECT_EQ(system_.database.AskAll(
                "SELECT memory_bytes, other ->> 'nvidia.com/gpu' FROM "
                "placements"),
            "1073741824|1");
  EXPECT_EQ(system_.Ask("SELECT namespace FROM pod_groups"), "space");
}

TEST_F(FluenceServicesTest, CallThatNobodyWaitsForLeavesNothing) {
  fluxion::MatchResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(50));
  // No worker matches.
  EXPECT_EQ(
      fluxion_->Match(&context, MatchOf("train", 1), &response).error_code(),
      StatusCode::DEADLINE_EXCEEDED);
  services_->Stop();
  calls_.Stop();  // waits for the end of the call
  system_.Settle();
  EXPECT_EQ(system_.Ask("SELECT count(*) FROM pod_groups"), "0");
  EXPECT_EQ(system_.Ask("SELECT reason FROM group_history"),
            "its caller ended the call");
}

TEST_F(FluenceServicesTest, WithoutItsQueueNothingIsMatched) {
  Serve({.match = {.queue = "nowhere"}});
  fluxion::MatchResponse response;
  const grpc::Status status = Match(MatchOf("train", 1), response);
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("fluxnetes queue create"));
}

// Written by field numbers in the wire format of Protocol Buffers.
TEST_F(FluenceServicesTest, FluxionTakesAndGivesTheBytesOfFluxnetesInGo) {
  const std::string pod =
      "\x0a\x03pod"   // id
      "\x12\x03img"   // container
      "\x18\x02"      // cpu
      "\x20\x80\x08"  // memory: 1024
      "\x28\x01"      // gpu
      "\x30\x00"      // storage
      "\x3a\x01x"s;   // labels
  const std::string request =
      "\x0a" + std::string(1, static_cast<char>(pod.size())) + pod +
      "\x18\x02"         // count
      "\x20\x00"         // reserve
      "\x2a\x05train"s;  // jobName
  EXPECT_EQ(Send("/fluxion.FluxionService/Match", request),
            "\x08\x01"                       // fluxID
            "\x12\x09\x0a\x05node0\x10\x01"  // nodelist: nodeID, tasks
            "\x12\x09\x0a\x05node1\x10\x01"
            "\x28\x01"s);  // allocated
  EXPECT_EQ(system_.database.AskAll(
                "SELECT g.group_name, e.request ->> 'resources' FROM "
                "pod_groups g JOIN external_groups e ON e.group_id = g.id"),
            "train|{\"cpu\": \"2\", \"pods\": \"1\", \"memory\": \"1Ki\", "
            "\"nvidia.com/gpu\": \"1\"}");
  EXPECT_EQ(Send("/fluxion.FluxionService/Cancel", "\x08\x01"), "\x08\x01");
  EXPECT_EQ(Send("/fluxion.FluxionService/Cancel", "\x08\x01\x10\x01"),
            "\x08\x01");
}

TEST_F(FluenceServicesTest, FluxionSaysReservedInTheBytesOfFluxnetesInGo) {
  Serve({.match = {.lifetime = std::chrono::seconds(600)}});
  Matched(MatchOf("first", 4));
  const std::string answer = Send("/fluxion.FluxionService/Match",
                                  "\x0a\x02\x18\x02"  // podspec: cpu
                                  "\x18\x01"          // count
                                  "\x20\x01"          // reserve
                                  "\x2a\x05later"s);  // jobName
  EXPECT_THAT(answer,
              ::testing::StartsWith(
                  "\x08\x02\x12\x09\x0a\x05node0\x10\x01\x18\x01\x20"s));
}

TEST_F(FluenceServicesTest, FluxcliTakesAndGivesTheBytesOfFluence) {
  EXPECT_EQ(Send("/fluxcli.FluxcliService/Match",
                 "\x0a\x07\x0a\x03pod\x18\x02"  // ps: id, cpu
                 "\x12\x08"
                 "allocate"                  // request
                 "\x18\x02"s),               // count
            "\x0a\x03pod"                    // podID
            "\x12\x09\x0a\x05node0\x10\x02"  // nodelist
            "\x18\x01"s);                    // jobID
  EXPECT_EQ(Send("/fluxcli.FluxcliService/Cancel", "\x10\x01"), "\x08\x01");
}

TEST_F(FluenceServicesTest,
       FluxcliReservesWithoutNodesAndSaysWhatItDoesNotKnow) {
  Serve({.match = {.lifetime = std::chrono::seconds(600)}});
  Matched(MatchOf("first", 4));
  fluxcli::MatchRequest request;
  request.mutable_ps()->set_id("pod");
  request.mutable_ps()->set_cpu(1);
  request.set_count(1);
  request.set_request("allocate_orelse_reserve");
  fluxcli::MatchResponse response;
  const auto match = [&](grpc::ClientContext& context) {
    return fluxcli_->Match(&context, request, &response);
  };
  EXPECT_TRUE(Decided(match).ok());
  EXPECT_GT(response.jobid(), 0);
  EXPECT_EQ(response.podid(), "pod");
  EXPECT_EQ(response.nodelist_size(), 0);
  request.set_request("satisfy");
  const grpc::Status status = Decided(match);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("allocate_orelse_reserve"));
}

TEST_F(FluenceServicesTest, ExternalPluginIsOffUnlessAskedFor) {
  Serve({});
  grpc::ClientContext context;
  SetPatience(context);
  service::ResourceResponse response;
  EXPECT_EQ(external_->GetResources(&context, {}, &response).error_code(),
            StatusCode::UNIMPLEMENTED);
}

TEST_F(FluenceServicesTest, ResourcesAreTheNodesAsTheyAreNow) {
  system_.cluster.Cordon("node1");
  system_.Settle();
  system_.process->match.ReportNodes(system_.cluster.Now());
  grpc::ClientContext context;
  SetPatience(context);
  service::ResourceResponse response;
  ASSERT_TRUE(external_->GetResources(&context, {}, &response).ok());
  const auto graph = matcher::ReadJgf(response.graph());
  ASSERT_TRUE(graph.Find("/cluster0/a/node0/core0"));
  EXPECT_EQ(graph.units(*graph.Find("/cluster0/a/node0/core0")), 4);
  EXPECT_EQ(graph.units(*graph.Find("/cluster0/a/node0/memory0")), 16 * 1024);
  EXPECT_EQ(graph.units(*graph.Find("/cluster0/node1/gpu0")), 1);
  EXPECT_TRUE(graph.up(*graph.Find("/cluster0/a/node0")));
  EXPECT_FALSE(graph.up(*graph.Find("/cluster0/node1")));
}

TEST_F(FluenceServicesTest, GroupsAreToldByName) {
  const auto list = [this](const std::string& name,
                           service::GroupResponse& response) {
    service::GroupRequest request;
    request.set_group(name);
    grpc::ClientContext context;
    SetPatience(context);
    return external_->ListGroups(&context, request, &response);
  };
  service::GroupResponse none;
  EXPECT_TRUE(list("", none).ok());
  EXPECT_EQ(none.SerializeAsString(), "");
  system_.Submit(testing::GangOf("gang", 2, {.cpu = "1", .seconds = 1'000}));
  system_.Settle();
  Matched(MatchOf("space/train", 3));

  service::GroupResponse first;
  EXPECT_TRUE(list("", first).ok());
  EXPECT_EQ(first.name(), "default/gang");
  EXPECT_EQ(first.size(), 2);
  EXPECT_EQ(Group("train").name(), "space/train");
  EXPECT_EQ(Group("space/train").size(), 3);
  service::GroupResponse named;
  EXPECT_TRUE(list("train", named).ok());
  EXPECT_EQ(named.size(), 3);
  EXPECT_EQ(list("nobody", named).error_code(), StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace fluxnetes::services
