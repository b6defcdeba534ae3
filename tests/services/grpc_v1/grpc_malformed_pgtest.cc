// Malformed requests to all gRPC services: bytes that are not HTTP/2, and
// messages that are malformed or have invalid values.
#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fluence/fluxcli.pb.h"
#include "fluence/fluxion.pb.h"
#include "tests/services/support/garbler.h"
#include "tests/services/support/grpc_scheduling.h"
#include "tests/services/support/own_resources.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::string_literals;

// Sends these bytes on a new connection, and reads until the server closes it
// or nothing comes for a while.
void SendBytes(const std::string& path, const std::string& bytes) {
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof(name.sun_path) - 1);
  ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
  send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  shutdown(fd, SHUT_WR);
  char buffer[4096];
  pollfd waiting = {fd, POLLIN, 0};
  while (poll(&waiting, 1, 2'000) == 1 &&
         recv(fd, buffer, sizeof(buffer), 0) > 0) {
  }
  close(fd);
}

std::string Frame(char type, char flags, char stream, const std::string& body) {
  std::string frame(3, '\0');
  frame[1] = static_cast<char>(body.size() >> 8U);
  frame[2] = static_cast<char>(body.size());
  return frame + type + flags + std::string(3, '\0') + stream + body;
}

// A literal header field without indexing (RFC 7541, section 6.2.2).
std::string Header(const std::string& name, const std::string& value) {
  return std::string(1, '\0') + static_cast<char>(name.size()) + name +
         static_cast<char>(value.size()) + value;
}

// A call of ListGroups in HTTP/2 (RFC 9113).
std::string WholeCall(const std::string& message) {
  const std::string headers =
      Header(":method", "POST") + Header(":scheme", "http") +
      Header(":path", "/fluxnetes.v1.Scheduler/ListGroups") +
      Header(":authority", "x") + Header("te", "trailers") +
      Header("content-type", "application/grpc");
  const std::string length{'\0', '\0', '\0', '\0',
                           static_cast<char>(message.size())};
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(4, 0, 0, "") +
         Frame(1, 4, 1, headers) + Frame(0, 1, 1, length + message);
}

// A call and its valid message.
struct CallToGarble {
  std::string method;
  std::string message;
  bool is_short = false;  // the call would wait
};

template <typename Request, typename Fill>
CallToGarble CallOf(const std::string& method, Fill fill,
                    bool is_short = false) {
  Request request;
  fill(request);
  return {method, request.SerializeAsString(), is_short};
}

template <typename Request>
CallToGarble CallOfGroup(const std::string& method) {
  return CallOf<Request>("/fluxnetes.v1.Scheduler/" + method,
                         [](Request& request) {
                           request.set_namespace_("a");
                           request.set_name("first");
                         });
}

void AddCallsOfGroups(std::vector<CallToGarble>& calls) {
  const std::string service = "/fluxnetes.v1.Scheduler/";
  calls.push_back(CallOf<v1::ListGroupsRequest>(
      service + "ListGroups", [](v1::ListGroupsRequest& request) {
        request.set_namespace_("a");
        request.add_states(v1::GROUP_STATE_PENDING);
        request.set_finished_within_seconds(60);
        request.set_page_size(5);
        request.set_page_token("g/2");
      }));
  calls.push_back(CallOf<v1::GetTimelineRequest>(
      service + "GetTimeline", [](v1::GetTimelineRequest& request) {
        request.set_queue("default");
        request.set_horizon_seconds(600);
        request.set_page_size(5);
        request.set_page_token("1/1764000000000000/2");
      }));
  calls.push_back(CallOf<v1::WatchGroupsRequest>(
      service + "WatchGroups",
      [](v1::WatchGroupsRequest& request) {
        request.set_queue("default");
        request.set_resume_token("12.34");
      },
      true));
  calls.push_back(CallOfGroup<v1::GetGroupRequest>("GetGroup"));
  calls.push_back(CallOfGroup<v1::ExplainGroupRequest>("ExplainGroup"));
  calls.push_back(CallOfGroup<v1::CancelGroupRequest>("CancelGroup"));
  calls.push_back(CallOfGroup<v1::HoldGroupRequest>("HoldGroup"));
  calls.push_back(CallOfGroup<v1::ReleaseGroupRequest>("ReleaseGroup"));
}

constexpr const char* kJobspecToGarble =
    "version: 1\nresources: [{type: node, count: 1, with: [{type: socket, "
    "count: 1, with: [{type: slot, label: a, count: {min: 1}, with: "
    "[{type: core, count: 1}]}]}]}]\ntasks: [{command: [x], slot: a, count: "
    "{per_slot: 1}}]\nattributes: {system: {duration: 60, constraints: "
    "{properties: [\"a\"]}}}\n";

