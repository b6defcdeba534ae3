// Measures fluxnetes.v1: a page of 100,000 waiting groups, and the server's
// processor time for 1,000 watchers of a namespace with 2,000 of these groups,
// which change 1,000 times a second. The server is this program again, as a
// process of its own. Only ten watchers parse the messages after the first
// ones: parsing by all would exceed this machine. Prints a JSON object per row.
//
//   grpc_benchmark [GROUPS [WATCHERS [CHANGES]]]
#include <fmt/format.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "services/config/config.h"
#include "services/feed/live_groups.h"
#include "services/serve/grpc_api.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPageSizes[] = {500, 1'000};
constexpr int kConnections = 10;
constexpr int kReaders = 10;       // watchers that parse messages
constexpr int kWatchable = 2'000;  // groups, those with the lowest ids
constexpr std::chrono::seconds kWatched{20};
constexpr std::chrono::milliseconds kBetweenChanges{20};

void Row(const std::string& name, std::vector<double> values, const char* unit,
         double limit = 0) {
  std::sort(values.begin(), values.end());
  std::string line = fmt::format(
      R"({{"benchmark": "grpc", "row": "{}", "value": {:.2f}, "unit": "{}", )"
      R"("min": {:.2f}, "max": {:.2f})",
      name, values[values.size() / 2], unit, values.front(), values.back());
  if (limit > 0) line += fmt::format(R"(, "limit": {})", limit);
  fmt::print("{}}}\n", line);
  std::fflush(stdout);
}

int Serve(char** arguments) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  Config config;
  config.database.connection = arguments[2];
  config.database.schema = arguments[3];
  config.grpc.listen = arguments[4];
  const Log log(LogOptions{});
  LiveGroups live(config, log);
  live.feed().Start();
  GrpcApi api(config, log, live.feed());
  api.Start();
  int signal = 0;
  sigwait(&signals, &signal);
  live.feed().Stop();
  api.Stop();
  return 0;
}

