#include "queue/catalogue.h"
#include "sql/faults.h"
#include "tests/workers/support/lifecycle_fixture.h"
#include "workers/intake/intake.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

class IntakeTest : public LifecycleTest {
 protected:
  std::string RefusalOf(const std::string& pod) {
    return Ask("SELECT refused FROM pods_provisional WHERE pod_name = '" + pod +
               "'");
  }
};

TEST_F(IntakeTest, UnboundPodOfOursIsRecordedOnce) {
  const std::string uid = Create({.name = "a", .group = "train", .size = 2});
  Observe();
  door.ChangePod("default/a", [](cluster::Pod&) {});
  Observe();
  door.List();
  Observe();
  EXPECT_EQ(AskAll("SELECT uid, pod_name, group_name, group_size FROM "
                   "pods_provisional"),
            uid + "|a|train|2");
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(IntakeTest, PodsOfOtherSchedulersAreKeptInTheCacheOnly) {
  cluster::Pod pod = PodOf({.name = "a"});
  pod.scheduler_name = "default-scheduler";
  door.Put(pod);
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "0");
  EXPECT_NE(cache->PodByUid(pod.uid), nullptr);
}

TEST_F(IntakeTest, SchedulerNamesCanBeChosen) {
  Intake::Options options;
  options.schedulers = cluster::SchedulerNames({"mine", "an-operators"});
  StartIntake(std::move(options));
  cluster::Pod pod = PodOf({.name = "a"});
  pod.scheduler_name = "mine";
  door.Put(pod);
  pod = PodOf({.name = "b"});
  pod.scheduler_name = "an-operators";
  door.Put(pod);
  Create({.name = "c"});
  Observe();
  EXPECT_EQ(AskAll("SELECT pod_name FROM pods_provisional ORDER BY pod_name"),
            "a\nb");
}

TEST_F(IntakeTest, SameNamesInTwoNamespacesAreTwoGroups) {
  Create({.name = "a", .group = "train", .size = 2, .space = "x"});
  Create({.name = "a", .group = "train", .size = 2, .space = "y"});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT namespace, members FROM groups_provisional "
                   "ORDER BY namespace"),
            "x|1\ny|1");
}

TEST_F(IntakeTest, UnusableLabelIsRefusedAndToldOnce) {
  cluster::Pod pod = PodOf({.name = "a"});
  pod.labels["fluxnetes.group-name"] = "train";
  pod.labels["fluxnetes.group-size"] = "ten";
  door.Put(pod);
  Observe();
  door.ChangePod("default/a", [](cluster::Pod&) {});
  Observe();
  door.List();
  Observe();
  EXPECT_THAT(RefusalOf("a"), HasSubstr("\"ten\": it is not a whole number"));
  EXPECT_EQ(Jobs("notice"), "1");
  EXPECT_EQ(
      Ask("SELECT args ->> 'pod' || ' ' || (args ->> 'reason') FROM jobs"),
      "a FailedScheduling");
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
}

TEST_F(IntakeTest, CorrectedLabelIsTaken) {
  cluster::Pod pod = PodOf({.name = "a", .group = "train", .size = 0});
  door.Put(pod);
  ObserveAndPromote();
  door.ChangePod("default/a", [](cluster::Pod& p) {
    p.labels["fluxnetes.group-size"] = "1";
  });
  ObserveAndPromote();
  EXPECT_EQ(StateOf("train"), "pending queued");
}

TEST_F(IntakeTest, MembersThatDisagreeOnSizeAreRefusedWithBothSizes) {
  Create({.name = "a", .group = "train", .size = 2});
  Create({.name = "b", .group = "train", .size = 3});
  Create({.name = "c", .group = "train", .size = 2});
  ObserveAndPromote();
  EXPECT_THAT(RefusalOf("b"),
              HasSubstr("asks for group size 3 in queue \"default\", but group "
                        "default/train has size 2"));
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(Jobs("notice"), "1");
}