void AddCallsOfPools(std::vector<CallToGarble>& calls) {
  const std::string service = "/fluxnetes.v1.Scheduler/";
  calls.push_back(CallOf<v1::ListPoolsRequest>(
      service + "ListPools",
      [](v1::ListPoolsRequest& request) { request.set_name("matlab"); }));
  calls.push_back(CallOf<v1::SetPoolRequest>(
      service + "SetPool", [](v1::SetPoolRequest& request) {
        request.set_name("matlab");
        request.set_total(10);
        request.set_description("floating");
      }));
  calls.push_back(CallOf<v1::DeletePoolRequest>(
      service + "DeletePool",
      [](v1::DeletePoolRequest& request) { request.set_name("matlab"); }));
}

void AddOtherCalls(std::vector<CallToGarble>& calls) {
  const std::string service = "/fluxnetes.v1.Scheduler/";
  calls.push_back(CallOf<v1::GetCallerRequest>(service + "GetCaller",
                                               [](v1::GetCallerRequest&) {}));
  calls.push_back(CallOf<v1::SubmitRequest>(
      service + "Submit", [](v1::SubmitRequest& request) {
        request.set_manifests(
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: "
            "{schedulerName: fluxnetes, containers: [{name: c, image: i}]}\n");
        request.set_jobspec(kJobspecToGarble);
        request.set_dry_run(true);
      }));
  calls.push_back(CallOf<v1::ListQueuesRequest>(
      service + "ListQueues",
      [](v1::ListQueuesRequest& request) { request.set_name("default"); }));
  calls.push_back(CallOf<v1::SetQueueRequest>(
      service + "SetQueue", [](v1::SetQueueRequest& request) {
        request.set_name("default");
        (*request.mutable_settings())["queue_policy"] = "easy";
        (*request.mutable_settings())["ageing"] = "0.5";
        (*request.mutable_settings())["node_selector"] = "a=b,c=d";
      }));
  calls.push_back(CallOf<v1::ListNodesRequest>(
      service + "ListNodes", [](v1::ListNodesRequest& request) {
        request.set_page_size(1);
        request.set_page_token("n1");
      }));
  calls.push_back(CallOf<v1::SimulateRequest>(
      service + "Simulate", [](v1::SimulateRequest& request) {
        request.set_queue_policy("easy");
        request.add_queues("default:queue_policy=easy,queue_depth=100");
        request.add_add_nodes("2:like=n1");
      }));
  calls.push_back(CallOf<v1::MatchRequest>(
      service + "Match", [](v1::MatchRequest& request) {
        request.set_jobspec(kJobspecToGarble);
        request.set_queue("default");
        request.set_pods(2);
      }));
  AddCallsOfPools(calls);
}

void AddFluenceCalls(std::vector<CallToGarble>& calls) {
  const auto fill = [](auto& pod) {
    pod.set_id("a/match");
    pod.set_cpu(1);
    pod.set_memory(1 << 20);
    pod.add_labels("zone");
  };
  calls.push_back(CallOf<fluxion::MatchRequest>(
      "/fluxion.FluxionService/Match",
      [&](fluxion::MatchRequest& request) {
        fill(*request.mutable_podspec());
        request.set_count(2);
      },
      true));
  calls.push_back(CallOf<fluxcli::MatchRequest>(
      "/fluxcli.FluxcliService/Match",
      [&](fluxcli::MatchRequest& request) {
        fill(*request.mutable_ps());
        request.set_request("allocate");
        request.set_count(2);
      },
      true));
  calls.push_back(CallOf<fluxion::CancelRequest>(
      "/fluxion.FluxionService/Cancel",
      [](fluxion::CancelRequest& request) { request.set_fluxid(7); }));
}

class GrpcMalformed : public GrpcScheduling<CommandDatabase> {
 protected:
  GrpcMalformed() {
    AddExampleGroups();
    database_.Execute(
        "SELECT setval('group_ids', 100);"
        "UPDATE pods SET request = '{\"resources\": {\"cpu\": \"1\"}}';"
        "UPDATE pods_provisional SET request = '{\"resources\": {}}'");
    AddCallsOfGroups(calls_);
    AddOtherCalls(calls_);
    AddFluenceCalls(calls_);
  }

  std::string SocketPath() const { return api_->address().substr(5); }

