#include "tests/workers/match_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

class BinderTest : public MatchTest {
 protected:
  void Place(const std::string& gang, int size) {
    CreateGang(gang, size);
    ObserveAndPromote();
    Match();
    ASSERT_EQ(StateOf(gang), "allocated");
  }

  std::string NodeOf(const std::string& pod) {
    return door.PodOf("default/" + pod).node_name;
  }
};

TEST_F(BinderTest, AllPodsOfAGangAreBoundAndRecorded) {
  Place("train", 3);
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(NodeOf("train-0"), "n0");
  EXPECT_EQ(AskAll("SELECT DISTINCT state, node_name FROM pods"), "bound|n0");
  EXPECT_EQ(Jobs("bind"), "0");
  EXPECT_EQ(announcer.Flush(10), 0U);
  ASSERT_EQ(door.events.size(), 3U);
  EXPECT_EQ(door.events[0].reason, "Scheduled");
}

TEST_F(BinderTest, NodeCordonedMeanwhileSendsTheGroupBackWhole) {
  Place("train", 3);
  SetNode("n0", 64'000, /*cordoned=*/true);
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(NodeOf("train-0"), "");
  EXPECT_THAT(Ask("SELECT reason FROM pod_groups"),
              HasSubstr("n0 is cordoned"));
  EXPECT_EQ(Ask("SELECT count(*) FROM allocations"), "0");
  Match();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(NodeOf("train-0"), "n1");
}

TEST_F(BinderTest, NodeFilledByOthersMeanwhileSendsTheGroupBackWhole) {
  Place("train", 3);
  Place("small", 1);
  cluster::Pod other = PodOf({.name = "daemon", .cpu = 62'000});
  other.scheduler_name = "default-scheduler";
  other.node_name = "n0";
  door.Put(other);
  Observe();
  BindPlaced();
  // The first one that still has room is bound; the one behind it is, too.
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(NodeOf("train-0"), "");
  EXPECT_EQ(NodeOf("small-0"), "n0");
  EXPECT_THAT(Ask("SELECT reason FROM pod_groups WHERE group_name = 'train'"),
              HasSubstr("node n0 was filled by others meanwhile"));
  Match();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

// What was given to our pods counts, however much they ask for by now: else
// the match would give the group the same node for ever.
TEST_F(BinderTest, PodThatWasResizedSendsNobodyBack) {
  Place("first", 1);
  BindPlaced();
  Observe();
  door.ChangePod("default/first-0", [](cluster::Pod& pod) {
    pod.request.resources.cpu_milli = 64'000;
  });
  Observe();
  Place("second", 1);
  BindPlaced();
  EXPECT_EQ(NodeOf("second-0"), "n0");
}

TEST_F(BinderTest, MemberThatIsGoneIsWaitedForBeforeAnythingIsPosted) {
  Place("train", 2);
  door.Remove("default/train-1");
  Observe();
  BindPlaced();
  EXPECT_EQ(NodeOf("train-0"), "");
}

TEST_F(BinderTest, PodThatChangedIsReadAgainAndBound) {
  Place("train", 1);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.annotations["a"] = "b"; });
  // The watch has not said so yet: the first POST meets a conflict.
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(NodeOf("train-0"), "n0");
}

TEST_F(BinderTest, RepeatedPostIsHarmless) {
  Place("train", 2);
  BindPlaced();
  // The process died after the POSTs and before the record.
  database.Execute(
      "UPDATE pods SET state = 'waiting', node_name = NULL;"
      "UPDATE pod_groups SET state = 'allocated'");
  const std::string group = Ask("SELECT id FROM pod_groups");
  queue::NewJob job;
  job.kind = job.queue = "bind";
  job.args = "{\"group\": " + group + ", \"revision\": 1}";
  jobs->Insert({&job, 1});
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Ask("SELECT count(*) FROM pods WHERE state = 'bound'"), "2");
}

TEST_F(BinderTest, PodBoundElsewhereByOthersIsRecordedWhereItIs) {
  Place("train", 2);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n2"; });
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Ask("SELECT node_name FROM pods WHERE pod_name = 'train-0'"), "n2");
}

TEST_F(BinderTest, StaleRevisionBindsNothing) {
  Place("train", 1);
  database.Execute("UPDATE pod_groups SET revision = revision + 1");
  BindPlaced();
  EXPECT_EQ(NodeOf("train-0"), "");
  EXPECT_EQ(Jobs("bind"), "0");
}

TEST_F(BinderTest, OfTwoJobsOfAGroupTheNewestRevisionCounts) {
  Place("train", 1);
  database.Execute(
      "UPDATE pod_groups SET revision = 2;"
      "INSERT INTO jobs (kind, queue, args) SELECT 'bind', 'bind', "
      "jsonb_build_object('group', id, 'revision', 2) FROM pod_groups");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(Jobs("bind"), "0");
}

TEST_F(BinderTest, GroupThatIntakeTakesBackMeanwhileIsNotBound) {
  Place("train", 2);
  door.before_bind = [this] {
    door.Remove("default/train-1");
    Observe();  // holds the group, touches train-0, takes the places back
  };
  BindPlaced();
  EXPECT_EQ(NodeOf("train-0"), "");
  EXPECT_EQ(Filling("train"), "1/2");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
}

