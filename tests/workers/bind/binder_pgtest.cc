#include "tests/workers/support/match_fixture.h"

namespace fluxnetes::workers {
namespace {

using ::testing::HasSubstr;

class BinderTest : public MatchTest {
 protected:
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
  EXPECT_EQ(event_recorder.Flush(10), 0U);
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

TEST_F(BinderTest, NothingIsBoundOrSentBackBeforeTheClusterIsListed) {
  Place("train", 3);
  StartIntake();
  StartMatch();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "allocated");
  Observe();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
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
  // The group that still has room is bound, and so is the one after it.
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(NodeOf("train-0"), "");
  EXPECT_EQ(NodeOf("small-0"), "n0");
  EXPECT_THAT(Ask("SELECT reason FROM pod_groups WHERE group_name = 'train'"),
              HasSubstr("node n0 was filled by others meanwhile"));
  Match();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(BinderTest, PodThatWasResizedCountsWithWhatItHasGrownTo) {
  Place("first", 1);
  BindPlaced();
  Observe();
  Place("second", 1);
  const auto resize = [this](std::int64_t cpu) {
    door.ChangePod("default/first-0", [cpu](cluster::Pod& pod) {
      pod.request.resources.cpu_milli = cpu;
    });
    Observe();
  };
  resize(64'000);  // all cpu of n0
  BindPlaced();
  EXPECT_EQ(NodeOf("second-0"), "");
  Match();
  BindPlaced();
  EXPECT_EQ(NodeOf("second-0"), "n1");
  resize(500);  // less than its grant
  Place("third", 1);
  BindPlaced();
  EXPECT_EQ(NodeOf("third-0"), "n0");
}

TEST_F(BinderTest, GroupWhoseBindingIsRefusedIsMatchedAgainAfterAPause) {
  Place("train", 2);
  door.refuses_bindings = "no right to";
  const auto now = std::chrono::time_point_cast<std::chrono::microseconds>(
      std::chrono::system_clock::now());
  BindPlaced(now);
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_THAT(Ask("SELECT reason FROM pod_groups"), HasSubstr("no right to"));
  EXPECT_EQ(Ask("SELECT count(*) FROM placements"), "0");
  EXPECT_EQ(Ask("SELECT j.state FROM jobs j JOIN pod_groups g ON "
                "g.match_job = j.id"),
            "scheduled");
  door.refuses_bindings.clear();
  database.Execute("UPDATE jobs SET scheduled_at = now()");
  jobs->MakeDueAvailable();
  Match();
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
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
  // The watch has not reported it yet: the first POST meets a conflict.
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
    Observe();  // holds the group, patches train-0, releases the places
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

TEST_F(BinderTest, PodsOfAGroupThatGoesBackAreTouched) {
  Place("train", 2);
  SetNode("n0", 64'000, /*cordoned=*/true);
  BindPlaced();
  EXPECT_THAT(door.touched, ::testing::UnorderedElementsAre("default/train-0",
                                                            "default/train-1"));
}

TEST_F(BinderTest, GroupWhosePodsMayNotBeTouchedGoesBackOnlyIfFirstLeased) {
  Place("train", 1);
  Place("other", 1);
  SetNode("n0", 64'000, /*cordoned=*/true);
  door.refuses_touches = "";
  database.Execute(
      "UPDATE jobs SET attempt = 1 WHERE kind = 'bind' AND args->>'group' = "
      "(SELECT id::text FROM pod_groups WHERE group_name = 'other')");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "pending queued");
  EXPECT_EQ(StateOf("other"), "allocated");
  EXPECT_EQ(Jobs("bind"), "1");  // later
  door.refuses_touches.reset();
  database.Execute("UPDATE jobs SET scheduled_at = now() WHERE kind = 'bind'");
  jobs->MakeDueAvailable();
  BindPlaced();
  EXPECT_EQ(StateOf("other"), "pending queued");
}

TEST_F(BinderTest, LateBindingThatCannotBeTakenBackIsRecorded) {
  Place("train", 2);
  SetNode("n0", 64'000, /*cordoned=*/true);
  door.LoseEvents();  // the POST of a paused binder
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
