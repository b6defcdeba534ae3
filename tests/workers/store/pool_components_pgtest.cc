// Two components that share a pool of the cluster: each is a store of its own,
// and the test determines what happens between a decision and its commit.
#include <gmock/gmock.h>

#include <stdexcept>

#include "sql/faults.h"
#include "tests/workers/support/match_fixture.h"
#include "workers/store/match_store.h"

namespace fluxnetes::workers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PoolComponentsTest : public LifecycleTest {
 protected:
  PoolComponentsTest() {
    database.Execute(
        "INSERT INTO queues (name) VALUES ('other');"
        "INSERT INTO pools (name, total) VALUES ('a', 3)");
    Waiting("ours", "default");
    Waiting("theirs", "other");
    ObserveAndPromote();
    for (Component* each : {&ours_, &theirs_}) {
      each->client.Register();
      if (!each->store.Acquire())
        throw std::logic_error("a component is not to be had");
      each->store.Load(each->schedule.requests());
      each->Take();
    }
  }

  void Waiting(const std::string& name, const std::string& queue) {
    cluster::Pod pod = PodOf({.name = name, .group = name, .owner = name});
    pod.labels["fluxnetes.queue"] = queue;
    pod.labels["fluxnetes.pool/a"] = "2";
    door.Put(pod);
  }

  struct Component {
    Component(sql::Pool& pool, queue::WorkQueue& jobs, const char* queue)
        : client(pool, {.time_to_live = std::chrono::minutes(5)}),
          store(pool, jobs, client, {queue}) {}

    MatchStore::News Take() {
      MatchStore::News news = store.Take(schedule.requests(), {});
      for (const PendingGroup& group : news.waiting)
        decision.placed = {
            {group.id,
             group.revision,
             group.job_id,
             group.job_attempt,
             group.queue,
             1'000,
             1'500,
             {{group.members[0].uid, "n0", group.members[0].request}},
             {},
             {},
             group.topology.pools}};
      return news;
    }

    // Decides a reservation, or a drain set, in place of the placement.
    void Reserve(std::optional<matcher::Time> start) {
      const Placed placed = decision.placed.at(0);
      decision.placed.clear();
      decision.reserved = {{placed.group, placed.queue, start, {"n0"}, {}, {}}};
    }

    queue::Client client;
    PostgresMatchStore store;
    Schedule schedule;
    Decision decision;
  };

  Component ours_{database.pool(), *jobs, "default"};
  Component theirs_{database.pool(), *jobs, "other"};
};

TEST_F(PoolComponentsTest, PodsSayWhatTheGroupNeeds) {
  ASSERT_EQ(ours_.decision.placed.size(), 1U);
  EXPECT_EQ(ours_.decision.placed[0].pools, (cluster::PoolAmounts{{"a", 2}}));
  EXPECT_EQ(Ask("SELECT pools ->> 'a' FROM pod_groups LIMIT 1"), "2");
}

