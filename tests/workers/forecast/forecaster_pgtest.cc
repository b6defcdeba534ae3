// The estimates that people read, from the records on, and their errors.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/invariants/behaviour/manifests.h"
#include "tests/support/whole_system.h"
#include "workers/forecast/forecaster.h"

namespace fluxnetes::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

class ForecasterTest : public ::testing::Test {
 protected:
  ForecasterTest() : begin(system.cluster.Now()) {}

  // Submits a group of pods that fill a node each and end after `limit`
  // seconds.
  void Submit(const std::string& name, int pods, int limit, int runs = 0) {
    system.Submit(GangOf(
        name, pods,
        {.cpu = "4", .seconds = runs == 0 ? limit : runs, .limit = limit}));
  }

  // "a: reserved 60, b: forecast 100": seconds after the beginning, for the
  // waiting groups in order.
  std::string Pending() {
    return system.Ask(fmt::format(
        "SELECT string_agg(format('%s: %s %s', group_name, coalesce(estimate, "
        "'-'), round(extract(epoch FROM estimated_start) - {})), ', ' ORDER BY "
        "position, group_id) FROM pending",
        std::chrono::duration_cast<seconds>(begin.time_since_epoch()).count()));
  }
  std::string Of(const std::string& group, const std::string& column) {
    return system.Ask("SELECT " + column +
                      " FROM pending WHERE group_name = '" + group + "'");
  }

  WholeSystem system{"nodes: [{count: 2, name: node, cpu: 4, memory: 16Gi}]"};
  const cluster::Time begin;
};

TEST_F(ForecasterTest, GroupsInLineAreToldWhenTheyStartAndWhy) {
  system.database.Execute("UPDATE queues SET queue_policy = 'easy'");
  Submit("first", 2, 100);
  system.Settle();
  Submit("head", 2, 50);
  Submit("next", 2, 70);
  Submit("small", 1, 10);
  system.Settle();
  EXPECT_EQ(Pending(),
            "head: reserved 100, next: forecast 150, small: forecast 220");
  EXPECT_EQ(Of("head", "rests_on"), "nodes are reserved for it");
  EXPECT_EQ(Of("next", "rests_on"),
            "default/head starts before it and ends as planned");
  EXPECT_EQ(Of("next", "position"), "2");
}