TEST_F(IntakeTest, MembersThatDisagreeOnTheQueueAreRefused) {
  database.Execute("INSERT INTO queues (name) VALUES ('gpu')");
  Create({.name = "a", .group = "train", .size = 2});
  cluster::Pod pod = PodOf({.name = "b", .group = "train", .size = 2});
  pod.labels["fluxnetes.queue"] = "gpu";
  door.Put(pod);
  ObserveAndPromote();
  EXPECT_EQ(RefusalOf("b"),
            "asks for group size 2 in queue \"gpu\", but group default/train "
            "has size 2 in queue \"default\" (pod a came first); all pods of "
            "a group must ask for the same");
  EXPECT_EQ(Filling("train"), "1/2");
}

TEST_F(IntakeTest, MembersThatDisagreeOnTheAccountAreRefused) {
  const auto create = [this](const std::string& name,
                             const std::string& account) {
    cluster::Pod pod = PodOf({.name = name, .group = "train", .size = 3});
    if (!account.empty()) pod.labels["fluxnetes.account"] = account;
    door.Put(pod);
  };
  create("a", "physics");
  create("b", "biology");
  create("c", "");
  ObserveAndPromote();
  EXPECT_EQ(RefusalOf("a"), "NULL");
  EXPECT_EQ(RefusalOf("b"),
            "asks for account biology (fluxnetes.account), but group "
            "default/train for physics (pod a came first); all pods of a group "
            "must ask for the same");
  EXPECT_THAT(RefusalOf("c"), HasSubstr("asks for account none"));
  EXPECT_EQ(Filling("train"), "1/3");
  EXPECT_EQ(Jobs("notice"), "2");
  for (const char* pod : {"default/b", "default/c"})
    door.ChangePod(pod, [](cluster::Pod& changed) {
      changed.labels["fluxnetes.account"] = "physics";
    });
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, account FROM pod_groups"),
            "train|physics");
}

