#include "tests/support/whole_system.h"
#include "tests/workers/support/start_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using StartTimesTest = StartTest;

TEST_F(StartTimesTest, GroupIsPlacedFromItsTimeOn) {
  CreateMarked("train", {{"fluxnetes.start-after", AfterNoon(60)}});
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending deferred");
  EXPECT_THAT(ReasonOf("train"),
              StartsWith("starts after 2024-12-18T12:01:00Z"));
  EXPECT_EQ(std::to_string(*match->worker.NextDue()), AfterNoon(60));
  Pass(59);
  EXPECT_EQ(StateOf("train"), "pending deferred");
  Pass(60);
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(Ask("SELECT reason IS NULL FROM pod_groups"), "t");
}

TEST_F(StartTimesTest, OthersAreNotKeptBackByWhoStartsLater) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  CreateMarked("early", {{"fluxnetes.start-after", AfterNoon(60)}});
  CreateGang("train", 2);
  Pass(0);
  EXPECT_EQ(StateOf("train"), "allocated");
  Pass(60);
  EXPECT_EQ(StateOf("early"), "pending reserved");
}

TEST_F(StartTimesTest, TimeOutlivesTheProcess) {
  CreateMarked("train", {{"fluxnetes.start-after", AfterNoon(60)}});
  Pass(0);
  Restart();
  Pass(10);
  EXPECT_EQ(StateOf("train"), "pending deferred");
  Restart();
  Pass(61);
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(Ask("SELECT reason IS NULL FROM pod_groups"), "t");
}

TEST_F(StartTimesTest, LatestOfThePodsCounts) {
  CreateMarked("train", {{"fluxnetes.start-after", AfterNoon(60)}});
  door.ChangePod("default/train-1", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.start-after"] = AfterNoon(90);
  });
  Pass(60);
  EXPECT_EQ(StateOf("train"), "pending deferred");
  Pass(90);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(StartTimesTest, ChangedLabelTakesEffect) {
  CreateMarked("train", {{"fluxnetes.start-after", AfterNoon(60)}});
  Pass(0);
  const std::string age = Ask("SELECT submitted_at FROM pod_groups");
  Relabel("train", "fluxnetes.start-after", AfterNoon(600));
  Pass(60);
  EXPECT_EQ(StateOf("train"), "pending deferred");
  EXPECT_THAT(ReasonOf("train"), HasSubstr("12:10:00Z"));
  EXPECT_EQ(Ask("SELECT submitted_at FROM pod_groups"), age);
  Relabel("train", "fluxnetes.start-after", std::nullopt);
  Pass(70);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(StartTimesTest, GroupWithoutAPlaceByItsTimeIsGivenUp) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  Place("runs", 2);
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}});
  CreateGang("next", 1);
  Pass(59);
  EXPECT_EQ(StateOf("train"), "pending reserved");
  EXPECT_EQ(StateOf("next"), "pending queued");
  Pass(60);
  EXPECT_THAT(door.deleted, ElementsAre("Job default/train"));
  EXPECT_EQ(StateOf("next"), "allocated") << "nothing is kept for it any more";
  ASSERT_EQ(door.conditions.size(), 2U);
  EXPECT_THAT(door.conditions[0].message,
              StartsWith("given up: the group had no place by "
                         "2024-12-18T12:01:00Z (fluxnetes.start-by): needs 2"));
  EXPECT_EQ(door.events.size(), 1U);
  door.owners.erase("uid-of-train");
  for (const char* pod : {"default/train-0", "default/train-1"})
    door.Remove(pod);
  Pass(61);
  EXPECT_EQ(Ask("SELECT result FROM group_history"), "cancelled");
  EXPECT_THAT(Ask("SELECT reason FROM group_history"),
              StartsWith("had no place by 2024-12-18T12:01:00Z"));
  EXPECT_EQ(door.events.size(), 1U);
}

