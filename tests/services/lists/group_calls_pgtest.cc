// Lists of groups from memory, counts, and changes of several groups, through
// gRPC.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GroupCallsTest : public GrpcScheduling<CommandDatabase> {
 protected:
  std::vector<std::string> Names(v1::ListGroupsRequest request,
                                 int page_size = 2) {
    std::vector<std::string> names;
    request.set_page_size(page_size);
    do {
      v1::ListGroupsResponse response;
      const auto status = List(request, &response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      for (const std::string& name : NamesOf(response.groups()))
        names.push_back(name);
      request.set_page_token(response.next_page_token());
    } while (!request.page_token().empty());
    return names;
  }

  v1::ChangeGroupsResponse Change(const v1::ChangeGroupsRequest& request) {
    v1::ChangeGroupsResponse response;
    const auto status =
        Call(&v1::Scheduler::Stub::ChangeGroups, request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
};

TEST_F(GroupCallsTest, OrdersHaveRefusedGroupsFirst) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO pods_provisional (uid, namespace, pod_name, group_name,"
      " queue, request, resource_version, refused, created_at) VALUES ('u',"
      " 'z', 'p', 'wrong', 'default', '{}', '1', 'Bad size', now())");
  Serve();
  v1::ListGroupsRequest request;
  request.set_order(v1::GROUP_ORDER_NAME);
  EXPECT_THAT(Names(request), ElementsAre("z/wrong", "a/fills", "a/first",
                                          "a/huge", "a/runs", "b/second"));
  request.set_order(v1::GROUP_ORDER_PRIORITY);
  request.set_descending(true);
  EXPECT_THAT(Names(request, 1), ElementsAre("z/wrong", "a/huge", "a/first",
                                             "a/runs", "b/second", "a/fills"));
  request.set_search("bad SIZE");
  EXPECT_THAT(Names(request), ElementsAre("z/wrong"));
  request.set_search("has 64 cpu");
  EXPECT_THAT(Names(request), ElementsAre("a/huge"));
  request.clear_search();
  request.set_node("n1");
  EXPECT_THAT(Names(request), ElementsAre("a/first", "a/runs"));
}

TEST_F(GroupCallsTest, FinishedGroupsHaveNoOtherOrder) {
  Serve();
  v1::ListGroupsRequest request;
  request.set_order(v1::GROUP_ORDER_NAME);
  request.set_finished_within_seconds(60);
  v1::ListGroupsResponse response;
  EXPECT_EQ(WrongFieldIn(List(request, &response)), "finished_within_seconds");
  request.clear_finished_within_seconds();
  request.set_page_token("o/1");
  EXPECT_EQ(WrongFieldIn(List(request, &response)), "page_token");
}

TEST_F(GroupCallsTest, CountsAreByState) {
  AddExampleGroups();
  Serve();
  v1::CountGroupsRequest request;
  request.set_namespace_("a");
  v1::CountGroupsResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::CountGroups, request, &response).ok());
  std::vector<std::string> counts;
  for (const v1::GroupCount& count : response.counts())
    counts.push_back(count.shown_state() + " " +
                     std::to_string(count.groups()));
  EXPECT_THAT(counts, ElementsAre("provisional 1", "reserved 1",
                                  "unsatisfiable 1", "bound 1"));
}

TEST_F(GroupCallsTest, SeveralGroupsAreHitByTheirIds) {
  AddExampleGroups();
  Serve();
  v1::ChangeGroupsRequest request;
  request.set_action(v1::GROUP_ACTION_HOLD);
  for (const std::int64_t id : {1, 2, 5, 6}) request.add_ids(id);
  request.set_reason("the disk");
  const auto held = Change(request);
  EXPECT_FALSE(held.groups(0).done());
  EXPECT_THAT(held.groups(0).why(), HasSubstr("runs already"));
  EXPECT_TRUE(held.groups(1).done());
  EXPECT_TRUE(held.groups(2).done());
  EXPECT_THAT(held.groups(3).why(), HasSubstr("has ended"));
  EXPECT_EQ(database_.Ask("SELECT phase FROM pod_groups WHERE id = 2"), "held");
  EXPECT_THAT(Audit(), HasSubstr("hold group/a/first the disk"));
  EXPECT_THAT(Audit(), HasSubstr("hold group/a/fills the disk"));
  request.set_action(v1::GROUP_ACTION_SET_PRIORITY);
  request.set_priority(11);
  request.clear_ids();
  request.add_ids(3);
  EXPECT_TRUE(Change(request).groups(0).done());
  EXPECT_EQ(database_.Ask("SELECT priority FROM pod_groups WHERE id = 3"),
            "11");
  request.set_action(v1::GROUP_ACTION_CANCEL);
  EXPECT_TRUE(Change(request).groups(0).done());
  EXPECT_THAT(Change(request).groups(0).why(), HasSubstr("already"));
}

TEST_F(GroupCallsTest, GroupOfWhichTheNameHasAnotherIsLeftAlone) {
  AddExampleGroups();
  database_.Execute(
      "INSERT INTO pod_groups (id, namespace, group_name, group_size, queue,"
      " priority, shape, submitted_at, promoted_at) VALUES (9, 'b', 'second',"
      " 1, 'default', 0, 3, now(), now())");
  Serve();
  v1::ChangeGroupsRequest request;
  request.set_action(v1::GROUP_ACTION_CANCEL);
  request.add_ids(3);
  const auto changed = Change(request);
  EXPECT_FALSE(changed.groups(0).done());
  EXPECT_THAT(changed.groups(0).why(), HasSubstr("2 unfinished groups"));
  EXPECT_EQ(Audit(), "");
}

TEST_F(GroupCallsTest, PriorityIsSetAndTakenBack) {
  AddExampleGroups();
  Serve();
  v1::SetPriorityRequest request;
  request.set_namespace_("b");
  request.set_name("second");
  request.set_priority(3);
  request.set_reason("it is late");
  v1::SetPriorityResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::SetPriority, request, &response).ok());
  EXPECT_EQ(response.priority(), 3);
  EXPECT_THAT(Audit(), HasSubstr("priority group/b/second 3: it is late"));
  v1::GetGroupRequest get;
  get.set_namespace_("b");
  get.set_name("second");
  v1::GetGroupResponse got;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::GetGroup, get, &got).ok());
  EXPECT_EQ(got.group().priority(), 3);
  EXPECT_TRUE(got.group().priority_is_set());
  request.clear_priority();
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::SetPriority, request, &response).ok());
  EXPECT_EQ(response.priority(), 0);
  request.set_name("runs");
  request.set_namespace_("a");
  EXPECT_EQ(
      Call(&v1::Scheduler::Stub::SetPriority, request, &response).error_code(),
      grpc::StatusCode::FAILED_PRECONDITION);
  request.set_name("none");
  EXPECT_EQ(
      Call(&v1::Scheduler::Stub::SetPriority, request, &response).error_code(),
      grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace fluxnetes::services