TEST_F(ForecasterTest, PositionsAreThoseOfTheOrderOfTheQueue) {
  system.database.Execute("UPDATE queues SET queue_order = 'shortest'");
  Submit("first", 2, 100);
  system.Settle();
  Submit("long", 2, 5'000);
  system.Settle();
  Submit("brief", 2, 10);
  Submit("large", 3, 10);  // never fits
  system.Settle();
  EXPECT_EQ(Of("long", "position"), "2");
  EXPECT_EQ(Of("brief", "position"), "1");
  EXPECT_EQ(Of("large", "position"), "NULL");
  Submit("briefer", 2, 5);
  system.Settle();
  EXPECT_EQ(Of("briefer", "position"), "1");
  EXPECT_EQ(Of("long", "position"), "3");
  system.database.Execute(
      "UPDATE pod_groups SET held_at = now() WHERE group_name = 'briefer'");
  system.Settle();
  EXPECT_EQ(Of("briefer", "position"), "NULL");
  EXPECT_EQ(Of("brief", "position"), "1");
  system.database.Execute("UPDATE queues SET paused = true");
  system.Settle();
  EXPECT_EQ(Of("brief", "position"), "1");
  system.database.Execute(
      "UPDATE queues SET paused = false, queue_order = 'arrival'");
  system.Settle();
  EXPECT_EQ(Of("long", "position"), "1");
  EXPECT_EQ(system.Ask("SELECT count(position) FROM estimates"), "0");
}

TEST_F(ForecasterTest, StartsBeyondTheCalendarAreToldAsItsLastSecond) {
  for (const char* name : {"first", "second", "third"}) Submit(name, 2, 100);
  system.Settle();
  system.database.Execute(
      "UPDATE pod_groups SET duration_seconds = 9000000000000 WHERE state = "
      "'pending'; INSERT INTO match_inbox (queue, news, group_id) SELECT "
      "queue, 'changed', id FROM pod_groups WHERE state = 'pending'");
  system.Settle();
  EXPECT_EQ(Of("second", "estimate"), "reserved");
  EXPECT_EQ(Of("third", "extract(epoch FROM estimated_start)::bigint"),
            "253402300799");  // 9999-12-31 23:59:59
}

TEST_F(ForecasterTest, WhatTurnsOutWrongIsCorrected) {
  Submit("first", 2, 100, 30);  // it will end early
  system.Settle();
  Submit("head", 2, 50);
  Submit("next", 2, 70);
  system.Settle();
  EXPECT_EQ(Pending(), "head: reserved 100, next: forecast 150");
  system.Advance(seconds(31));
  EXPECT_EQ(Pending(), "next: reserved 80");
  Submit("ahead", 2, 20);
  system.database.Execute(
      "UPDATE pod_groups SET priority = 7 WHERE group_name = 'ahead'");
  system.Settle();
  EXPECT_EQ(system.Ask("SELECT round(extract(epoch FROM first_starts_at) - "
                       "extract(epoch FROM starts_at)) FROM estimates AS e "
                       "JOIN pod_groups AS g ON g.id = e.group_id WHERE "
                       "group_name = 'next'"),
            "70");
}

TEST_F(ForecasterTest, EstimatesEndWithTheirGroupAndTheirErrorIsKept) {
  Submit("first", 2, 100, 40);
  system.Settle();
  Submit("next", 2, 50);
  system.Settle();
  ASSERT_EQ(Pending(), "next: reserved 100");
  system.RunToEnd();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM estimates"), "0");
  EXPECT_EQ(system.Ask("SELECT first_estimate IS NULL FROM group_history WHERE "
                       "group_name = 'first'"),
            "t");
  EXPECT_EQ(system.Ask("SELECT round(extract(epoch FROM allocated_at - "
                       "first_estimate)) FROM group_history WHERE group_name = "
                       "'next'"),
            "-60");
  EXPECT_EQ(system.database.AskAll(
                "SELECT queue, estimate, horizon, groups, round(mean), "
                "round(p50), round(p95), round(bias) FROM estimate_errors "
                "ORDER BY estimate"),
            "default|first|00:01:00|1|60|60|60|-60\n"
            "default|last|00:01:00|1|60|60|60|-60");
}

TEST_F(ForecasterTest, WhatGoesAsPlannedStartsWhenItWasFirstSaid) {
  Submit("first", 2, 60);
  system.Settle();
  for (int i = 0; i < 5; ++i) Submit(fmt::format("g{}", i), 1 + i % 2, 30);
  system.Settle();
  system.RunToEnd();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM group_history WHERE "
                       "first_estimate IS NOT NULL"),
            "5");
  EXPECT_EQ(system.Ask("SELECT max(p95) < 1.5 FROM estimate_errors"), "t")
      << system.database.AskAll(
             "SELECT group_name, allocated_at, first_estimate, last_estimate "
             "FROM group_history");
}

