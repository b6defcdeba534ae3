// Watchers that do not read, on a real connection.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fluxnetes/v1/scheduler.grpc.pb.h"
#include "services/grpc/grpc_server.h"
#include "services/grpc_v1/grpc_scheduler.h"
#include "tests/services/support/grpc_client.h"
#include "tests/services/support/own_resources.h"
#include "tests/support/postgres.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;
using testing::WaitUntil;

constexpr int kGroups = 10;
constexpr std::size_t kReason = 100'000;

class GroupWatchTest : public ::testing::Test {
 protected:
  void Serve(GroupFeed::Options options) {
    options.interval = std::chrono::milliseconds(10);
    database_.Execute(
        "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
        "  priority, state, phase, shape, reason, submitted_at, promoted_at)"
        " SELECT i, 'a', 'g' || i, 1, 'default', 0, 'pending', 'queued', 1,"
        "  repeat('x', " +
        std::to_string(kReason) + "), now(), now() FROM generate_series(1, " +
        std::to_string(kGroups) + ") AS i");
    feed_.emplace(pool_, log_, options);
    feed_->Start();
    scheduler_.emplace(config_, pool_, calls_, *feed_);
    server_.emplace(
        GrpcServerOptions{
            .address = "unix:" + ::testing::TempDir() + "group_watch.sock",
            .services = {&scheduler_->service()}},
        log_);
    server_->Start();
  }
  ~GroupWatchTest() override {
    if (feed_) feed_->Stop();
    if (server_) server_->Stop();
    calls_.Stop();
  }

  // Makes about a megabyte of changes, and rings the bell.
  void ChangeAll() {
    database_.Execute(
        "UPDATE pod_groups SET priority = priority + 1;"
        "SELECT pg_notify('" +
        database_.schema() + ".match', '')");
  }

  testing::TestDatabase database_;
  sql::Pool pool_{[this] {
    sql::PoolOptions options = database_.options();
    options.catalogues = GrpcScheduler::Catalogues();
    return options;
  }()};
  std::ostringstream lines_;
  const Log log_{{.out = &lines_}};
  const Config config_{};
  const GrpcAccess access_{};
  GrpcCalls calls_{{}, access_, log_};
  std::optional<GroupFeed> feed_;
  std::optional<GrpcScheduler> scheduler_;
  std::optional<GrpcServer> server_;
};

// A stream on its own connection.
class Watcher {
 public:
  explicit Watcher(const std::string& address)
      : stub_(v1::Scheduler::NewStub(PlainChannel(address))) {
    SetPatience(context_);
    reader_ = stub_->WatchGroups(&context_, {});
  }
  bool Read() { return reader_->Read(&answer_); }
  bool ReadAllThatIsThere() {
    do {
      if (!Read()) return false;
    } while (!answer_.current());
    return true;
  }
  // Reads until a change of the last group comes.
  bool ReadAChange() {
    while (Read())
      for (const v1::Group& group : answer_.groups())
        if (group.id() == kGroups) return true;
    return false;
  }
  grpc::Status End() { return reader_->Finish(); }

 private:
  std::unique_ptr<v1::Scheduler::Stub> stub_;
  grpc::ClientContext context_;
  v1::WatchGroupsResponse answer_;
  std::unique_ptr<grpc::ClientReader<v1::WatchGroupsResponse>> reader_;
};

TEST_F(GroupWatchTest, NothingIsKeptForWhoDoesNotRead) {
  constexpr int kRounds = 20;
  Serve({.changes = kGroups});
  Watcher fast(server_->address());
  Watcher slow(server_->address());
  ASSERT_TRUE(fast.ReadAllThatIsThere());
  ASSERT_TRUE(slow.ReadAllThatIsThere());
  ChangeAll();
  ASSERT_TRUE(fast.ReadAChange());
  const auto before = OwnHeap();
  for (int round = 0; round < kRounds; ++round) {
    ChangeAll();
    ASSERT_TRUE(fast.ReadAChange());
  }
  // The fast watcher was sent 20 MB; some are still under way.
  if (before) {
    EXPECT_TRUE(WaitUntil(
        std::chrono::seconds(10),
        [&] { return *OwnHeap() < *before + (std::size_t{12} << 20U); }))
        << *OwnHeap() << " bytes after " << *before;
  }
  while (slow.Read()) {
  }
  const grpc::Status end = slow.End();
  EXPECT_EQ(end.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(end.error_message(), HasSubstr("read too slowly"));
}

TEST_F(GroupWatchTest, WhoTakesNothingForTooLongIsDropped) {
  Serve({.watchers = 1, .slowest = std::chrono::milliseconds(50)});
  Watcher slow(server_->address());
  ASSERT_TRUE(slow.ReadAllThatIsThere());
  // Once the slow watcher is dropped, there is room for another one.
  std::optional<std::int64_t> other;
  EXPECT_TRUE(WaitUntil(std::chrono::seconds(30), [&] {
    ChangeAll();
    return (other = feed_->Join([] {})).has_value();
  }));
  while (slow.Read()) {
  }
  EXPECT_EQ(slow.End().error_code(), StatusCode::CANCELLED);
  if (other) feed_->Leave(*other);
}

}  // namespace
}  // namespace fluxnetes::services
