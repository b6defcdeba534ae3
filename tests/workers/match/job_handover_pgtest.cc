// Match and bind jobs pass from one loop of a process to the next without a
// lease (queue::Handover).

#include "tests/workers/support/match_fixture.h"

namespace fluxnetes::workers {
namespace {

class JobHandoverTest : public MatchTest {
 protected:
  // The match leads its queue from its first run on.
  JobHandoverTest() {
    hands_over = true;
    StartMatch();
    Match();
  }

  void PromoteByHandover() {
    Observe();
    Promoter handing(database.pool(), *jobs,
                     Promoter::Options{.handover = &match->handover});
    while (handing.RunOnce(kNoon)) {
    }
  }
  std::string JobsOf(const std::string& queue) {
    return AskAll("SELECT state, attempt, client_id = " +
                  std::to_string(match->client.id()) +
                  " FROM jobs WHERE queue = '" + queue + "' ORDER BY id");
  }
  // Another process takes the place of this one, whose heartbeat is late.
  void Replace() {
    database.Execute(
        "UPDATE clients SET heartbeat_at = '-infinity' WHERE id = " +
        std::to_string(match->client.id()));
    dead = std::move(match);
    StartMatch();
  }

  std::unique_ptr<MatchProcess> dead;
};

TEST_F(JobHandoverTest, MatchJobIsLeasedWhenTheGroupIsPromoted) {
  CreateGang("train", 3);
  PromoteByHandover();
  EXPECT_EQ(JobsOf("match:default"), "running|1|t");
  EXPECT_EQ(StateOf("train"), "pending queued");
  Match();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(JobsOf("match:default"), "");
  EXPECT_EQ(Ask("SELECT attempt FROM jobs_finished WHERE kind = 'match'"), "1");
}

TEST_F(JobHandoverTest, MatchJobIsLeftInTheTableIfAnotherProcessMatches) {
  Replace();
  Match();
  CreateGang("train", 3);
  Observe();
  Promoter of_the_dead(database.pool(), *jobs,
                       Promoter::Options{.handover = &dead->handover});
  EXPECT_FALSE(of_the_dead.RunOnce(kNoon));
  EXPECT_EQ(JobsOf("match:default"), "available|0|NULL");
  Match();
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(JobHandoverTest, JobsOfTheTableAreFoundBesideThoseHandedOver) {
  CreateGang("waits", 2);
  ObserveAndPromote();
  CreateGang("train", 3);
  PromoteByHandover();
  EXPECT_EQ(JobsOf("match:default"), "available|0|NULL\nrunning|1|t");
  Match();
  EXPECT_EQ(StateOf("waits"), "allocated");
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(JobHandoverTest, NewOwnerMatchesWhatADeadOneWasHanded) {
  CreateGang("train", 3);
  PromoteByHandover();
  Replace();
  Match();
  EXPECT_EQ(StateOf("train"), "allocated");
}

TEST_F(JobHandoverTest, StateThatIsLoadedAgainHasEachGroupOnce) {
  CreateGang("train", 3);
  PromoteByHandover();
  match->worker.Stop();  // the job goes back; what was handed over is stale
  Match();
  EXPECT_EQ(StateOf("train"), "allocated");
  EXPECT_EQ(Ask("SELECT count(*) FROM allocations"), "1");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

TEST_F(JobHandoverTest, BindJobIsLeasedWhenThePlacementIsWritten) {
  Place("train", 3);
  EXPECT_EQ(JobsOf("bind"), "running|1|t");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
  EXPECT_EQ(JobsOf("bind"), "");
  EXPECT_EQ(Ask("SELECT attempt FROM jobs_finished WHERE kind = 'bind'"), "1");
}

TEST_F(JobHandoverTest,
       AnotherProcessBindsWhatThisOneCannotReachTheClusterFor) {
  const auto binder_of = [this](MatchProcess& process) {
    return Binder(database.pool(), *jobs, process.client, door, *cache,
                  Binder::Options{.batch = 1, .handover = &process.handover});
  };
  Place("one", 1);
  Place("two", 1);
  Binder cut_off = binder_of(*match);
  door.reachable = false;
  EXPECT_THROW(cut_off.RunOnce(kNoon), cluster::Unreachable);
  Place("three", 1);
  door.reachable = true;
  EXPECT_EQ(Ask("SELECT count(*) FROM jobs WHERE queue = 'bind' AND "
                "client_id IS NULL"),
            "3");
  database.Execute("UPDATE jobs SET scheduled_at = now() WHERE kind = 'bind'");
  jobs->MakeDueAvailable();
  MatchProcess other(database.pool(), *jobs, *cache, /*hands_over=*/true);
  Binder elsewhere = binder_of(other);
  while (elsewhere.RunOnce(kNoon)) {
  }
  for (const char* const group : {"one", "two", "three"})
    EXPECT_EQ(StateOf(group), "bound") << group;
}

TEST_F(JobHandoverTest, AnotherProcessBindsWhatADeadOneHadForItself) {
  Place("train", 3);
  Replace();
  EXPECT_EQ(jobs->Rescue(), 1);
  EXPECT_EQ(JobsOf("bind"), "available|1|NULL");
  BindPlaced();
  EXPECT_EQ(StateOf("train"), "bound");
}

}  // namespace
}  // namespace fluxnetes::workers