TEST_F(ForecasterTest, GroupsThatNoTimeIsKnownOfAreToldWhy) {
  system.Submit(GangOf("service", 2, {.cpu = "4", .seconds = 1'000}));
  system.Settle();
  Submit("waits", 2, 10);
  Submit("behind", 1, 10);
  system.Settle();
  EXPECT_EQ(Of("behind", "estimated_start IS NULL AND estimate IS NULL"), "t");
  EXPECT_THAT(Of("behind", "rests_on"),
              HasSubstr("default/service among them"));
}

TEST_F(ForecasterTest, HeldAndPausedGroupsAreToldNothing) {
  Submit("first", 2, 100);
  system.Settle();
  Submit("next", 2, 50);
  Submit("small", 2, 50);
  system.Settle();
  ASSERT_EQ(Pending(), "next: reserved 100, small: forecast 150");
  system.database.Execute(
      "UPDATE pod_groups SET held_at = submitted_at WHERE group_name = "
      "'small'");
  EXPECT_EQ(Pending(), "next: reserved 100, small: - ");  // at once
  EXPECT_EQ(Of("small", "position IS NULL"), "t");
  system.Settle();
  EXPECT_EQ(Pending(), "next: reserved 100, small: - ");
  system.database.Execute("UPDATE queues SET paused = true");
  system.Settle();
  EXPECT_EQ(Pending(), "next: - , small: - ");
  EXPECT_EQ(Of("next", "rests_on IS NULL"), "t");
  system.database.Execute("UPDATE queues SET paused = false");
  system.Settle();
  EXPECT_EQ(Pending(), "next: reserved 100, small: - ");
}

TEST_F(ForecasterTest, ReplicaThatDoesNotOwnTheQueueWritesNothing) {
  Submit("first", 2, 100);
  system.Settle();
  Submit("next", 2, 50);
  Submit("small", 2, 50);
  system.Settle();
  SchedulerProcess other(system.database.options(), system.cluster);
  other.intake.RunOnce(system.cluster.Now());
  int looks = 0;
  workers::Forecaster idle(
      other.pool, other.client, other.cache,
      {.interval = {}, .on_look = [&](const auto&, const auto&) { ++looks; }});
  idle.Own({"default"}, true);
  system.database.Execute("DELETE FROM estimates");
  idle.RunOnce(system.cluster.Now());
  EXPECT_EQ(looks, 0);
  EXPECT_EQ(system.Ask("SELECT count(*) FROM estimates"), "0");
}

TEST_F(ForecasterTest, OwnerThatIsDeposedWhileItLooksWritesNothing) {
  Submit("first", 2, 100);
  system.Settle();
  Submit("next", 2, 50);
  system.Settle();
  system.database.Execute("DELETE FROM estimates");
  SchedulerProcess& process = *system.process;
  workers::Forecaster again(process.pool, process.client, process.cache,
                            {.interval = {}});
  again.Own({"default"}, true);
  sql::Transaction takeover(system.database.pool());
  takeover.RunScript("UPDATE leaders SET term = term + 1");
  std::thread looks([&] { again.RunOnce(system.cluster.Now()); });
  // It has read, and now waits for the lock before it writes.
  while (system.Ask("SELECT count(*) FROM pg_stat_activity WHERE "
                    "wait_event_type = 'Lock' AND query LIKE '%FOR SHARE%'") ==
         "0")
    std::this_thread::yield();
  takeover.Commit();
  looks.join();
  EXPECT_EQ(system.Ask("SELECT count(*) FROM estimates"), "0");
}

TEST_F(ForecasterTest, GroupThatIsBeingChangedIsNotWaitedForButComesNext) {
  Submit("first", 2, 100);
  system.Settle();
  Submit("next", 2, 50);
  Submit("small", 1, 50);
  system.Settle();
  system.database.Execute("DELETE FROM estimates");
  SchedulerProcess& process = *system.process;
  workers::Forecaster again(process.pool, process.client, process.cache,
                            {.interval = {}});
  again.Own({"default"}, true);
  sql::Transaction change(system.database.pool());
  change.RunScript(
      "SELECT FROM pod_groups WHERE group_name = 'next' FOR UPDATE");
  again.RunOnce(system.cluster.Now());
  EXPECT_EQ(system.Ask("SELECT count(*) FROM estimates"), "1");
  change.Commit();
  again.RunOnce(system.cluster.Now());
  EXPECT_EQ(system.Ask("SELECT count(*) FROM estimates"), "2");
}

TEST_F(ForecasterTest, NothingIsWrittenWhereNothingHasChanged) {
  Submit("first", 2, 100);
  system.Settle();
  Submit("next", 2, 50);
  Submit("small", 2, 50);
  system.Settle();
  std::vector<std::size_t> written;
  workers::Forecaster again(
      system.process->pool, system.process->client, system.process->cache,
      {.interval = {}, .on_look = [&](const auto&, const auto& cost) {
         written.push_back(cost.written);
       }});
  again.Own({"default"}, true);
  again.RunOnce(system.cluster.Now());
  EXPECT_EQ(written, (std::vector<std::size_t>{0}));
  again.RunOnce(system.cluster.Now());  // it makes no forecast
  EXPECT_EQ(written.size(), 1U);
  // An expected event has not happened, and no event reported that.
  again.RunOnce(system.cluster.Now() + seconds(103));
  EXPECT_EQ(written.size(), 2U);
  EXPECT_GT(written.back(), 0U);
}

TEST_F(ForecasterTest, LookThatTakesLongGoesOnInSlices) {
  Submit("first", 2, 100);
  system.Settle();
  for (int i = 0; i < 30; ++i) Submit(fmt::format("g{:02}", i), 2, 10);
  system.Settle();
  const std::string all =
      "SELECT string_agg(format('%s %s %s', group_id, "
      "starts_at, approximate), ', ' ORDER BY group_id) "
      "FROM estimates";
  const std::string expected = system.Ask(all);
  EXPECT_EQ(system.Ask("SELECT count(*) FROM estimates WHERE NOT approximate"),
            "30");
  system.database.Execute("DELETE FROM estimates");
  SchedulerProcess& process = *system.process;
  workers::Forecaster slow(process.pool, process.client, process.cache,
                           {.interval = {}, .near = {}, .slice = {}});
  slow.Own({"default"}, true);
  ASSERT_TRUE(slow.RunOnce(system.cluster.Now()));
  EXPECT_NE(system.Ask(all), expected);
  int slices = 0;
  while (slow.RunOnce(system.cluster.Now())) ++slices;
  EXPECT_GT(slices, 10);
  EXPECT_EQ(system.Ask(all), expected);
}

}  // namespace
}  // namespace fluxnetes::testing