TEST_F(IntakeTest, AccountOfAWaitingGroupFollowsItsPods) {
  Create({.name = "a", .group = "train", .size = 2, .owner = "train"});
  Create({.name = "b", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT state, account FROM pod_groups"), "pending|");
  for (const char* pod : {"default/a", "default/b"})
    door.ChangePod(pod, [](cluster::Pod& changed) {
      changed.annotations["fluxnetes.account"] = "physics";
    });
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT state, account FROM pod_groups"), "pending|physics");
  // A pod beyond its size belongs to the same account.
  cluster::Pod surplus =
      PodOf({.name = "c", .group = "train", .size = 2, .owner = "train"});
  surplus.labels["fluxnetes.account"] = "physics";
  door.Put(surplus);
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_size, account FROM pod_groups ORDER BY id"),
            "2|physics\n1|physics");
}

TEST_F(IntakeTest, PodOfAGroupThatAsksForAnotherSchedulerIsTold) {
  Create({.name = "a", .group = "train", .size = 2});
  cluster::Pod pod = PodOf({.name = "b", .group = "train", .size = 2});
  pod.scheduler_name = "default-scheduler";
  door.Put(pod);
  ObserveAndPromote();
  door.ChangePod("default/b", [](cluster::Pod&) {});
  Observe();
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_EQ(AskAll("SELECT args ->> 'pod', args ->> 'reason', "
                   "args ->> 'message', args ->> 'condition' FROM jobs"),
            "b|OtherScheduler|the pod has the label fluxnetes.group-name, but "
            "does not count for its group, since its schedulerName is "
            "\"default-scheduler\"; it must be \"fluxnetes\"|false");
}

TEST_F(IntakeTest, PodThatOthersHavePlacedIsNotTold) {
  cluster::Pod pod = PodOf({.name = "b", .group = "train", .size = 2});
  pod.scheduler_name = "default-scheduler";
  pod.node_name = "n0";
  door.Put(pod);
  Observe();
  EXPECT_EQ(Jobs("notice"), "0");
}

TEST_F(IntakeTest, LateDisagreementDoesNotChangeTheGroup) {
  cluster::Pod late = PodOf({.name = "late", .group = "train", .size = 9});
  Create({.name = "a", .group = "train", .size = 2});
  Observe();
  door.Put(late);  // older, but seen later
  Observe();
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_THAT(RefusalOf("late"), HasSubstr("pod a came first"));
}

TEST_F(IntakeTest, RefusedPodLeadsWhenThoseItDisagreedWithAreGone) {
  Create({.name = "a", .group = "train", .size = 3});
  Create({.name = "b", .group = "train", .size = 1});
  Observe();
  door.Remove("default/a");
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name, group_size FROM pod_groups"), "train|1");
}

TEST_F(IntakeTest, UnknownQueueIsRefusedUntilItIsMade) {
  cluster::Pod pod = PodOf({.name = "a"});
  pod.labels["fluxnetes.queue"] = "gpu";
  door.Put(pod);
  ObserveAndPromote();
  EXPECT_THAT(RefusalOf("a"), HasSubstr("queue \"gpu\" does not exist"));
  EXPECT_EQ(Jobs("notice"), "1");
  EXPECT_EQ(Ask("SELECT count(*) FROM pod_groups"), "0");
  database.Execute("INSERT INTO queues (name) VALUES ('gpu')");
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT queue, state FROM pod_groups"), "gpu|pending");
  EXPECT_EQ(Ask("SELECT queue FROM jobs WHERE kind = 'match'"), "match:gpu");
}

TEST_F(IntakeTest, GatedPodDoesNotCountUntilItsGatesAreLifted) {
  Create({.name = "a", .group = "train", .size = 2});
  cluster::Pod pod = PodOf({.name = "b", .group = "train", .size = 2});
  pod.gated = true;
  door.Put(pod);
  ObserveAndPromote();
  EXPECT_EQ(Filling("train"), "1/2");
  door.ChangePod("default/b", [](cluster::Pod& p) { p.gated = false; });
  ObserveAndPromote();
  EXPECT_EQ(StateOf("train"), "pending queued");
}

TEST_F(IntakeTest, DeletedPodLeavesItsProvisionalGroup) {
  CreateGang("train", 3, 2);
  Observe();
  door.Remove("default/train-0");
  Observe();
  EXPECT_EQ(Filling("train"), "1/3");
  door.Remove("default/train-1");
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
  EXPECT_EQ(AskAll("SELECT group_name, result, reason FROM group_history"),
            "train|cancelled|its pods were deleted before it could start");
}

TEST_F(IntakeTest, DeletedMemberOfAProvisionalGroupIsReplacedByALaterPod) {
  CreateGang("train", 2, 1);
  Observe();
  door.Remove("default/train-0");
  Create({.name = "x", .group = "train", .size = 2, .owner = "train"});
  Create({.name = "y", .group = "train", .size = 2, .owner = "train"});
  ObserveAndPromote();
  EXPECT_EQ(StateOf("train"), "pending queued");
}

TEST_F(IntakeTest, RelabelledPodChangesItsProvisionalGroup) {
  Create({.name = "a", .group = "x", .size = 2});
  Create({.name = "b", .group = "y", .size = 2});
  Observe();
  door.ChangePod("default/a", [](cluster::Pod& pod) {
    pod.labels["fluxnetes.group-name"] = "y";
  });
  ObserveAndPromote();
  EXPECT_EQ(StateOf("y"), "pending queued");
  EXPECT_EQ(Filling("x"), "");
  EXPECT_EQ(Ask("SELECT count(*) FROM group_history"), "0");
}

TEST_F(IntakeTest, PodThatLosesItsLabelsLeavesItsGroup) {
  Create({.name = "a", .group = "x", .size = 2});
  Observe();
  door.ChangePod("default/a", [](cluster::Pod& pod) { pod.labels.clear(); });
  ObserveAndPromote();
  EXPECT_EQ(AskAll("SELECT group_name FROM pod_groups"),
            "fluxnetes-group-default-a");
}

TEST_F(IntakeTest, PodBoundByOthersIsForgotten) {
  Create({.name = "a", .group = "train", .size = 2});
  Observe();
  door.ChangePod("default/a", [](cluster::Pod& pod) { pod.node_name = "n1"; });
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM groups_provisional"), "0");
}

TEST_F(IntakeTest, WhatHappenedWhileItWasAwayIsFoundByAComparison) {
  CreateGang("x", 3, 2);
  Observe();
  door.LoseEvents();
  door.Remove("default/x-0");
  Create({.name = "y"});
  door.List();
  ObserveAndPromote();
  EXPECT_EQ(Filling("x"), "1/3");
  EXPECT_EQ(StateOf("fluxnetes-group-default-y"), "pending queued");
}

// A list arrives in parts: pods not listed yet are not gone.
TEST_F(IntakeTest, NoMemberIsTakenForGoneWhileTheFirstListGoesOn) {
  CreateGang("train", 3);
  ObserveAndPromote();
  door.LoseEvents();
  for (const char* name : {"train-0", "train-1", "train-2"})
    door.ChangePod("default/" + std::string(name), [](cluster::Pod& pod) {
      pod.node_name = "n1";
      pod.phase = cluster::PodPhase::kSucceeded;
    });
  StartIntake({.events = 1});
  Observe();
  EXPECT_EQ(AskAll("SELECT pod_name, state, node_name FROM pods ORDER BY 1"),
            "train-0|succeeded|n1\ntrain-1|succeeded|n1\n"
            "train-2|succeeded|n1");
}

// A pod that the former leader recorded is not gone because this watch lags.
TEST_F(IntakeTest, NewLeaderThatIsBehindItsPredecessorListsBeforeItWrites) {
  queue::Client other(database.pool(),
                      {.time_to_live = std::chrono::minutes(5)});
  other.Register();
  queue::Leadership theirs(database.pool(), other, "intake");
  ASSERT_TRUE(theirs.TryAcquire());
  Create({.name = "early", .group = "pair", .size = 2});
  Observe();
  door.LoseEvents();
  Create({.name = "late", .group = "pair", .size = 2});
  const cluster::Pod& late = door.PodOf("default/late");
  database.Execute(
      "INSERT INTO pods_provisional (uid, namespace, pod_name, group_name, "
      "group_size, queue, request, resource_version, created_at) VALUES ('" +
      late.uid + "', 'default', 'late', 'pair', 2, 'default', '{}', '" +
      late.resource_version + "', '2026-01-01')");
  theirs.Resign();
  Observe();
  EXPECT_TRUE(intake->leads());
  EXPECT_EQ(AskAll("SELECT pod_name FROM pods_provisional ORDER BY pod_name"),
            "early\nlate");
  EXPECT_EQ(Filling("pair"), "2/2");
}

TEST_F(IntakeTest, NewLeaderHealsWhatIsMissing) {
  CreateGang("x", 3, 2);
  Observe();
  database.Execute(
      "DELETE FROM pods_provisional WHERE pod_name = 'x-0';"
      "INSERT INTO pods_provisional (uid, namespace, pod_name, "
      "group_name, group_size, queue, request, resource_version, "
      "created_at) VALUES ('ghost', 'default', 'ghost', 'x', 3, "
      "'default', '{}', '1', '2026-01-01')");
  StartIntake();
  Observe();
  EXPECT_EQ(AskAll("SELECT pod_name FROM pods_provisional ORDER BY pod_name"),
            "x-0\nx-1");
  EXPECT_EQ(Filling("x"), "2/3");
  EXPECT_EQ(intake->counts().healed, 2);
  StartIntake();
  Observe();
  EXPECT_EQ(intake->counts().healed, 0);
}

TEST_F(IntakeTest, OnlyTheLeaderRecords) {
  queue::Client other(database.pool(),
                      {.time_to_live = std::chrono::minutes(5)});
  other.Register();
  queue::Leadership theirs(database.pool(), other, "intake");
  ASSERT_TRUE(theirs.TryAcquire());
  Create({.name = "a"});
  Observe();
  EXPECT_FALSE(intake->leads());
  EXPECT_TRUE(cache->Synced());
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "0");
  theirs.Resign();
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "1");
}