// Processor time of a process, in seconds.
double CpuOf(pid_t process) {
  std::ifstream in("/proc/" + std::to_string(process) + "/stat");
  std::string skipped;
  std::getline(in, skipped, ')');
  for (int i = 0; i < 11; ++i) in >> skipped;
  double user = 0;
  double system = 0;
  in >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void AddGroups(testing::TestDatabase& database, int groups) {
  database.Execute(fmt::format(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      " priority, state, phase, shape, submitted_at, promoted_at) SELECT i,"
      " CASE WHEN i <= {} THEN 'watched' ELSE 'ns' || i % 10 END, 'g' || i, 4,"
      " 'default', i % 5, 'pending', 'queued', i % 1000, now(), now()"
      " FROM generate_series(1, {}) AS i",
      kWatchable, groups));
  database.Execute(fmt::format(
      "INSERT INTO pods (uid, group_id, namespace, pod_name, asked_name, state,"
      " request, resource_version, created_at) SELECT 'u' || i || '-' || k, i,"
      " CASE WHEN i <= {} THEN 'watched' ELSE 'ns' || i % 10 END,"
      " 'p' || i || '-' || k, 'p', 'waiting', '{{}}', '1', now()"
      " FROM generate_series(1, {}) AS i, generate_series(1, 4) AS k",
      kWatchable, groups));
  database.Execute(
      "INSERT INTO wait_reasons SELECT 'default', i, 'needs 4 x 2 cpu; nothing"
      " is free', now(), 'room' FROM generate_series(0, 999) AS i");
  database.Execute("ANALYZE");
}

void MeasurePages(v1::Scheduler::Stub& stub, pid_t server, int size,
                  int groups) {
  std::vector<double> took;
  v1::ListGroupsRequest request;
  request.set_page_size(size);
  const double before = CpuOf(server);
  int listed = 0;
  do {
    grpc::ClientContext context;
    v1::ListGroupsResponse response;
    const auto from = Clock::now();
    const grpc::Status status = stub.ListGroups(&context, request, &response);
    if (!status.ok()) throw std::runtime_error(status.error_message());
    took.push_back(
        std::chrono::duration<double, std::milli>(Clock::now() - from).count());
    listed += response.groups_size();
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  if (listed != groups) throw std::runtime_error("not all were listed");
  const double cpu = (CpuOf(server) - before) * 1'000;
  const auto pages = static_cast<double>(took.size());
  Row(fmt::format("a page of {}", size), took, "ms", 50);
  Row(fmt::format("a page of {}, processor time of the server", size),
      {cpu / pages}, "ms");
}

struct Counts {
  std::atomic<std::int64_t> frames = 0;
  std::atomic<std::int64_t> bytes = 0;
  std::atomic<std::int64_t> groups = 0;  // seen by readers
  std::atomic<int> current = 0;          // watchers with all first messages
};

class Watcher
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  Watcher(grpc::GenericStub& stub, bool reads, Counts& counts)
      : reads_(reads), counts_(counts) {
    v1::WatchGroupsRequest request;
    request.set_namespace_("watched");
    const grpc::Slice slice(request.SerializeAsString());
    request_ = grpc::ByteBuffer(&slice, 1);
    stub.PrepareBidiStreamingCall(
        &context_, "/fluxnetes.v1.Scheduler/WatchGroups", {}, this);
    StartWriteLast(&request_, {});
    StartRead(&answer_);
    StartCall();
  }
  ~Watcher() override { done_.wait(false); }

  void OnReadDone(bool ok) override {
    if (!ok) return;
    ++counts_.frames;
    counts_.bytes += static_cast<std::int64_t>(answer_.Length());
    if (reads_ || !current_) Look();
    answer_.Clear();
    StartRead(&answer_);
  }
  void OnDone(const grpc::Status&) override {
    done_ = true;
    done_.notify_all();
  }
  void Cancel() { context_.TryCancel(); }

 private:
  void Look() {
    v1::WatchGroupsResponse answer;
    if (!grpc::GenericDeserialize<grpc::ProtoBufferReader,
                                  v1::WatchGroupsResponse>(&answer_, &answer)
             .ok())
      throw std::runtime_error("an answer cannot be read");
    if (reads_) counts_.groups += answer.groups_size();
    if (answer.current() && !std::exchange(current_, true)) ++counts_.current;
  }

  const bool reads_;
  Counts& counts_;
  grpc::ClientContext context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer answer_;
  bool current_ = false;
  std::atomic<bool> done_ = false;
};

// Includes the notification that nearly every change of a group sends.
void Change(testing::TestDatabase& database, int first, int count) {
  database.Execute(
      fmt::format("UPDATE pod_groups SET priority = priority + 1 WHERE id "
                  "BETWEEN {} AND {}; SELECT pg_notify('{}.match', '')",
                  first, first + count - 1, database.schema()));
}

void MeasureWatchers(const std::string& address,
                     testing::TestDatabase& database, pid_t server,
                     int watchers, int changes) {
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs;
  grpc::ChannelArguments own;
  own.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  for (int i = 0; i < kConnections; ++i)
    stubs.push_back(
        std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
            address, grpc::InsecureChannelCredentials(), own)));
  Counts counts;
  std::vector<std::unique_ptr<Watcher>> all;
  for (int i = 0; i < watchers; ++i)
    all.push_back(std::make_unique<Watcher>(
        *stubs[static_cast<std::size_t>(i % kConnections)], i < kReaders,
        counts));
  while (counts.current < watchers)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  counts.groups = 0;
  counts.frames = 0;
  counts.bytes = 0;
  const double before = CpuOf(server);
  const auto from = Clock::now();
  const int batch = static_cast<int>(changes * kBetweenChanges.count() / 1'000);
  std::int64_t changed = 0;
  for (auto next = from; next < from + kWatched; next += kBetweenChanges) {
    std::this_thread::sleep_until(next);
    Change(database, 1 + static_cast<int>(changed % (kWatchable - batch)),
           batch);
    changed += batch;
  }
  const double took =
      std::chrono::duration<double>(Clock::now() - from).count();
  const double cpu = CpuOf(server) - before;
  const std::string name =
      fmt::format("{} watchers, {} changes/s", watchers, changes);
  const auto frames = static_cast<double>(counts.frames);
  Row(name + ": processor", {cpu / took}, "cores", 1);
  Row(name + ": frames of a watcher", {frames / watchers / took}, "per second");
  Row(name + ": all answers", {static_cast<double>(counts.bytes) / took / 1e6},
      "MB/s");
  Row(name + ": changes that a watcher saw",
      {static_cast<double>(counts.groups) / std::min(watchers, kReaders) /
       static_cast<double>(changed)},
      "of those made");
  for (const auto& watcher : all) watcher->Cancel();
}

int Measure(const char* program, int groups, int watchers, int changes) {
  testing::TestDatabase database;
  AddGroups(database, groups);
  const std::string folder =
      "/tmp/fluxnetes-grpc-benchmark." + std::to_string(getpid());
  const std::string address = "unix:" + folder + ".sock";
  testing::Process server({program, "--serve", database.options().connection,
                           database.schema(), address},
                          {}, folder + ".log");
  auto stub = v1::Scheduler::NewStub(
      grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  v1::GetCallerResponse caller;
  if (!stub->GetCaller(&context, {}, &caller).ok()) return 1;
  for (const int size : kPageSizes)
    MeasurePages(*stub, server.id(), size, groups);
  MeasureWatchers(address, database, server.id(), watchers, changes);
  server.Signal(SIGTERM);
  server.WaitForEnd(std::chrono::seconds(20));
  std::remove((folder + ".log").c_str());
  return 0;
}

}  // namespace
}  // namespace fluxnetes::services

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--serve")
    return fluxnetes::services::Serve(argv);
  const auto number = [&](int i, int otherwise) {
    return argc > i ? std::atoi(argv[i]) : otherwise;
  };
  return fluxnetes::services::Measure(argv[0], number(1, 100'000),
                                      number(2, 1'000), number(3, 1'000));
}
