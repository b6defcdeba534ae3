#include <future>
#include <map>
#include <optional>
#include <set>

#include "tests/workers/support/match_fixture.h"
#include "workers/news/wait_news.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class WaitNewsTest : public MatchTest {
 protected:
  WaitNewsTest() { StartNews({}); }

  void StartNews(const WaitNews::Options& options) {
    news = std::make_unique<WaitNews>(database.pool(), door, binding_ledger,
                                      options);
  }

  void Tell(seconds after) {
    while (news->RunOnce(kNoon + after)) {
    }
  }

  // Two gangs of two pods; one of them is placed.
  void FillNodes() {
    for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
    CreateGang("first", 2);
    CreateGang("second", 2);
    ObserveAndPromote();
    Match();
    ASSERT_EQ(StateOf("second"), "pending reserved");
  }

  // The last message of each pod, by pod.
  std::map<std::string, std::string> Messages() const {
    std::map<std::string, std::string> messages;
    for (const auto& condition : door.conditions)
      messages[condition.pod_name] = condition.message;
    return messages;
  }

  std::unique_ptr<WaitNews> news;
};

TEST_F(WaitNewsTest, PodsOfAnIncompleteGroupAreToldHowManyThereAre) {
  CreateGang("train", 8, 3);
  Observe();
  Tell(seconds(5));
  EXPECT_TRUE(door.conditions.empty()) << "others may come still";
  Tell(seconds(6));
  const std::string three = "group default/train: 3 of 8 pods have arrived";
  EXPECT_EQ(Messages(),
            (std::map<std::string, std::string>{
                {"train-0", three}, {"train-1", three}, {"train-2", three}}));
  EXPECT_EQ(door.conditions[0].reason, "GroupIncomplete");
  ASSERT_EQ(door.events.size(), 1U);
  EXPECT_EQ(door.events[0].pod_name, "train-0");
  EXPECT_EQ(door.events[0].reason, "FailedScheduling");
  EXPECT_EQ(door.events[0].message, three);
  EXPECT_TRUE(door.events[0].warning);
}

// Intake may hold the group's lock, since the watch reports the condition.
TEST_F(WaitNewsTest, WhatWasToldIsRecordedThoughTheGroupIsLocked) {
  CreateGang("train", 8, 3);
  Observe();
  std::optional<sql::Transaction> intake;
  std::promise<std::string> locked;
  door.after_record = [&] {
    intake.emplace(database.pool());
    intake->RunScript("SELECT FROM groups_provisional FOR UPDATE");
    locked.set_value(
        intake->RunScript("SELECT pg_backend_pid()::text")[0].Get<std::string>(
            0));
  };
  auto telling = std::async(std::launch::async, [&] { Tell(seconds(6)); });
  const std::string waits =
      "SELECT count(*) FROM pg_locks WHERE NOT granted AND " +
      locked.get_future().get() + " = ANY(pg_blocking_pids(pid))";
  while (telling.wait_for(std::chrono::milliseconds(1)) ==
             std::future_status::timeout &&
         Ask(waits) == "0") {
  }
  intake->Commit();
  telling.get();
  EXPECT_EQ(Ask("SELECT told FROM groups_provisional"), "incomplete");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional WHERE told IS NULL"),
            "0");
}

TEST_F(WaitNewsTest, TheNumberIsCorrectedByConditionsAlone) {
  CreateGang("train", 8, 3);
  Observe();
  Tell(seconds(6));
  Create({.name = "more", .group = "train", .size = 8});
  Observe(kNoon + seconds(7));
  Tell(seconds(10));
  EXPECT_EQ(door.conditions.size(), 3U) << "they were told a moment ago";
  Tell(seconds(60));
  EXPECT_EQ(door.conditions.size(), 7U);
  for (const auto& [pod, message] : Messages())
    EXPECT_THAT(message, HasSubstr("4 of 8")) << pod;
  EXPECT_EQ(door.events.size(), 1U);
  Observe(kNoon + seconds(61));
  Tell(seconds(600));
  EXPECT_EQ(door.conditions.size(), 7U);
}

