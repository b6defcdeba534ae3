// ListPools, SetPool and DeletePool of fluxnetes.v1, called by a real client
// over a socket, and pools of groups.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class GrpcPools : public GrpcScheduling<CommandDatabase> {
 protected:
  grpc::Status Set(const v1::SetPoolRequest& request,
                   v1::SetPoolResponse* response) {
    return Call(&v1::Scheduler::Stub::SetPool, request, response);
  }
  v1::SetPoolResponse Set(const std::string& name, std::int64_t total) {
    v1::SetPoolRequest request;
    request.set_name(name);
    request.set_total(total);
    v1::SetPoolResponse response;
    const grpc::Status status = Set(request, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  grpc::Status List(const std::string& name, v1::ListPoolsResponse* response) {
    v1::ListPoolsRequest request;
    request.set_name(name);
    return Call(&v1::Scheduler::Stub::ListPools, request, response);
  }
  grpc::Status Delete(const std::string& name) {
    v1::DeletePoolRequest request;
    request.set_name(name);
    v1::DeletePoolResponse response;
    return Call(&v1::Scheduler::Stub::DeletePool, request, &response);
  }
  // a/runs holds 4, and a/first has 3 reserved.
  void HoldSome() {
    AddExampleGroups();
    database_.Execute(
        "UPDATE pod_groups SET pools = '{\"matlab\": 4}' WHERE id = 1;"
        "UPDATE allocations SET pools = '{\"matlab\": 4}' WHERE group_id = 1;"
        "UPDATE pod_groups SET pools = '{\"disk\": 1, \"matlab\": 3}' WHERE id "
        "= 2;"
        "UPDATE group_history SET pools = '{\"matlab\": 9}'");
  }
};

TEST_F(GrpcPools, PoolIsCreatedChangedAndDeleted) {
  Serve();
  const v1::SetPoolResponse created = Set("matlab", 10);
  EXPECT_TRUE(created.created());
  EXPECT_EQ(created.pool().name(), "matlab");
  EXPECT_EQ(created.pool().total(), 10);
  EXPECT_EQ(created.pool().free(), 10);
  v1::SetPoolRequest request;
  request.set_name("matlab");
  request.set_total(12);
  request.set_description("floating");
  v1::SetPoolResponse changed;
  ASSERT_TRUE(Set(request, &changed).ok());
  EXPECT_FALSE(changed.created());
  EXPECT_EQ(changed.pool().description(), "floating");
  EXPECT_EQ(Set("matlab", 0).pool().description(), "floating");
  EXPECT_TRUE(Delete("matlab").ok());
  EXPECT_EQ(Delete("matlab").error_code(), StatusCode::NOT_FOUND);
  v1::ListPoolsResponse none;
  ASSERT_TRUE(List("", &none).ok());
  EXPECT_THAT(none.pools(), IsEmpty());
  EXPECT_EQ(Audit(),
            "local operator grpc set pool/matlab total=10\n"
            "local operator grpc set pool/matlab total=12\n"
            "local operator grpc set pool/matlab total=0\n"
            "local operator grpc delete pool/matlab");
}

TEST_F(GrpcPools, ListSaysWhoHoldsWhatAndWhoHasItReserved) {
  HoldSome();
  Serve();
  Set("matlab", 10);
  Set("disk", 1);
  v1::ListPoolsResponse all;
  ASSERT_TRUE(List("", &all).ok());
  ASSERT_EQ(all.pools_size(), 2);
  EXPECT_EQ(all.pools(0).name(), "disk");
  v1::ListPoolsResponse one;
  ASSERT_TRUE(List("matlab", &one).ok());
  ASSERT_EQ(one.pools_size(), 1);
  const v1::Pool& matlab = one.pools(0);
  EXPECT_EQ(matlab.held(), 4);
  EXPECT_EQ(matlab.reserved(), 3);
  EXPECT_EQ(matlab.free(), 6);
  ASSERT_EQ(matlab.holders_size(), 2);
  EXPECT_EQ(matlab.holders(0).group(), "a/runs");
  EXPECT_EQ(matlab.holders(0).amount(), 4);
  EXPECT_FALSE(matlab.holders(0).reserved());
  EXPECT_FALSE(matlab.holders(0).has_ends_at());
  EXPECT_EQ(matlab.holders(1).group(), "a/first");
  EXPECT_TRUE(matlab.holders(1).reserved());
  // The reservation begins in 300 s, and the group runs for 60 s.
  EXPECT_EQ(matlab.holders(1).ends_at().seconds() -
                matlab.holders(1).starts_at().seconds(),
            60);
  EXPECT_EQ(List("nowhere", &one).error_code(), StatusCode::NOT_FOUND);
  const grpc::Status stays = Delete("matlab");
  EXPECT_FALSE(stays.ok());
  EXPECT_THAT(stays.error_message(), HasSubstr("held or reserved by 2 groups"));
}

TEST_F(GrpcPools, GroupsAndTheirTimesSayWhichPoolsTheyNeed) {
  HoldSome();
  Serve();
  v1::ListGroupsRequest groups;
  groups.set_finished_within_seconds(3'600);
  v1::ListGroupsResponse listed;
  ASSERT_TRUE(GrpcScheduling::List(groups, &listed).ok());
  std::map<std::string, std::int64_t> matlab;
  for (const v1::Group& group : listed.groups()) {
    const auto found = group.pools().find("matlab");
    if (found != group.pools().end()) matlab[group.name()] = found->second;
  }
  EXPECT_THAT(matlab,
              ElementsAre(Pair("first", 3), Pair("over", 9), Pair("runs", 4)));
  v1::GetTimelineResponse timeline;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::GetTimeline, v1::GetTimelineRequest(),
                   &timeline)
                  .ok());
  ASSERT_EQ(timeline.groups_size(), 2);
  EXPECT_EQ(timeline.groups(0).pools().at("matlab"), 4);
  EXPECT_EQ(timeline.groups(1).pools().at("disk"), 1);
}

TEST_F(GrpcPools, RequestThatCannotBeIsRefusedWithItsField) {
  Serve();
  v1::SetPoolRequest request;
  const auto refused = [&] {
    v1::SetPoolResponse response;
    const grpc::Status status = Set(request, &response);
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT)
        << status.error_message();
    return WrongFieldIn(status) + ": " + status.error_message();
  };
  EXPECT_THAT(refused(), HasSubstr("name: name is empty"));
  request.set_name("matlab");
  EXPECT_THAT(refused(), HasSubstr("total: total is missing; right would be"));
  request.set_total(-1);
  EXPECT_THAT(refused(), HasSubstr("total: total is -1"));
  request.set_total(1'000'000'000'000'001);
  EXPECT_THAT(refused(),
              HasSubstr("a whole number from 0 to 1000000000000000"));
  request.set_total(1);
  request.set_name("bad/name");
  EXPECT_THAT(refused(), HasSubstr("cannot be the name of a pool"));
  request.set_name("good");
  request.set_description(std::string(1'001, 'x'));
  EXPECT_THAT(refused(), HasSubstr("description: it is too long"));
  const grpc::Status unnamed = Delete("");
  EXPECT_EQ(unnamed.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(WrongFieldIn(unnamed), "name");
  EXPECT_EQ(Audit(), "");
}

}  // namespace
}  // namespace fluxnetes::services
