// Tests of `fluxnetes account` and `get accounts`: changes, output and error
// messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/services/support/command_database.h"

namespace fluxnetes::services {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

class AccountCommand : public CommandDatabase {
 protected:
  std::string Column(const std::string& column,
                     const std::string& account = "physics") {
    return database_.Ask("SELECT " + column + " FROM accounts WHERE name = '" +
                         account + "'");
  }
  void Succeed(const std::string& arguments) {
    EXPECT_EQ(run_(arguments), ExitCode::kOk) << arguments << run_.err();
  }
};

TEST_F(AccountCommand, AccountsAreMadeChangedAndDeleted) {
  Succeed("account create science");
  EXPECT_EQ(run_.out(), "account/science created\n");
  Succeed(
      "account create physics parent=science namespace=a queue=default "
      "weight=2.5 quota=cpu=40,memory=100Gi,nvidia.com/gpu=8 borrows=true");
  EXPECT_EQ(Column("parent"), "science");
  EXPECT_EQ(Column("namespace"), "a");
  EXPECT_EQ(Column("queue"), "default");
  EXPECT_EQ(Column("weight"), "2.5");
  EXPECT_EQ(
      json::parse(Column("quota")),
      json({{"cpu", "40"}, {"memory", "100Gi"}, {"nvidia.com/gpu", "8"}}));
  EXPECT_EQ(Column("borrows"), "t");
  Succeed("account set physics namespace=b weight=3");
  EXPECT_EQ(Column("namespace"), "b");
  EXPECT_EQ(Column("queue"), "default");
  EXPECT_EQ(Column("borrows"), "t");
  Succeed("account delete physics");
  EXPECT_EQ(run_("account delete physics"), ExitCode::kNotFound);
  EXPECT_EQ(Column("name"), "");
}

TEST_F(AccountCommand, EmptyValuesTakeAway) {
  Succeed("account create science");
  Succeed(
      "account create physics parent=science namespace=a queue=q "
      "quota=cpu=1");
  Succeed("account set physics parent= namespace= queue= quota=");
  EXPECT_EQ(Column("num_nonnulls(parent, namespace, queue)"), "0");
  EXPECT_EQ(Column("quota"), "{}");
}

TEST_F(AccountCommand, SchedulerIsToldAtOnce) {
  Succeed("account create physics namespace=a");
  EXPECT_GE(std::stoi(database_.Ask(
                "SELECT count(*) FROM match_inbox WHERE news = 'accounts'")),
            1);
}

TEST_F(AccountCommand, AccountIsOfALabelOfPods) {
  Succeed("account create physics label=p");
  Succeed("account set physics weight=2");
  EXPECT_EQ(Column("label"), "p");
  EXPECT_EQ(run_("account create biology label=p"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("another label, namespace or queue"));
  Succeed("get accounts");
  EXPECT_THAT(run_.out(), HasSubstr("label=p"));
  Succeed("account set physics label=");
  EXPECT_EQ(Column("label IS NULL"), "t");
}

TEST_F(AccountCommand, SlipsAreAnsweredWithWhatWouldBeRight) {
  Succeed("account create physics");
  const auto next = [&](const std::string& setting) {
    EXPECT_EQ(run_("account set physics " + setting), ExitCode::kUsage)
        << setting;
    return run_.err();
  };
  for (const char* weight : {"0", "-1", "2000000000", "nan", "inf", "x", ""})
    EXPECT_THAT(
        next("weight=" + std::string(weight)),
        AllOf(HasSubstr("weight: '" + std::string(weight) + "' is not allowed"),
              HasSubstr("a number above 0")));
  for (const char* quota : {"cpu", "=1", "cpu=", "cpu=x", "cpu=-1", "cpu=1e3",
                            "cpu=1,cpu=2", "cpu=1,"})
    EXPECT_THAT(next("quota=" + std::string(quota)),
                AllOf(HasSubstr("quota: '" + std::string(quota) + "'"),
                      HasSubstr("amounts like cpu=40,memory=100Gi")));
  EXPECT_THAT(next("borrows=maybe"), HasSubstr("true or false"));
  EXPECT_THAT(next("colour=red"),
              HasSubstr("'colour=red' is no setting of an account"));
  EXPECT_THAT(next("color=a"),
              HasSubstr("one of parent, label, namespace, queue, "));
  EXPECT_THAT(next("label=-a"), AllOf(HasSubstr("label: '-a' is not allowed"),
                                      HasSubstr("(fluxnetes.account)")));
  EXPECT_THAT(next("namespace=a/b"), HasSubstr("namespace: 'a/b' is not"));
  EXPECT_THAT(next("queue=GPU"), HasSubstr("queue: 'GPU' is not allowed"));
  EXPECT_THAT(next("queue=a queue=b"), HasSubstr("there twice"));
}

TEST_F(AccountCommand, AccountThatIsNotMadeLeavesNothing) {
  EXPECT_EQ(run_("account create physics weight=0"), ExitCode::kUsage);
  EXPECT_EQ(run_("account create physics weight=x"), ExitCode::kUsage);
  EXPECT_EQ(Column("name"), "");
  for (const char* name : {"-a", "a b", "a/b", ""}) {
    EXPECT_EQ(run_("account create --", {name}), ExitCode::kUsage) << name;
    EXPECT_THAT(run_.err(), HasSubstr("cannot be the name of an account"));
  }
  Succeed("account create physics");
  EXPECT_EQ(run_("account create physics"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("account set physics KEY=VALUE"));
}

TEST_F(AccountCommand, TreeStaysATree) {
  EXPECT_EQ(run_("account create physics parent=science"), ExitCode::kNotFound);
  EXPECT_THAT(run_.err(), HasSubstr("no account named \"science\""));
  Succeed("account create science");
  Succeed("account create physics parent=science");
  for (const char* parent : {"science", "physics"}) {
    EXPECT_EQ(run_("account set science parent=" + std::string(parent)),
              ExitCode::kFailed);
    EXPECT_THAT(run_.err(),
                HasSubstr("the account \"science\" cannot be below itself"));
  }
  EXPECT_EQ(run_("account delete science"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("has others below it and stays"));
}

TEST_F(AccountCommand, GroupsAreOfOneAccount) {
  Succeed("account create one namespace=a");
  Succeed("account create two namespace=a queue=default");
  EXPECT_EQ(run_("account create three namespace=a"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("\"three\" would select the same groups as "
                                    "another account"));
}

TEST_F(AccountCommand, AccountThatIsNotThereIsNotFound) {
  for (const char* arguments :
       {"account set nothing weight=2", "account delete nothing"}) {
    EXPECT_EQ(run_(arguments), ExitCode::kNotFound);
    EXPECT_THAT(run_.err(), HasSubstr("no account named \"nothing\""));
  }
  EXPECT_EQ(run_("get accounts nothing"), ExitCode::kNotFound);
}

TEST_F(AccountCommand, ListHasTheTreeAndWhatIsHeldBelow) {
  // In namespace a one group has 2 cpus, 1Gi and a gpu and another one waits;
  // in b one waits.
  AddExampleGroups();
  Succeed("account create zoo queue=elsewhere");
  Succeed("account create science quota=cpu=8");
  Succeed(
      "account create physics parent=science namespace=a weight=3 "
      "borrows=true");
  Succeed("account create biology parent=science namespace=b");
  Succeed("get accounts -o wide");
  EXPECT_EQ(
      run_.out(),
      "NAME       PARENT   WHOSE            WEIGHT  QUOTA  BORROWS  "
      "PENDING  HOLDS\n"
      "science    -        -                     1  cpu 8  no             "
      "2  cpu 2, memory 1Gi, pods 1, gpu 1\n"
      "  biology  science  namespace=b           1  -      no             "
      "1  -\n"
      "  physics  science  namespace=a           3  -      yes            "
      "1  cpu 2, memory 1Gi, pods 1, gpu 1\n"
      "zoo        -        queue=elsewhere       1  -      no             "
      "0  -\n");
  Succeed("get accounts -o name");
  EXPECT_EQ(run_.out(), "science\nbiology\nphysics\nzoo\n");
  Succeed("get accounts physics -o json");
  EXPECT_EQ(json::parse(run_.out())["items"],
            json::parse(R"([{"name": "physics", "parent": "science",
                "label": null, "namespace": "a", "queue": null, "weight": 3.0,
                "quota": {}, "borrows": true, "pending": 1,
                "holds": {"cpuMilli": 2000, "memoryBytes": 1073741824,
                          "pods": 1, "other": {"gpu": 1}}}])"));
}

TEST_F(AccountCommand, ViewerSeesAccountsAndChangesNone) {
  Succeed("account create physics namespace=a");
  database_.Execute(
      "DO $$BEGIN CREATE ROLE account_viewer LOGIN IN ROLE fluxnetes_viewer;"
      " EXCEPTION WHEN duplicate_object THEN NULL; END$$");
  run_.Set("FLUXNETES_DATABASE",
           database_.options().connection + "&user=account_viewer");
  Succeed("get accounts -o name");
  EXPECT_EQ(run_.out(), "physics\n");
  EXPECT_EQ(run_("account set physics weight=2"), ExitCode::kFailed);
  EXPECT_THAT(run_.err(), HasSubstr("no right to do this"));
}

}  // namespace
}  // namespace fluxnetes::services