TEST_F(WaitNewsTest, PodInPlaceOfAnotherIsToldThoughTheNumberIsTheSame) {
  CreateGang("train", 8, 3);
  Observe();
  Tell(seconds(6));
  door.Remove("default/train-1");
  Create({.name = "new", .group = "train", .size = 8});
  Observe(kNoon + seconds(7));
  Tell(seconds(60));
  EXPECT_EQ(door.conditions.size(), 4U);
  EXPECT_THAT(Messages()["new"], HasSubstr("3 of 8"));
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, PodsThatComeOneByOneDoNotTellAllEachTime) {
  constexpr int kPods = 150;
  for (int i = 0; i < kPods; ++i) {
    Create(
        {.name = "p" + std::to_string(i), .group = "long", .size = kPods + 1});
    Observe(kNoon + seconds(2 * i));
    Tell(seconds(2 * i));
  }
  Tell(seconds(2 * kPods + 100));
  // A report to every pod each time would make 11,325.
  EXPECT_LT(door.conditions.size(), 2'000U);
  EXPECT_EQ(door.events.size(), 1U);
  const auto messages = Messages();
  EXPECT_EQ(messages.size(), std::size_t{kPods});
  for (const auto& [pod, message] : messages)
    EXPECT_THAT(message, HasSubstr("150 of 151")) << pod;
}

TEST_F(WaitNewsTest, GatedPodIsLeftToTheApiServer) {
  cluster::Pod gated = PodOf({.name = "gated", .group = "train", .size = 3});
  gated.gated = true;
  door.Put(gated);
  Create({.name = "open", .group = "train", .size = 3});
  Observe();
  Tell(seconds(60));
  EXPECT_EQ(door.conditions.size(), 1U);
  EXPECT_THAT(Messages()["open"], HasSubstr("1 of 3"));
}

TEST_F(WaitNewsTest, GangThatMustWaitIsToldWhatItNeedsAndWhatIsMissing) {
  FillNodes();
  Tell(seconds(4));
  EXPECT_TRUE(door.conditions.empty()) << "most start meanwhile";
  Tell(seconds(6));
  EXPECT_EQ(door.conditions.size(), 2U);
  for (const char* pod : {"second-0", "second-1"})
    EXPECT_THAT(Messages()[pod],
                AllOf(HasSubstr("needs 2 × (1 cpu"),
                      EndsWith("; nodes are kept free for it")));
  ASSERT_EQ(door.events.size(), 1U);
  EXPECT_EQ(door.events[0].pod_name, "second-0");
}

TEST_F(WaitNewsTest, OtherNumbersAreNoNewsAndAnotherReasonIs) {
  FillNodes();
  Tell(seconds(6));
  for (int i = 1; i < 20; ++i) {
    SetNode("n2", 1'000 + 100 * (i % 2));
    Match(kNoon + seconds(60 * i));
    Tell(seconds(60 * i));
  }
  EXPECT_EQ(door.conditions.size(), 2U);
  EXPECT_EQ(door.events.size(), 1U);
  database.Execute("UPDATE queues SET paused = true");
  Match(kNoon + seconds(2'000));
  Tell(seconds(2'060));
  Tell(seconds(2'100));
  EXPECT_EQ(door.conditions.size(), 4U);
  EXPECT_THAT(Messages()["second-1"], HasSubstr("queue default is paused"));
  EXPECT_EQ(door.events.size(), 2U);
}

TEST_F(WaitNewsTest, OnlyThoseThatMoreNodesWouldHelpAreUnschedulable) {
  SetNode("n0", 4'000);
  const std::map<std::string, std::string> reasons = {
      {"room", "Unschedulable"},       {"order", "QueuedBehindOthers"},
      {"depth", "QueuedBehindOthers"}, {"paused", "QueuePaused"},
      {"no queue", "NoQueue"},         {"quota", "QuotaExceeded"}};
  CreateGang("train", 2);
  ObserveAndPromote();
  int told = 6;
  for (const auto& [kind, reason] : reasons) {
    database.Execute(
        "DELETE FROM wait_reasons;"
        "INSERT INTO wait_reasons (queue, shape, reason, since, kind, spread) "
        "SELECT queue, shape, 'waits', now(), '" +
        kind + "', false FROM pod_groups");
    door.conditions.clear();
    for (int i = 0; i < 2; ++i) Tell(seconds(told += 600));
    ASSERT_EQ(door.conditions.size(), 2U) << kind;
    EXPECT_EQ(door.conditions[0].reason, reason) << kind;
  }
}

TEST_F(WaitNewsTest, ReasonThatChangesWhileAnotherIsToldIsToldToo) {
  FillNodes();
  WaitNews other(database.pool(), door, binding_ledger, {});
  door.before_conditions = [&] {
    database.Execute("UPDATE queues SET paused = true");
    Match(kNoon + seconds(6));
    other.RunOnce(kNoon + seconds(6));
  };
  Tell(seconds(6));
  EXPECT_THAT(Messages()["second-1"], HasSubstr("nodes are kept free"));
  Tell(seconds(100));
  EXPECT_THAT(Messages()["second-1"], HasSubstr("queue default is paused"));
}

TEST_F(WaitNewsTest, GangIsToldWhenItsReservationBegins) {
  database.Execute(
      "UPDATE queues SET assumed_duration = interval '90 minutes'");
  FillNodes();
  Tell(seconds(6));
  for (const char* pod : {"second-0", "second-1"})
    EXPECT_THAT(Messages()[pod], EndsWith("; reserved from 13:30 UTC"));
  EXPECT_EQ(door.events.size(), 1U);
  // The reservation moves: the conditions follow, without another event.
  database.Execute(
      "UPDATE queues SET assumed_duration = interval '60 minutes'");
  Match(kNoon + seconds(60));
  Tell(seconds(200));
  for (const char* pod : {"second-0", "second-1"})
    EXPECT_THAT(Messages()[pod], EndsWith("; reserved from 13:00 UTC"));
  EXPECT_EQ(door.conditions.size(), 4U);
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, RestartTellsNothingAgain) {
  FillNodes();
  CreateGang("short", 5, 2);
  Observe();
  Tell(seconds(10));
  EXPECT_EQ(door.conditions.size(), 4U);
  match->store.Resign();
  StartIntake();  // it fills the cache that the match reads
  StartMatch();
  StartNews({});
  ObserveAndPromote(kNoon + seconds(20));
  Match(kNoon + seconds(20));
  Tell(seconds(100));
  EXPECT_EQ(door.conditions.size(), 4U);
  EXPECT_EQ(door.events.size(), 2U);
}

TEST_F(WaitNewsTest, GroupThatCanNeverFitIsToldAtOnce) {
  Create({.name = "huge", .cpu = 65'000});
  ObserveAndPromote();
  Match();
  Tell(seconds(0));
  EXPECT_THAT(Messages()["huge"], HasSubstr("65 cpu"));
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, PodThatIsBoundMeanwhileIsLeftAlone) {
  CreateGang("train", 8, 2);
  Observe();
  door.before_conditions = [&] {
    door.ChangePod("default/train-0",
                   [](cluster::Pod& pod) { pod.node_name = "n0"; });
  };
  Tell(seconds(6));
  ASSERT_EQ(door.conditions.size(), 1U);
  EXPECT_EQ(door.conditions[0].pod_name, "train-1");
  ASSERT_EQ(door.events.size(), 1U);
  EXPECT_EQ(door.events[0].pod_name, "train-1");
  Observe(kNoon + seconds(7));
  Tell(seconds(100));
  EXPECT_EQ(Messages().count("train-0"), 0U);
  EXPECT_THAT(Messages()["train-1"], HasSubstr("1 of 8"));
}

TEST_F(WaitNewsTest, NewsArePutOffWhileTheClusterIsAway) {
  CreateGang("train", 8, 2);
  Observe();
  door.reachable = false;
  EXPECT_THROW(news->RunOnce(kNoon + seconds(6)), cluster::Unreachable);
  door.reachable = true;
  Tell(seconds(20));
  EXPECT_EQ(door.conditions.size(), 2U);
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, LargeGangIsToldInBatchesAndByOneEvent) {
  StartNews({.batch = 3});
  CreateGang("train", 8, 7);
  Observe();
  EXPECT_TRUE(news->RunOnce(kNoon + seconds(6)));
  EXPECT_EQ(door.conditions.size(), 3U);
  Tell(seconds(7));
  EXPECT_EQ(door.conditions.size(), 7U);
  EXPECT_EQ(Messages().size(), 7U);
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, NewsWaitForBindingsButNotForEver) {
  CreateGang("train", 8, 2);
  Observe();
  binding_ledger.Begin({"another"});
  Tell(seconds(6));
  Tell(seconds(30));
  EXPECT_TRUE(door.conditions.empty());
  Tell(seconds(36));
  EXPECT_EQ(door.conditions.size(), 2U);
}

// A report that was not recorded is repeated, which changes nothing.
class WaitNewsKilledTest : public WaitNewsTest {
 protected:
  static void Die() { throw std::logic_error("killed"); }

  void TellAgainAfterADeath() {
    EXPECT_THROW(news->RunOnce(kNoon + seconds(6)), std::logic_error);
    ASSERT_EQ(door.conditions.size(), 2U);
    const auto before = VersionsOf();
    StartNews({});
    Observe(kNoon + seconds(7));
    Tell(seconds(600));
    Tell(seconds(1'200));
    ASSERT_EQ(door.conditions.size(), 4U);
    EXPECT_EQ(VersionsOf(), before);
    for (const std::size_t i : {0U, 1U}) {
      EXPECT_EQ(door.conditions[i].message, door.conditions[i + 2].message);
      EXPECT_EQ(door.conditions[i].since, door.conditions[i + 2].since);
    }
  }
  std::string VersionsOf() {
    return door.GetPod("default", "train-0")->resource_version + " " +
           door.GetPod("default", "train-1")->resource_version;
  }
};

TEST_F(WaitNewsKilledTest, AfterAllWasToldTheEventIsTheSame) {
  CreateGang("train", 8, 2);
  Observe();
  door.after_record = Die;
  TellAgainAfterADeath();
  ASSERT_EQ(door.events.size(), 2U);
  EXPECT_TRUE(door.events[0].once);
  EXPECT_EQ(door.events[0].pod_uid, door.events[1].pod_uid);
  EXPECT_EQ(door.events[0].occasion, door.events[1].occasion);
}

TEST_F(WaitNewsKilledTest, BeforeTheEventItIsNotLost) {
  CreateGang("train", 8, 2);
  Observe();
  door.before_record = Die;
  TellAgainAfterADeath();
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, TheSameReasonAgainIsAnotherEvent) {
  FillNodes();
  Tell(seconds(6));
  database.Execute("UPDATE queues SET paused = true");
  Match(kNoon + seconds(600));
  Tell(seconds(660));
  database.Execute("UPDATE queues SET paused = false");
  Match(kNoon + seconds(1'200));
  Tell(seconds(1'260));
  ASSERT_EQ(door.events.size(), 3U);
  std::set<std::string> occasions;
  for (const auto& event : door.events) occasions.insert(event.occasion);
  EXPECT_EQ(occasions.size(), 3U);
}

TEST_F(WaitNewsTest, PodsWaitSinceTheyWereCreatedWhateverTheReason) {
  CreateGang("train", 8, 2);
  Observe();
  Tell(seconds(6));
  Create({.name = "more", .group = "train", .size = 8});
  Observe(kNoon + seconds(7));
  Tell(seconds(60));
  ASSERT_EQ(door.conditions.size(), 5U);
  for (const auto& condition : door.conditions) {
    EXPECT_EQ(condition.since,
              door.GetPod("default", condition.pod_name)->created_at);
  }
}

TEST_F(WaitNewsTest, WhatIsRefusedIsTriedLessAndLessOften) {
  CreateGang("train", 8, 2);
  Observe();
  door.refuses_conditions = true;
  for (int i = 0; i < 3'600; ++i) Tell(seconds(i));
  EXPECT_GT(door.refused_conditions, 2 * 5);
  EXPECT_LT(door.refused_conditions, 2 * 20);
  EXPECT_TRUE(door.events.empty());
  door.refuses_conditions = false;
  Tell(seconds(7'200));
  EXPECT_EQ(door.conditions.size(), 2U);
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(WaitNewsTest, WhatIsToldIsNoChangeForIntake) {
  CreateGang("train", 8, 2);
  Observe();
  Tell(seconds(6));
  const std::int64_t before = intake->counts().recorded;
  Observe(kNoon + seconds(7));
  EXPECT_EQ(intake->counts().recorded, before);
}

}  // namespace
}  // namespace fluxnetes::workers
