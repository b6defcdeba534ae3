#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/operation/account_messages.h"
#include "tests/services/support/command_database.h"
#include "tests/services/support/grpc_client.h"
#include "tests/services/support/grpc_scheduling.h"

namespace fluxnetes::services {
namespace {

using grpc::StatusCode;
using ::testing::HasSubstr;

class AccountCalls : public GrpcScheduling<CommandDatabase> {
 protected:
  AccountCalls() {
    database_.Execute(
        "INSERT INTO accounts (name, weight, quota) VALUES"
        " ('science', 1, '{\"cpu\": \"40\"}');"
        "INSERT INTO accounts (name, parent, weight) VALUES"
        " ('physics', 'science', 2)");
  }

  v1::SetAccountRequest Change(bool dry_run) {
    v1::SetAccountRequest request;
    request.set_name("physics");
    (*request.mutable_settings())["weight"] = "3";
    (*request.mutable_settings())["quota"] = "cpu=8,memory=1Gi";
    request.set_dry_run(dry_run);
    request.set_reason("the new team");
    return request;
  }

  static std::string TextOf(const auto& changes) {
    std::string text;
    for (const v1::SettingChange& change : changes)
      text += change.name() + ": '" + change.before() + "' to '" +
              change.after() + "'\n";
    return text;
  }
};

TEST_F(AccountCalls, AreListedAsATree) {
  Serve();
  v1::ListAccountsResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::ListAccounts,
                   v1::ListAccountsRequest(), &response)
                  .ok());
  ASSERT_EQ(response.accounts_size(), 2);
  const v1::Account& science = response.accounts(0);
  EXPECT_EQ(science.name(), "science");
  EXPECT_EQ(science.quota().at("cpu"), "40");
  EXPECT_EQ(science.settings().at("quota"), "cpu=40");
  const v1::Account& physics = response.accounts(1);
  EXPECT_EQ(physics.parent(), "science");
  EXPECT_EQ(physics.depth(), 1);
  EXPECT_EQ(physics.weight(), 2);
  v1::ListAccountsRequest other;
  other.set_name("none");
  EXPECT_EQ(
      Call(&v1::Scheduler::Stub::ListAccounts, other, &response).error_code(),
      StatusCode::NOT_FOUND);
}

TEST_F(AccountCalls, ChangeIsShownFirstAndThenMade) {
  Serve();
  v1::SetAccountResponse response;
  ASSERT_TRUE(
      Call(&v1::Scheduler::Stub::SetAccount, Change(true), &response).ok());
  EXPECT_EQ(TextOf(response.changes()),
            "quota: '' to 'cpu=8,memory=1Gi'\nweight: '2' to '3'\n");
  EXPECT_EQ(response.account().weight(), 3);
  EXPECT_EQ(database_.Ask("SELECT weight FROM accounts WHERE name = 'physics'"),
            "2");
  EXPECT_EQ(Audit(), "");
  ASSERT_TRUE(
      Call(&v1::Scheduler::Stub::SetAccount, Change(false), &response).ok());
  EXPECT_EQ(database_.Ask("SELECT weight FROM accounts WHERE name = 'physics'"),
            "3");
  EXPECT_THAT(Audit(), HasSubstr("set account/physics"));
  EXPECT_THAT(Audit(), HasSubstr("(the new team)"));
}

TEST_F(AccountCalls, WrongValueIsRefusedInWords) {
  Serve();
  v1::SetAccountRequest request = Change(true);
  (*request.mutable_settings())["weight"] = "-1";
  v1::SetAccountResponse response;
  const grpc::Status status =
      Call(&v1::Scheduler::Stub::SetAccount, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("weight: '-1'"));
}

TEST_F(AccountCalls, ChangeOfAQueueIsShownFirstToo) {
  Serve();
  v1::SetQueueRequest request;
  request.set_name("default");
  (*request.mutable_settings())["paused"] = "true";
  request.set_dry_run(true);
  request.set_reason("new racks");
  v1::SetQueueResponse response;
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::SetQueue, request, &response).ok());
  EXPECT_EQ(TextOf(response.changes()), "paused: 'false' to 'true'\n");
  EXPECT_EQ(database_.Ask("SELECT paused FROM queues"), "f");
  request.set_dry_run(false);
  ASSERT_TRUE(Call(&v1::Scheduler::Stub::SetQueue, request, &response).ok());
  EXPECT_EQ(database_.Ask("SELECT paused FROM queues"), "t");
  EXPECT_THAT(Audit(), HasSubstr("pause queue/default new racks"));
}

}  // namespace
}  // namespace fluxnetes::services