TEST_F(BinderTest, PlaceOfAPodBoundElsewhereFollowsIt) {
  Place("train", 2);
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n2"; });
  BindPlaced();
  Observe();  // after the binder has recorded it
  EXPECT_EQ(Ask("SELECT l.node_name FROM placements l JOIN pods p ON "
                "p.uid = l.pod_uid WHERE p.pod_name = 'train-0'"),
            "n2");
}

TEST_F(BinderTest, GroupsOfALostLeaseDoNotGoBackAndAreNotReported) {
  Place("train", 2);
  SetNode("n0", 64'000, /*cordoned=*/true);
  std::vector<GroupId> bound, back;
  Binder slow(database.pool(), *jobs, match->client, door, *cache,
              {.on_bound = [&](const auto& done, const auto& sent) {
                bound = done;
                back = sent;
              }});
  door.before_bind = [this] {
    database.Execute("UPDATE jobs SET attempt = attempt + 1");
  };
  slow.RunOnce(kNoon);
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(bound, std::vector<GroupId>{});
  EXPECT_EQ(back, std::vector<GroupId>{});
  database.Execute("UPDATE jobs SET state = 'available', client_id = NULL");
  slow.RunOnce(kNoon);
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(back.size(), 1U);
}

TEST_F(BinderTest, UnreachableClusterLosesNoJob) {
  Place("train", 1);
  door.reachable = false;
  EXPECT_THROW(binder->RunOnce(kNoon), cluster::Unreachable);
  door.reachable = true;
  EXPECT_EQ(Jobs("bind"), "1");
  database.Execute("UPDATE jobs SET scheduled_at = now() WHERE kind = 'bind'");
  jobs->MakeDueAvailable();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(BinderTest, GroupBoundInPartTooLongStartsAnew) {
  Place("train", 2);
  BindPlaced();
  database.Execute(
      "UPDATE pods SET state = 'waiting', node_name = NULL "
      "WHERE pod_name = 'train-1';"
      "UPDATE pod_groups SET state = 'pending', phase = 'queued', "
      "first_in_line = true, went_back_at = allocated_at");
  binder->GiveUpOverdue(kNoon + std::chrono::seconds(30));
  EXPECT_TRUE(door.deleted.empty());
  binder->GiveUpOverdue(kNoon + std::chrono::seconds(61));
  ASSERT_EQ(door.deleted.size(), 1U);
  EXPECT_EQ(door.deleted[0], "Pod default/train-0");
}

TEST_F(BinderTest, GroupWhoseRestCanNeverFitStartsAnewToo) {
  Place("train", 2);
  BindPlaced();
  database.Execute(
      "UPDATE pods SET state = 'waiting', node_name = NULL "
      "WHERE pod_name = 'train-1';"
      "UPDATE pod_groups SET state = 'unsatisfiable', first_in_line = true, "
      "went_back_at = allocated_at");
  binder->GiveUpOverdue(kNoon + std::chrono::seconds(61));
  EXPECT_EQ(door.deleted.size(), 1U);
}

TEST_F(BinderTest, GroupThatRanForLongHasTheWholeTimeToBeBoundAgain) {
  Place("train", 2);
  BindPlaced();
  Observe();
  const auto later = kNoon + std::chrono::hours(5);
  cluster::Pod late =
      PodOf({.name = "late", .group = "train", .size = 2, .owner = "train"});
  door.End("default/train-0", cluster::PodPhase::kFailed);
  Observe(later);
  database.Execute(
      "DELETE FROM placements WHERE pod_uid IN (SELECT uid FROM "
      "pods WHERE state = 'failed')");  // its hold has ended
  door.Put(late);
  Observe(later);
  ASSERT_EQ(StateOf("train"), "pending queued");
  binder->GiveUpOverdue(later + std::chrono::seconds(30));
  EXPECT_TRUE(door.deleted.empty());
  binder->GiveUpOverdue(later + std::chrono::seconds(61));
  EXPECT_EQ(door.deleted.size(), 1U);
}

TEST_F(BinderTest, GroupThatChangedMeanwhileIsNotSentBack) {
  Place("train", 2);
  door.before_bind = [this] {
    door.Remove("default/train-1");  // the binding will fail
    database.Execute("UPDATE pod_groups SET revision = revision + 1");
  };
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "2");
}

TEST_F(BinderTest, LateBindingThatCannotBeTakenBackIsRecorded) {
  Place("train", 2);
  SetNode("n0", 64'000, /*cordoned=*/true);
  database.Execute("UPDATE jobs SET attempt = 1 WHERE kind = 'bind'");
  door.LoseEvents();  // of the POST of a binder that was paused
  door.ChangePod("default/train-0",
                 [](cluster::Pod& pod) { pod.node_name = "n0"; });
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(Ask("SELECT state || ' ' || node_name FROM pods WHERE pod_name = "
                "'train-0'"),
            "bound n0");
  EXPECT_EQ(PlacesOf("train"), "n0");
}

}  // namespace
}  // namespace fluxnetes::workers