TEST_F(PoolComponentsTest, WhatAnotherHasTakenSinceIsNotTakenAgain) {
  EXPECT_THAT(ours_.store.Commit(ours_.decision, kNoon), IsEmpty());
  const GroupId theirs = theirs_.decision.placed[0].group;
  EXPECT_THAT(theirs_.store.Commit(theirs_.decision, kNoon),
              ElementsAre(theirs));
  EXPECT_EQ(StateOf("theirs"), "pending queued");
  EXPECT_EQ(Ask("SELECT held FROM pool_use"), "2");
  // It is told what it did not know, and decides again.
  const auto news = theirs_.Take();
  ASSERT_TRUE(news.pools_elsewhere);
  ASSERT_EQ(news.pools_elsewhere->size(), 1U);
  EXPECT_EQ(news.pools_elsewhere->at(0).end, 1'500);
  EXPECT_EQ(news.pools_elsewhere->at(0).pools,
            (cluster::PoolAmounts{{"a", 2}}));
  EXPECT_EQ(news.waiting.size(), 1U);
  // The decision of one that knows is committed.
  EXPECT_THAT(theirs_.store.Commit(theirs_.decision, kNoon), IsEmpty());
}

TEST_F(PoolComponentsTest, GroupsWithoutThePoolAreCommittedAllTheSame) {
  ours_.store.Commit(ours_.decision, kNoon);
  theirs_.decision.placed[0].pools.clear();
  EXPECT_THAT(theirs_.store.Commit(theirs_.decision, kNoon), IsEmpty());
}

TEST_F(PoolComponentsTest, FirstReservationOfAPoolIsKeptInAllComponents) {
  ours_.Reserve(2'000);
  ours_.store.Commit(ours_.decision, kNoon);
  // A placement by one that does not know it is dropped.
  const GroupId theirs = theirs_.decision.placed[0].group;
  EXPECT_THAT(theirs_.store.Commit(theirs_.decision, kNoon),
              ElementsAre(theirs));
  const auto news = theirs_.Take();
  ASSERT_TRUE(news.pools_elsewhere);
  ASSERT_EQ(news.pools_elsewhere->size(), 1U);
  EXPECT_EQ(news.pools_elsewhere->at(0).start, 2'000);
  EXPECT_EQ(news.pools_elsewhere->at(0).end, std::nullopt);
  EXPECT_EQ(news.pools_elsewhere->at(0).pools,
            (cluster::PoolAmounts{{"a", 2}}));
  // A second reservation is of no concern to the first.
  theirs_.Reserve(3'000);
  theirs_.store.Commit(theirs_.decision, kNoon);
  EXPECT_EQ(Ask("SELECT count(*) FROM reservations"), "2");
  EXPECT_FALSE(ours_.Take().pools_elsewhere);
  EXPECT_FALSE(theirs_.Take().pools_elsewhere);
  // By priority, another one is the first.
  database.Execute("UPDATE pod_groups SET priority = 5 WHERE id = " +
                   std::to_string(theirs));
  const auto changed = ours_.Take();
  ASSERT_TRUE(changed.pools_elsewhere);
  EXPECT_EQ(changed.pools_elsewhere->at(0).start, 3'000);
  EXPECT_THAT(*theirs_.Take().pools_elsewhere, IsEmpty());
}

TEST_F(PoolComponentsTest, DrainSetKeepsThePoolFromTheBeginning) {
  ours_.Reserve(std::nullopt);
  ours_.store.Commit(ours_.decision, kNoon);
  const auto news = theirs_.Take();
  ASSERT_TRUE(news.pools_elsewhere);
  ASSERT_EQ(news.pools_elsewhere->size(), 1U);
  EXPECT_LE(
      news.pools_elsewhere->at(0).start,
      std::chrono::duration_cast<std::chrono::seconds>(kNoon.time_since_epoch())
              .count() +
          60);
  EXPECT_EQ(news.pools_elsewhere->at(0).end, std::nullopt);
}

#ifdef FLUXNETES_FAULTS
TEST_F(PoolComponentsTest, WithoutTheCheckBothWouldTakeIt) {
  sql::PlantBug("pool-shared");
  ours_.store.Commit(ours_.decision, kNoon);
  theirs_.store.Commit(theirs_.decision, kNoon);
  sql::PlantBug("");
  EXPECT_EQ(Ask("SELECT held FROM pool_use"), "4");
}
#endif

TEST_F(PoolComponentsTest, AChangeOfPoolsReachesAllQueues) {
  database.Execute("UPDATE pools SET total = 5");
  for (Component* each : {&ours_, &theirs_}) {
    const auto news = each->store.Take(each->schedule.requests(), {});
    ASSERT_TRUE(news.pools);
    EXPECT_THAT(*news.pools, ElementsAre(Pool{"a", 5}));
  }
}

TEST_F(PoolComponentsTest, ATakeoverReadsWhatIsHeldHereAndElsewhere) {
  ours_.store.Commit(ours_.decision, kNoon);
  const auto own = ours_.store.Load(ours_.schedule.requests());
  ASSERT_EQ(own.held.size(), 1U);
  EXPECT_EQ(own.held[0].pools, (cluster::PoolAmounts{{"a", 2}}));
  EXPECT_THAT(*own.pools_elsewhere, IsEmpty());
  const auto other = theirs_.store.Load(theirs_.schedule.requests());
  ASSERT_EQ(other.pools_elsewhere->size(), 1U);
}

}  // namespace
}  // namespace fluxnetes::workers