TEST_F(StartTimesTest, RoomThatComesAtThatTimeComesTooLate) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000, true);
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}});
  Pass(0);
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  // The match alone, before the group is given up.
  Match(kNoon + std::chrono::seconds(60));
  EXPECT_EQ(Ask("SELECT count(*) FROM allocations"), "0");
  Pass(60);
  EXPECT_THAT(door.deleted, ElementsAre("Job default/train"));
}

TEST_F(StartTimesTest, GroupThatHasItsPlaceByThenStays) {
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}});
  Pass(0);
  ASSERT_EQ(StateOf("train"), "allocated");
  Pass(60);
  EXPECT_EQ(StateOf("train"), "allocated");
  BindPlaced(kNoon + std::chrono::seconds(61));
  Observe();
  Pass(120);
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_THAT(door.deleted, ElementsAre());
}

// Even if members must be placed again after that time.
TEST_F(StartTimesTest, GroupThatHasStartedIsNotGivenUp) {
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}});
  Pass(0);
  BindPlaced();
  Observe();
  ASSERT_EQ(StateOf("train"), "bound");
  door.ChangePod("default/train-0", [](cluster::Pod& pod) {
    pod.phase = cluster::PodPhase::kFailed;
    pod.reason = "OutOfcpu";
  });
  Pass(90);
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}}, 1);
  Pass(91);
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_THAT(door.deleted, ElementsAre());
}

// Its Job would be deleted with it, and the running members.
TEST_F(StartTimesTest, PodBeyondTheGroupIsNotGivenUp) {
  for (const char* node : {"n0", "n1"}) SetNode(node, 1'000);
  SetNode("n2", 1'000, true);
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}}, 3);
  Pass(0);
  BindPlaced();
  Pass(1);
  ASSERT_EQ(StateOf("train"), "bound");
  Pass(60);
  EXPECT_THAT(door.deleted, ElementsAre());
  SetNode("n2", 1'000);
  Pass(61);
  EXPECT_EQ(StateOf("fluxnetes-group-default-train-2"), "allocated");
}

TEST_F(StartTimesTest, PodThatAJobMakesNextIsPlacedThoughItsTimeIsOver) {
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}});
  Pass(0);
  BindPlaced();
  Pass(1);
  ASSERT_EQ(StateOf("train"), "bound");
  door.ChangePod("default/train-0", [](cluster::Pod& pod) {
    pod.phase = cluster::PodPhase::kSucceeded;
  });
  Pass(90);
  cluster::Pod next =
      PodOf({.name = "train-2", .group = "train", .size = 2, .owner = "train"});
  next.labels["fluxnetes.start-by"] = AfterNoon(60);
  next.created_at = kNoon + std::chrono::seconds(90);
  door.Put(next);
  Pass(91);
  EXPECT_EQ(StateOf("fluxnetes-group-default-train-2"), "allocated");
  EXPECT_THAT(door.deleted, ElementsAre());
}