  // Sends a message, valid or not, and returns its status.
  grpc::Status Send(const CallToGarble& call, const std::string& message) {
    grpc::ClientContext context;
    if (call.is_short)
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::milliseconds(5));
    else
      SetPatience(context);
    const grpc::Slice slice(message);
    const grpc::ByteBuffer request(&slice, 1);
    grpc::CompletionQueue queue;
    auto under_way =
        generic_->PrepareUnaryCall(&context, call.method, request, &queue);
    under_way->StartCall();
    grpc::ByteBuffer answer;
    grpc::Status status;
    under_way->Finish(&answer, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    return status;
  }

  // Calls `send` `count` times. The first half creates what is created once
  // (threads, connections, plans). The second half leaves no file and no
  // thread, and on the heap at most a connection's worth and 100 bytes per
  // request. The leak sanitizer finds smaller leaks; under it the heap cannot
  // be measured.
  template <typename Send>
  void SendAll(int count, Send send) {
    for (int i = 0; i < count / 2; ++i) send();
    const std::size_t files = Own("fd");
    const std::size_t threads = Own("task");
    const auto heap = OwnHeap();
    for (int i = 0; i < count / 2; ++i) send();
    EXPECT_TRUE(testing::WaitUntil(
        std::chrono::seconds(30),
        [&] { return Own("fd") <= files + 4 && Own("task") <= threads + 4; }))
        << Own("fd") << " files after " << files << ", " << Own("task")
        << " threads after " << threads;
    if (heap) {
      const auto allowed = *heap + (std::size_t{1} << 20U) +
                           static_cast<std::size_t>(count) / 2 * 100;
      EXPECT_TRUE(testing::WaitUntil(std::chrono::seconds(10),
                                     [&] { return *OwnHeap() < allowed; }))
          << *OwnHeap() << " bytes after " << *heap;
    }
    v1::GetCallerResponse caller;
    EXPECT_TRUE(
        Call(&v1::Scheduler::Stub::GetCaller, v1::GetCallerRequest(), &caller)
            .ok());
  }

  std::vector<CallToGarble> calls_;
  std::unique_ptr<grpc::GenericStub> generic_;
};

TEST_F(GrpcMalformed, BytesThatAreNoCallsCrashAndLeakNothing) {
  SCOPED_TRACE("repeat with FLUXNETES_TEST_SEED=" +
               std::to_string(Garbler::Seed()));
  Serve();
  Garbler garbler({"\0\0\0"s, "\xff\xff\xff"s, "PRI * HTTP/2.0\r\n"s,
                   Frame(4, 0, 0, ""), Frame(3, 0, 1, "\0\0\0\1"s),
                   Frame(8, 0, 1, "\x7f\xff\xff\xff"s), Frame(9, 4, 1, "")});
  v1::ListGroupsRequest request;
  request.set_namespace_("a");
  request.set_page_size(5);
  const std::string whole = WholeCall(request.SerializeAsString());
  constexpr std::size_t kPreface = 24;
  SendAll(Garbler::Count(1'000, 5'000), [&] {
    SendBytes(SocketPath(),
              garbler.Garble(whole, garbler.Below(8) == 0 ? 0 : kPreface));
  });
}

TEST_F(GrpcMalformed, MessagesThatCannotBeAreRefusedAndLeakNothing) {
  SCOPED_TRACE("repeat with FLUXNETES_TEST_SEED=" +
               std::to_string(Garbler::Seed()));
  Serve();
  generic_ = std::make_unique<grpc::GenericStub>(PlainChannel(api_->address()));
  Garbler garbler({"\0"s, "\xff"s, "\x80\x80\x80\x80\x80\x80\x80\x80\x80\1"s,
                   "'; --"s, "\n\0"s, "99999999999999999999"s, "/"s,
                   "\x0a\x7f"s});
  std::map<StatusCode, int> ends;
  SendAll(Garbler::Count(1'000, 5'000), [&] {
    const CallToGarble& call = garbler.OneOf(calls_);
    ++ends[Send(call, garbler.Garble(call.message)).error_code()];
  });
  // The requests pass the checks and reach the database.
  EXPECT_GT(ends[StatusCode::OK], 0);
  EXPECT_GT(ends[StatusCode::INVALID_ARGUMENT], 0);
  EXPECT_GT(ends[StatusCode::NOT_FOUND], 0);
  api_->Stop();
  // An unforeseen exception would be logged here.
  EXPECT_THAT(lines_.str(), Not(HasSubstr("a call failed")));
}

TEST_F(GrpcMalformed, TextWithAZeroByteIsRefused) {
  Serve();
  const grpc::Status status = Cancel("a", "first\0"s);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("zero byte"));
}

}  // namespace
}  // namespace fluxnetes::services
