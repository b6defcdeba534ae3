#include "tests/workers/support/match_fixture.h"
#include "workers/cleanup/cleanup.h"
#include "workers/loops/group_jobs.h"
#include "workers/match/node_reporter.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

using MatchWorkerTest = MatchTest;

TEST_F(MatchWorkerTest, WholeGangIsAllocatedInOneTransactionWithItsBindJob) {
  CreateGang("train", 3);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(PlacesOf("train"), "n0 n0 n0");
  EXPECT_EQ(Jobs("match"), "0");
  EXPECT_EQ(Jobs("bind"), "1");
  EXPECT_EQ(Ask("SELECT nodes FROM allocations"), "{n0}");
  EXPECT_EQ(Ask("SELECT state FROM jobs_finished"), "completed");
}

TEST_F(MatchWorkerTest, GroupThatDoesNotFitWaitsWithAReason) {
  SetNode("n0", 1'000);
  SetNode("n1", 1'000);
  SetNode("n2", 1'000);
  CreateGang("first", 2);
  CreateGang("second", 2);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("first"), "allocated");
  EXPECT_EQ(StateOf("second"), "pending reserved");
  EXPECT_THAT(Ask("SELECT reason FROM pending"), HasSubstr("2 × (1 cpu"));
  EXPECT_EQ(Ask("SELECT kind FROM reservations"), "drain");
}

TEST_F(MatchWorkerTest, PodThatIsPlacedAgainHasAnotherReasonThanAWholeGroup) {
  SetNode("n0", 2'000);
  SetNode("n1", 1'000, true);
  SetNode("n2", 1'000, true);
  Place("first", 2);
  BindPlaced();
  CreateGang("second", 2);
  ObserveAndPromote();
  door.End("default/first-1", cluster::PodPhase::kFailed);
  Observe();
  // As cleanup does when the hold is over; another pod gets the room.
  database.Execute(
      "DELETE FROM placements WHERE pod_uid LIKE 'uid-default-first-1-%';"
      "INSERT INTO match_inbox (queue, news, group_id)"
      " SELECT queue, 'changed', id FROM pod_groups");
  Create({.name = "small", .priority = 5});
  ObserveAndPromote();
  Match();
  ASSERT_EQ(StateOf("fluxnetes-group-default-small"), "allocated");
  Create({.name = "first-2", .group = "first", .size = 2, .owner = "first"});
  ObserveAndPromote();
  Match();
  const auto reason_of = [&](const std::string& group) {
    return Ask("SELECT reason FROM pending WHERE group_name = '" + group + "'");
  };
  EXPECT_THAT(reason_of("first"), HasSubstr("needs 1 × (1 cpu"));
  EXPECT_THAT(reason_of("second"), HasSubstr("needs 2 × (1 cpu"));
}

TEST_F(MatchWorkerTest, GroupLargerThanTheClusterIsUnsatisfiableAndToBeTold) {
  Create({.name = "huge", .cpu = 65'000});
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("fluxnetes-group-default-huge"), "unsatisfiable");
  EXPECT_EQ(Ask("SELECT news_due FROM pod_groups"),
            Ask("SELECT promoted_at FROM pod_groups"));

  SetNode("n3", 128'000);
  Match();
  EXPECT_EQ(StateOf("fluxnetes-group-default-huge"), "allocated");
  EXPECT_EQ(PlacesOf("fluxnetes-group-default-huge"), "n3");
}

TEST_F(MatchWorkerTest, DeposedOwnerCommitsNothing) {
  CreateGang("train", 2);
  ObserveAndPromote();
  match->worker.RunOnce(kNoon);  // it owns the match
  queue::Client other(database.pool(), {});
  other.Register();
  database.Execute("UPDATE leaders SET term = term + 1, client_id = " +
                   std::to_string(other.id()) +
                   " WHERE name = 'match:default'");
  Match();
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE state = 'running'"), "0");
}

TEST_F(MatchWorkerTest, TheNextOwnerRebuildsTheSameGraphFromTheDatabase) {
  CreateGang("a", 2);
  CreateGang("b", 3);
  ObserveAndPromote();
  Match();
  const std::string before = match->worker.Describe();
  EXPECT_NE(before, "");
  match->worker.Stop();
  StartMatch();
  Match();
  EXPECT_EQ(match->worker.Describe(), before);
}

// The new owner had looked at the clock before its predecessor placed a gang.
TEST_F(MatchWorkerTest, GangThatWasPlacedByAClockAheadIsNoDifference) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Match(kNoon + std::chrono::seconds(1));
  ASSERT_EQ(StateOf("train"), "allocated");
  match->worker.Stop();
  StartMatch();
  Match(kNoon);
  Match(kNoon + std::chrono::seconds(2));
  EXPECT_FALSE(match->worker.Compare().again);
}

// Its first allocation still exists, but holds nothing any more.
TEST_F(MatchWorkerTest, GroupThatIsPlacedAgainHasTheTimesOfItsNewPlace) {
  const auto times = [this] {
    return Ask(
        "SELECT extract(epoch FROM starts_at)::bigint || ' + ' || "
        "extract(epoch FROM ends_at - starts_at)::bigint FROM allocations");
  };
  const auto at = [](cluster::Time time) {
    return std::to_string(time.time_since_epoch() / std::chrono::seconds(1));
  };
  CreateGang("train", 1);
  ObserveAndPromote();
  database.Execute("UPDATE pod_groups SET duration_seconds = 100");
  Match();
  EXPECT_EQ(times(), at(kNoon) + " + 100");
  database.Execute(
      "DELETE FROM placements; DELETE FROM jobs;"
      "UPDATE pod_groups SET state = 'pending', phase = 'queued', "
      "revision = 2, first_in_line = true;"
      "INSERT INTO jobs (kind, queue, args) SELECT 'match', 'match:default', "
      "jsonb_build_object('group', id) FROM pod_groups;"
      "UPDATE pod_groups SET match_job = (SELECT max(id) FROM jobs);"
      "INSERT INTO match_inbox (queue, news, group_id) "
      "SELECT queue, 'changed', id FROM pod_groups");
  const auto later = kNoon + std::chrono::seconds(50);
  Match(later);
  ASSERT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(times(), at(later) + " + 100");
  const std::string known = match->worker.Describe();
  match->worker.Stop();
  StartMatch();
  Match(later);
  EXPECT_EQ(match->worker.Describe(), known);
}

TEST_F(MatchWorkerTest, TheNextOwnerTakesTheGroupsThatTheFormerHadLeased) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  CreateGang("big", 3);
  CreateGang("next", 3);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("next"), "pending reserved");
  // The process dies: its client counts as dead.
  database.Execute(
      "UPDATE clients SET heartbeat_at = now() - interval '1 day'");
  jobs->Rescue();
  StartMatch();
  database.Execute(
      "DELETE FROM allocations; "
      "DELETE FROM pod_groups WHERE group_name = 'big'");
  Match();
  EXPECT_EQ(StateOf("next"), "allocated");
}

// A process that dies with a waiting group, which then has room.
class MatchAfterADeath : public MatchTest {
 protected:
  MatchAfterADeath() {
    for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
    CreateGang("big", 3);
    CreateGang("leased", 3);
    ObserveAndPromote();
    Match();
    database.Execute(
        "UPDATE clients SET heartbeat_at = now() - interval '1 day'; "
        "DELETE FROM allocations; "
        "DELETE FROM pod_groups WHERE group_name = 'big'");
  }
};

TEST_F(MatchAfterADeath, TheNextOwnerKnowsWhatWasLeasedBeforeItIsRescued) {
  CreateGang("behind", 3);
  ObserveAndPromote();
  StartMatch();
  Match();
  EXPECT_EQ(StateOf("leased"), "allocated");
  EXPECT_EQ(StateOf("behind"), "pending reserved");
}

TEST_F(MatchAfterADeath, NobodyStartsBeforeAllWhoWaitAreKnown) {
  Create({.name = "urgent", .cpu = 1'000, .priority = 7});
  ObserveAndPromote();
  StartMatch();
  Match();
  EXPECT_EQ(StateOf("fluxnetes-group-default-urgent"), "allocated");
  EXPECT_EQ(StateOf("leased"), "pending reserved");
}

TEST_F(MatchWorkerTest, OfTwoJobsOfAGroupTheLaterOneCountsAndBothEnd) {
  SetNode("n0", 4'000);
  CreateGang("twice", 1);
  ObserveAndPromote();
  sql::Transaction transaction(database.pool());
  AskForPlaces(transaction, *jobs,
               {std::stoll(Ask("SELECT id FROM pod_groups"))}, {"default"});
  transaction.Commit();
  ASSERT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "2");
  Match();
  EXPECT_EQ(StateOf("twice"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "0");
}

// A refused group waits with a job that is due later. The group may ask again,
// and be leased by its newer job, before that.
TEST_F(MatchWorkerTest,
       GroupWaitsWithTheJobOfItsRowAlsoIfAnOlderOneIsDueLater) {
  SetNode("n0", 4'000);
  CreateGang("refused", 1);
  ObserveAndPromote();
  const std::string job = Ask("SELECT match_job FROM pod_groups");
  database.Execute(
      "INSERT INTO jobs (kind, queue, args, scheduled_at) SELECT kind, queue, "
      "args, scheduled_at + interval '1 millisecond' FROM jobs WHERE id = " +
      job);
  database.Execute("UPDATE jobs SET state = 'available'");
  Match();
  EXPECT_EQ(StateOf("refused"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE kind = 'match'"), "0");
}

TEST_F(MatchWorkerTest, ReleasedPlaceIsUsedByWhoeverWaits) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  CreateGang("first", 3);
  CreateGang("second", 1);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("second"), "pending reserved");
  database.Execute(
      "WITH gone AS (DELETE FROM placements WHERE node_name = 'n1' RETURNING "
      "fluxion_job, pod_uid) INSERT INTO match_inbox (queue, news, group_id, "
      "pod_uid) SELECT 'default', 'released', fluxion_job, pod_uid FROM gone");
  Match();
  EXPECT_EQ(PlacesOf("second"), "n1");
}

// It goes where pods are lacking: where the old one still is, which no longer
// counts.
TEST_F(MatchWorkerTest, ReplacementOfAPodThatIsBeingDeletedKeepsTheirNumbers) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 3'000);
  const auto create = [this](const std::string& name) {
    cluster::Pod pod =
        PodOf({.name = name, .group = "train", .size = 4, .owner = "train"});
    pod.labels["fluxnetes.pods-per-node"] = "2";
    door.Put(std::move(pod));
    ObserveAndPromote();
  };
  for (const char* name : {"train-0", "train-1", "train-2", "train-3"})
    create(name);
  Match();
  BindPlaced();
  Observe();
  ASSERT_EQ(PlacesOf("train"), "n0 n0 n1 n1");

  door.ChangePod("default/train-1",
                 [](cluster::Pod& pod) { pod.terminating = true; });
  create("train-9");
  EXPECT_EQ(StateOf("train"), "pending queued");
  Match();
  EXPECT_EQ(PlacesOf("train"), "n0 n0 n1 n1 n0");
  BindPlaced();
  EXPECT_EQ(door.PodOf("default/train-9").node_name, "n0");
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(MatchWorkerTest, EditOfAQueueTakesEffectAtOnce) {
  database.Execute("UPDATE queues SET paused = true");
  CreateGang("train", 1);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(StateOf("train"), "pending queued");
  database.Execute("UPDATE queues SET paused = false, match_policy = 'hinode'");
  Match();
  EXPECT_EQ(PlacesOf("train"), "n2");
}

TEST_F(MatchWorkerTest, PodsOfOthersAreChargedWhereTheyRun) {
  for (const char* node : {"n0", "n1", "n2"}) SetNode(node, 1'000);
  cluster::Pod unmanaged = PodOf({.name = "daemon"});
  unmanaged.scheduler_name = "default-scheduler";
  unmanaged.node_name = "n0";
  unmanaged.phase = cluster::PodPhase::kRunning;
  door.Put(unmanaged);
  CreateGang("train", 2);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("train"), "n1 n2");
  door.End("default/daemon", cluster::PodPhase::kSucceeded);
  CreateGang("next", 1);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("next"), "n0");
}

TEST_F(MatchWorkerTest, GroupThatNeedsWhatAPodWasResizedToWaitsForIt) {
  for (const char* node : {"n1", "n2"}) SetNode(node, 1'000);
  Place("first", 1);
  ASSERT_EQ(PlacesOf("first"), "n0");
  BindPlaced();
  Observe();
  door.ChangePod("default/first-0", [](cluster::Pod& pod) {
    pod.request.resources.cpu_milli = 60'000;
  });
  Create({.name = "large", .cpu = 8'000});
  ObserveAndPromote();
  Match();
  // There is no end known of what it waits for.
  EXPECT_EQ(StateOf("fluxnetes-group-default-large"), "pending reserved");
  EXPECT_FALSE(match->worker.Compare().again);

  database.Execute(
      "UPDATE pod_groups SET revision = revision + 1, "
      "cancel_reason = 'enough' WHERE group_name = 'first'");
  door.Remove("default/first-0");
  Observe();
  Cleanup cleanup(database.pool(), *jobs, *client, door, {});
  while (cleanup.RunOnce(kNoon)) {
  }
  Match();
  EXPECT_EQ(PlacesOf("fluxnetes-group-default-large"), "n0");
}

TEST_F(MatchWorkerTest, NodeThatComesBackIsNotChargedForPodsThatAreGone) {
  cluster::Pod pod = PodOf({.name = "agent", .cpu = 60'000});
  pod.scheduler_name = "default-scheduler";
  pod.node_name = "n0";
  door.Put(pod);
  Observe();
  Match();
  const cluster::Node node = *cache->NodeByName("n0");
  door.RemoveNode("n0");
  Observe();
  Match();
  door.Remove("default/agent");
  Observe();
  Match();
  door.PutNode(node);
  for (const char* other : {"n1", "n2"}) door.RemoveNode(other);
  Create({.name = "train", .cpu = 64'000});
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("fluxnetes-group-default-train"), "n0");
}

TEST_F(MatchWorkerTest, NodeWhoseOtherPodsAskForMoreThan64BitsIsFull) {
  for (const char* name : {"huge", "vast"}) {
    cluster::Pod unmanaged = PodOf({.name = name});
    unmanaged.scheduler_name = "default-scheduler";
    unmanaged.node_name = "n0";
    unmanaged.request.resources.memory_bytes = std::int64_t{5} << 60;
    door.Put(unmanaged);
  }
  CreateGang("train", 1);
  ObserveAndPromote();
  Match();
  EXPECT_EQ(PlacesOf("train"), "n1");
}

TEST_F(MatchWorkerTest, QueueThatCannotBeReadIsRefused) {
  for (const char* edit :
       {"node_selector = '{\"gpu\": true}'",
        "node_selector = '{\"a\": [\"b\"]}'", "bind_timeout = '1000000 years'",
        "replacement_hold = '1000000 years'",
        "assumed_duration = '1000000 years'"})
    EXPECT_THROW(database.Execute(std::string("UPDATE queues SET ") + edit),
                 sql::Error)
        << edit;
  database.Execute("UPDATE queues SET node_selector = '{\"gpu\": \"true\"}'");
}

TEST_F(MatchWorkerTest, PodThatOthersBoundElsewhereIsChargedThereOnce) {
  CreateGang("train", 2);
  ObserveAndPromote();
  Match();
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n2"; });
  const cluster::WatchEvent seen{
      cluster::WatchEvent::Kind::kChanged,
      std::make_shared<const cluster::Pod>(door.PodOf("default/train-0"))};
  cache->Apply({&seen, 1});
  Match();  // before intake has recorded it
  intake->CompareEverything();
  Observe();
  ASSERT_EQ(PlacesOf("train"), "n2 n0");
  Match();
  const std::string before = match->worker.Describe();
  match->worker.Stop();
  StartMatch();
  Match();
  EXPECT_EQ(before, match->worker.Describe());
}

TEST_F(MatchWorkerTest, NodesAreWrittenForPeopleWhenTheyChange) {
  Observe();
  NodeReporter reporter(database.pool(), *cache, {});
  reporter.Write(kNoon);
  EXPECT_EQ(Ask("SELECT count(*) FROM nodes"), "3");
  SetNode("n0", 64'000, /*cordoned=*/true);
  reporter.Note(cache->TakeChangedNodes());
  reporter.Write(kNoon);
  EXPECT_EQ(Ask("SELECT unschedulable FROM node_usage WHERE node_name = 'n0'"),
            "cordoned");
  cluster::Pod unmanaged = PodOf({.name = "others"});
  unmanaged.scheduler_name = "default-scheduler";
  unmanaged.node_name = "n3";
  unmanaged.request.resources.SetExtended("nvidia.com/gpu", 2);
  door.Put(unmanaged);
  cluster::Node node;
  node.name = "n3";
  node.allocatable.cpu_milli = 1'000;
  node.allocatable.SetExtended("nvidia.com/gpu", 8);
  door.PutNode(node);
  Observe();
  reporter.Note(cache->TakeChangedNodes());
  reporter.Write(kNoon);
  EXPECT_EQ(AskAll("SELECT other, unmanaged_other FROM nodes WHERE node_name = "
                   "'n3'"),
            R"({"nvidia.com/gpu": 8}|{"nvidia.com/gpu": 2})");
}

}  // namespace
}  // namespace fluxnetes::workers