TEST_F(IntakeTest, LeaderOfAnOlderTermRecordsNothing) {
  Create({.name = "a"});
  Observe();
  database.Execute("UPDATE leaders SET term = term + 1, client_id = 0");
  Create({.name = "b"});
  Observe();
  EXPECT_EQ(AskAll("SELECT pod_name FROM pods_provisional"), "a");
  Observe();  // client 0 is dead: it leads again, and compares everything
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "2");
}

TEST_F(IntakeTest, ChangesAreNotLostWhileTheDatabaseIsAway) {
  fluxnetes::testing::PrivateServer server;
  fluxnetes::testing::TestDatabase other(true, server.connection());
  other.UseCatalogues({queue::Catalogue(), Catalogue()});
  queue::Client owner(other.pool(), {.time_to_live = std::chrono::minutes(5)});
  owner.Register();
  queue::Leadership leader(other.pool(), owner, "intake");
  queue::WorkQueue queue(other.pool());
  Intake watching(other.pool(), queue, leader, door, *cache, {});
  CreateGang("train", 3, 2);
  watching.RunOnce(kNoon);
  server.Stop();
  Create({.name = "late", .group = "train", .size = 3, .owner = "train"});
  EXPECT_THROW(watching.RunOnce(kNoon), sql::Error);
  door.Remove("default/train-0");
  EXPECT_THROW(watching.RunOnce(kNoon), sql::Error);
  EXPECT_EQ(cache->Pods().size(), 2u);  // the cache goes on
  server.Start();
  while (watching.RunOnce(kNoon)) {
  }
  EXPECT_EQ(other.AskAll("SELECT pod_name FROM pods_provisional ORDER BY 1"),
            "late\ntrain-1");
  EXPECT_EQ(other.Ask("SELECT members FROM groups_provisional"), "2");
}