// The pods of a Job, each by itself; one of them has started.
TEST_F(StartTimesTest, PodsWhoseJobHasStartedAreNotGivenUp) {
  SetNode("n0", 1'000);
  for (const char* node : {"n1", "n2"}) SetNode(node, 1'000, true);
  const auto create = [this](const std::string& name) {
    cluster::Pod pod = PodOf({.name = name, .owner = "tasks"});
    pod.labels["fluxnetes.start-by"] = AfterNoon(60);
    door.Put(pod);
  };
  door.owners["uid-of-tasks"] = {"Job", "default", "tasks", "uid-of-tasks"};
  create("a");
  Pass(0);
  create("b");
  Pass(1);
  ASSERT_EQ(StateOf("fluxnetes-group-default-b"), "pending reserved");
  Pass(60);
  EXPECT_THAT(door.deleted, ElementsAre());
  // They are excused for good: the first pod ends before the second has room.
  BindPlaced();
  Pass(61);
  door.Remove("default/a");
  SetNode("n0", 0);
  Pass(62);
  ASSERT_EQ(StateOf("fluxnetes-group-default-a"), "");
  Pass(63);
  EXPECT_THAT(door.deleted, ElementsAre());
  SetNode("n0", 1'000);
  Pass(64);
  EXPECT_EQ(StateOf("fluxnetes-group-default-b"), "allocated");
}

TEST_F(StartTimesTest, PodThatItsJobMakesAnewLaterIsNotGivenUp) {
  cluster::Pod pod = PodOf({.name = "a-2", .owner = "a"});
  pod.labels["fluxnetes.start-by"] = AfterNoon(60);
  pod.created_at = kNoon + std::chrono::seconds(60);
  door.Put(pod);
  cluster::Pod bare = PodOf({.name = "bare"});
  bare.labels["fluxnetes.start-by"] = AfterNoon(60);
  bare.created_at = pod.created_at;
  door.Put(bare);
  Pass(61);
  EXPECT_EQ(StateOf("fluxnetes-group-default-a-2"), "allocated");
  EXPECT_THAT(door.deleted, ElementsAre("Pod default/bare"));
}

TEST_F(StartTimesTest, PodThatIsGatedStillIsNotGivenUpWhenOthersRun) {
  CreateMarked("train", {{"fluxnetes.start-by", AfterNoon(60)}});
  cluster::Pod gated =
      PodOf({.name = "gated", .group = "train", .size = 2, .owner = "train"});
  gated.labels["fluxnetes.start-by"] = AfterNoon(60);
  gated.gated = true;
  door.Put(gated);
  Pass(0);
  ASSERT_EQ(StateOf("train"), "allocated");
  ASSERT_EQ(Filling("train"), "0/2");
  Pass(60);
  EXPECT_THAT(door.deleted, ElementsAre());
}

TEST_F(StartTimesTest, GroupThatFillsHoldsOrDoesNotFitIsGivenUpToo) {
  const StartTest::Marks soon = {{"fluxnetes.start-by", AfterNoon(60)}};
  CreateMarked("held", soon);
  ObserveAndPromote();
  Hold("held", "not yet");
  CreateMarked("fills", soon, 1);
  cluster::Pod huge = PodOf({.name = "huge", .cpu = 65'000});
  huge.labels["fluxnetes.start-by"] = AfterNoon(60);
  door.Put(huge);
  Pass(0);
  ASSERT_EQ(StateOf("fluxnetes-group-default-huge"), "unsatisfiable");
  Pass(60);
  EXPECT_THAT(door.deleted,
              ::testing::UnorderedElementsAre(
                  "Job default/fills", "Job default/held", "Pod default/huge"));
  EXPECT_EQ(Ask("SELECT reason FROM group_history WHERE group_name = 'fills'"),
            "had 1 of 2 pods by 2024-12-18T12:01:00Z (fluxnetes.start-by)");
  EXPECT_THAT(Ask("SELECT cancel_reason FROM pod_groups WHERE group_name = "
                  "'held'"),
              HasSubstr("(fluxnetes.start-by): held: not yet"));
  EXPECT_EQ(door.events.size(), 3U);
  StartByDeadlines late(database.pool(), *jobs, {});
  EXPECT_FALSE(late.RunOnce(kNoon + std::chrono::hours(1)));
}

TEST_F(StartTimesTest, PodsThatTogetherLeaveNoTimeAreRefused) {
  CreateMarked("train", {{"fluxnetes.start-after", AfterNoon(90)}}, 1);
  cluster::Pod other =
      PodOf({.name = "other", .group = "train", .size = 2, .owner = "train"});
  other.labels["fluxnetes.start-by"] = AfterNoon(60);
  door.Put(other);
  Pass(0);
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional WHERE refused LIKE "
                "'%could never start%'"),
            "2");
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
  // They start once their labels are corrected.
  door.ChangePod("default/other", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.start-by"] = AfterNoon(120);
  });
  Pass(90);
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(StartTimesTest, PodThatIsRefusedHasNoSayInWhenOthersStart) {
  CreateMarked("train", {{"fluxnetes.start-after", AfterNoon(60)}});
  const auto stray = [this](const std::string& name, const std::string& label,
                            const std::string& value) {
    cluster::Pod pod = PodOf({.name = name, .group = "train", .size = 2});
    pod.labels[label] = value;
    pod.labels["fluxnetes.start-by"] = AfterNoon(50);
    door.Put(pod);
  };
  stray("other-size", "fluxnetes.group-size", "3");
  stray("no-queue", "fluxnetes.queue", "nowhere");
  stray("pool", "fluxnetes.pool/licences", "1");
  Pass(0);
  EXPECT_EQ(StateOf("train"), "pending deferred");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional WHERE refused IS NOT "
                "NULL AND refused NOT LIKE '%could never start%'"),
            "3");
}

TEST_F(StartTimesTest, MoreThanABatchIsGivenUpInSeveral) {
  for (int i = 0; i < 5; ++i) {
    cluster::Pod pod = PodOf({.name = "p" + std::to_string(i), .cpu = 65'000});
    pod.labels["fluxnetes.start-by"] = AfterNoon(60);
    door.Put(pod);
  }
  Pass(0);
  StartByDeadlines late(database.pool(), *jobs, {.batch = 2});
  const cluster::Time minute = kNoon + std::chrono::seconds(60);
  EXPECT_TRUE(late.RunOnce(minute));
  EXPECT_TRUE(late.RunOnce(minute));
  EXPECT_FALSE(late.RunOnce(minute));
  EXPECT_EQ(Jobs("cleanup"), "5");
}

}  // namespace

namespace {

// On virtual time, with every worker and a crash between any two steps.
TEST(StartTimesWholeWay, GroupStartsOrIsGivenUpAtItsTime) {
  testing::WholeSystem system("nodes: [{name: node, cpu: 4, memory: 16Gi}]");
  const cluster::Time begin = system.cluster.Now();
  const auto at = [&](int seconds) {
    return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(
                              begin.time_since_epoch())
                              .count() +
                          seconds);
  };
  const auto job = [](const std::string& name, const std::string& label,
                      const std::string& value) {
    return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
           "}\nspec:\n  parallelism: 2\n  completions: 2\n  template:\n"
           "    metadata:\n      labels: {fluxnetes.group-name: " +
           name + ", fluxnetes.group-size: \"2\", " + label + ": \"" + value +
           "\"}\n    spec:\n      schedulerName: fluxnetes\n"
           "      restartPolicy: Never\n      containers:\n"
           "      - name: work\n        image: busybox\n"
           "        command: [sleep, \"100\"]\n"
           "        resources: {requests: {cpu: 2}}\n---\n";
  };
  system.Submit(job("later", "fluxnetes.start-after", at(60)) +
                job("late", "fluxnetes.start-by", at(90)));
  const auto state = [&](const std::string& name) {
    return system.Ask(
        "SELECT state || coalesce(' ' || phase, '') FROM "
        "pod_groups WHERE group_name = '" +
        name + "'");
  };
  system.Settle();
  EXPECT_EQ(state("later"), "pending deferred");
  EXPECT_EQ(state("late"), "bound");
  system.CrashAndRestart();
  system.Advance(std::chrono::seconds(60));
  system.Submit(job("hasty", "fluxnetes.start-by", at(90)));
  system.Advance(std::chrono::seconds(20));
  EXPECT_EQ(state("later"), "pending reserved");
  system.CrashAndRestart();
  system.Advance(std::chrono::seconds(15));
  EXPECT_EQ(system.Ask("SELECT result FROM group_history WHERE group_name = "
                       "'hasty'"),
            "cancelled");
  system.RunToEnd();
  EXPECT_EQ(system.Ask("SELECT string_agg(group_name || ' ' || result, ', ' "
                       "ORDER BY group_name) FROM group_history"),
            "hasty cancelled, late succeeded, later succeeded");
  EXPECT_EQ(system.Ask("SELECT count(*) FROM jobs"), "0");
}

}  // namespace
}  // namespace fluxnetes::workers
