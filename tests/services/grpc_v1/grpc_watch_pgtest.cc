// WatchGroups of fluxnetes.v1, called by a real client over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_client.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;

using GrpcWatch = GrpcScheduling<CommandDatabase>;

// A stream of changes with a patient reader.
class Watching {
 public:
  Watching(v1::Scheduler::Stub& stub, const v1::WatchGroupsRequest& request) {
    SetPatience(context_);
    reader_ = stub.WatchGroups(&context_, request);
  }
  ~Watching() {
    context_.TryCancel();
    reader_->Finish();
  }

  // Returns the next answer; an empty one at the end.
  v1::WatchGroupsResponse Next() {
    v1::WatchGroupsResponse answer;
    ended_ = !reader_->Read(&answer);
    return answer;
  }
  // Reads until an answer with a group or an id that is gone.
  v1::WatchGroupsResponse NextChange() {
    v1::WatchGroupsResponse answer;
    do {
      answer = Next();
    } while (answer.groups().empty() && answer.gone().empty() && !ended_);
    return answer;
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::WatchGroupsResponse>> reader_;
  bool ended_ = false;
};

TEST_F(GrpcWatch, BeginsWithAllAndGoesOnWithChanges) {
  AddExampleGroups();
  Serve();
  Watching watching(*stub_, {});
  const v1::WatchGroupsResponse all = watching.Next();
  EXPECT_TRUE(all.reset());
  EXPECT_TRUE(all.current());
  EXPECT_THAT(
      NamesOf(all.groups()),
      ElementsAre("a/runs", "a/first", "b/second", "a/huge", "a/fills"));
  database_.Execute(
      "UPDATE pod_groups SET state = 'pending', phase = 'queued',"
      " reason = NULL WHERE id = 4");
  const v1::WatchGroupsResponse change = watching.NextChange();
  EXPECT_FALSE(change.reset());
  ASSERT_THAT(NamesOf(change.groups()), ElementsAre("a/huge"));
  EXPECT_EQ(change.groups(0).state(), v1::GROUP_STATE_PENDING);
}

TEST_F(GrpcWatch, TellsOfTheEndOnceAndOfWhatIsGone) {
  AddExampleGroups();
  Serve();
  Watching watching(*stub_, {});
  watching.Next();
  database_.Execute(
      "INSERT INTO group_history (group_id, namespace, group_name, group_size,"
      " queue, priority, result, submitted_at, ended_at) VALUES (3, 'b',"
      " 'second', 1, 'default', 0, 'succeeded', now(), now());"
      "DELETE FROM pod_groups WHERE id = 3");
  const v1::WatchGroupsResponse over = watching.NextChange();
  ASSERT_THAT(NamesOf(over.groups()), ElementsAre("b/second"));
  EXPECT_EQ(over.groups(0).state(), v1::GROUP_STATE_FINISHED);
  EXPECT_EQ(over.groups(0).result(), "succeeded");
  database_.Execute("DELETE FROM groups_provisional");
  EXPECT_THAT(watching.NextChange().gone(), ElementsAre(5));
}

TEST_F(GrpcWatch, GoesOnBehindItsToken) {
  AddExampleGroups();
  Serve();
  v1::WatchGroupsRequest request;
  request.set_namespace_("a");
  {
    Watching first(*stub_, request);
    const v1::WatchGroupsResponse all = first.Next();
    EXPECT_EQ(all.groups_size(), 4);
    request.set_resume_token(all.resume_token());
    // A watcher is present when the groups change.
    database_.Execute("UPDATE pod_groups SET priority = 7 WHERE id IN (2, 3)");
    first.NextChange();
  }
  Watching second(*stub_, request);
  const v1::WatchGroupsResponse missed = second.NextChange();
  EXPECT_FALSE(missed.reset());
  EXPECT_THAT(NamesOf(missed.groups()), ElementsAre("a/first"));
  request.set_resume_token("12.34");
  Watching third(*stub_, request);
  const v1::WatchGroupsResponse anew = third.Next();
  EXPECT_TRUE(anew.reset());
  EXPECT_EQ(anew.groups_size(), 4);
}

TEST_F(GrpcWatch, StopEndsAWatchAsUnavailable) {
  AddExampleGroups();
  Serve();
  grpc::ClientContext context;
  SetPatience(context);
  const auto reader = stub_->WatchGroups(&context, {});
  v1::WatchGroupsResponse answer;
  ASSERT_TRUE(reader->Read(&answer));
  api_->Stop();
  while (reader->Read(&answer)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), StatusCode::UNAVAILABLE);
}

}  // namespace
}  // namespace fluxnetes::services