// Its commits do not wait for the disk.
TEST_F(IntakeTest, WhatACrashOfTheServerUndidIsRecordedAgain) {
  fluxnetes::testing::PrivateServer server;
  fluxnetes::testing::TestDatabase other(true, server.connection());
  other.UseCatalogues({queue::Catalogue(), Catalogue()});
  queue::Client owner(other.pool(), {.time_to_live = std::chrono::minutes(5)});
  owner.Register();
  queue::Leadership leader(other.pool(), owner, "intake");
  queue::WorkQueue queue(other.pool());
  Intake watching(other.pool(), queue, leader, door, *cache, {});
  CreateGang("train", 3, 2);
  while (watching.RunOnce(kNoon)) {
  }
  const std::int64_t compared = watching.counts().resyncs;
  server.StopAtOnce();
  server.Start();
  // As if nothing had reached the disk, which is a matter of luck.
  fluxnetes::testing::TestDatabase schema(false, server.connection());
  schema.Execute("TRUNCATE " + other.schema() + ".pods_provisional, " +
                 other.schema() + ".groups_provisional");
  watching.RunOnce(kNoon);  // finds that its connections broke
  while (watching.RunOnce(kNoon)) {
  }
  EXPECT_EQ(other.Ask("SELECT count(*) FROM pods_provisional"), "2");
  EXPECT_EQ(watching.counts().resyncs, compared + 1);
  while (watching.RunOnce(kNoon)) {
  }
  EXPECT_EQ(watching.counts().resyncs, compared + 1);
}

TEST_F(IntakeTest, PodThatCannotBeRecordedDoesNotKeepOthersBack) {
  std::vector<std::string> aside;
  StartIntake({.on_set_aside = [&](const std::string& uid, const std::string&) {
    aside.push_back(uid);
  }});
  cluster::Pod broken = PodOf({.name = "broken"});
  broken.resource_version = "1";
  broken.request.resources.cpu_milli = 1;
  broken.name = "bad\xff";
  door.Put(broken);
  Create({.name = "good"});
  Observe();
  EXPECT_EQ(aside, std::vector{broken.uid});
  EXPECT_EQ(AskAll("SELECT pod_name FROM pods_provisional"), "good");
}

TEST_F(IntakeTest, MemoryForChangesIsBoundedAndNothingIsLost) {
  StartIntake({.remembered = 10});
  for (int i = 0; i < 40; ++i) Create({.name = "p" + std::to_string(i)});
  Observe();
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "40");
}

#ifdef FLUXNETES_FAULTS
TEST_F(IntakeTest, ComparisonOfManyPodsEndsThoughOthersKeepComing) {
  for (int i = 0; i < 20; ++i) Create({.name = "old-" + std::to_string(i)});
  StartIntake({.batch = 2, .remembered = 10});
  for (int i = 0; i < 20; ++i) {
    Create({.name = "new-" + std::to_string(i)});
    intake->RunOnce(kNoon);
  }
  EXPECT_EQ(Ask("SELECT count(*) FROM pods_provisional"), "40");
}

TEST_F(IntakeTest, PlantedBugCountsTwice) {
  sql::PlantBug("counted-twice");
  CreateGang("train", 3, 1);
  Observe();
  Create({.name = "x", .group = "train", .size = 3, .owner = "train"});
  Observe();
  sql::PlantBug("");
  EXPECT_EQ(Filling("train"), "3/3");
}
#endif

}  // namespace
}  // namespace fluxnetes::workers
