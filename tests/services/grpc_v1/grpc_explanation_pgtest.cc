// ExplainGroup of fluxnetes.v1, called by a real client over a socket.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/services/support/grpc_scheduling.h"
#include "tests/services/support/waiting_group_database.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GrpcExplanation : public GrpcScheduling<WaitingGroupDatabase> {
 protected:
  grpc::Status Explain(const std::string& name,
                       v1::ExplainGroupResponse* response,
                       bool find_changes = false) {
    v1::ExplainGroupRequest request;
    request.set_namespace_("a");
    request.set_name(name);
    request.set_find_changes(find_changes);
    return Call(&v1::Scheduler::Stub::ExplainGroup, request, response);
  }
  v1::ExplainGroupResponse Explained(const std::string& name,
                                     bool find_changes = false) {
    v1::ExplainGroupResponse response;
    const grpc::Status status = Explain(name, &response, find_changes);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
};

TEST_F(GrpcExplanation, WaitingGroupHasItsPlacePhaseStartAndWhatThatRestsOn) {
  AddWaitingGroup();
  Serve();
  const v1::ExplainGroupResponse asked = Explained("asked");
  EXPECT_EQ(asked.group().position(), 2);
  EXPECT_EQ(asked.group().phase(), v1::GROUP_PHASE_QUEUED);
  EXPECT_EQ(asked.group().reason(), "needs 1 × (1 cpu)");
  EXPECT_EQ(asked.group().estimate(), "forecast");
  EXPECT_EQ(asked.group().rests_on(), "a/first ends as planned");
  EXPECT_EQ(asked.group().estimated_start().seconds(),
            std::chrono::floor<std::chrono::seconds>(run_.now())
                    .time_since_epoch()
                    .count() +
                1'500);
  EXPECT_THAT(asked.summary(), HasSubstr("position 2 in queue default"));
  const v1::ExplainGroupResponse first = Explained("first");
  EXPECT_EQ(first.group().phase(), v1::GROUP_PHASE_RESERVED);
  EXPECT_EQ(first.group().position(), 1);
  EXPECT_EQ(first.group().estimate(), "reserved");
}

TEST_F(GrpcExplanation, WhatStandsBeforeItAndOnItsNodesIsNamed) {
  AddWaitingGroup();
  Serve();
  const v1::ExplainGroupResponse asked = Explained("asked");
  EXPECT_EQ(asked.before(), 1);
  ASSERT_EQ(asked.first_before_size(), 1);
  EXPECT_EQ(asked.first_before(0).name(), "a/first");
  EXPECT_EQ(asked.first_before(0).phase(), v1::GROUP_PHASE_RESERVED);
  EXPECT_TRUE(asked.first_before(0).has_estimated_start());
  EXPECT_EQ(asked.holders(), 1);
  EXPECT_EQ(asked.endless_holders(), 0);
  ASSERT_EQ(asked.first_to_end_size(), 1);
  EXPECT_EQ(asked.first_to_end(0).name(), "a/runs");
  ASSERT_EQ(asked.nodes_size(), 1);
  EXPECT_EQ(asked.nodes(0).needs(), "1 cpu");
  ASSERT_EQ(asked.nodes(0).verdicts_size(), 2);
  EXPECT_EQ(asked.nodes(0).verdicts(0).kind(), "reserved");
  EXPECT_EQ(asked.nodes(0).verdicts(0).count(), 2);
  EXPECT_THAT(asked.nodes(0).verdicts(0).nodes(), ElementsAre("n0", "n1"));
  EXPECT_EQ(asked.nodes(0).verdicts(1).kind(), "size");
}

TEST_F(GrpcExplanation, ChangesAreLookedForIfThatIsAsked) {
  AddWaitingGroup();
  Serve();
  const v1::ExplainGroupResponse unasked = Explained("asked");
  EXPECT_THAT(unasked.changes(), IsEmpty());
  EXPECT_FALSE(unasked.changes_complete());
  const v1::ExplainGroupResponse asked = Explained("asked", true);
  EXPECT_EQ(asked.changes_unknown(), "");
  ASSERT_FALSE(asked.changes().empty());
  EXPECT_EQ(asked.changes(0).kind(), "duration");
  EXPECT_THAT(asked.changes(0).change(), HasSubstr("with a duration of"));
  EXPECT_TRUE(asked.changes(0).has_starts_at());
}

TEST_F(GrpcExplanation, GroupThatFillsOrIsOverSaysSo) {
  AddExampleGroups();
  Serve();
  const v1::ExplainGroupResponse fills = Explained("fills");
  EXPECT_THAT(fills.summary(), HasSubstr("2 of 8 have arrived"));
  EXPECT_THAT(fills.nodes(), IsEmpty());
  ASSERT_FALSE(fills.changes().empty());
  EXPECT_EQ(fills.changes(0).kind(), "state");
  EXPECT_FALSE(fills.changes(0).has_starts_at());
  EXPECT_THAT(Explained("runs").summary(), HasSubstr("does not wait: bound"));
}

TEST_F(GrpcExplanation, WrongNamesAreRefused) {
  Serve();
  v1::ExplainGroupResponse response;
  grpc::Status status = Explain("", &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(WrongFieldIn(status), "name");
  status = Explain("nobody", &response);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_EQ(ReasonIn(status), "fluxnetes NOT_FOUND");
  EXPECT_THAT(status.error_message(), HasSubstr("a/nobody"));
}

}  // namespace
}  // namespace fluxnetes::services
