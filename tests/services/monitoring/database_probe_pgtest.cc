#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "queue/catalogue.h"
#include "queue/clients/client.h"
#include "queue/clients/leadership.h"
#include "queue/store/work_queue.h"
#include "services/monitoring/database_probe.h"
#include "tests/services/support/command_database.h"
#include "tests/support/process.h"

namespace fluxnetes::services {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::pair<std::string, std::string> Well() { return {"", ""}; }
std::int64_t Nobody() { return 0; }

class DatabaseProbeTest : public CommandDatabase {
 protected:
  std::vector<std::string> GroupsOf(const DatabaseSample& sample) {
    std::vector<std::string> lines;
    for (const auto& groups : sample.groups)
      lines.push_back(groups.queue + " " + groups.state + " " + groups.reason +
                      " " + std::to_string(groups.count));
    return lines;
  }
  std::vector<std::string> JobsOf(const DatabaseSample& sample) {
    std::vector<std::string> lines;
    for (const auto& jobs : sample.jobs)
      lines.push_back(jobs.kind + " " + jobs.state + " " +
                      std::to_string(jobs.count) +
                      (jobs.oldest ? " with an age" : ""));
    return lines;
  }
};

TEST_F(DatabaseProbeTest, CountsGroupsByStateAndReasonAndJobsByKindAndState) {
  AddExampleGroups();
  database_.Execute("DELETE FROM jobs");
  database_.UseCatalogues({queue::Catalogue()});
  queue::WorkQueue(database_.pool())
      .Insert(std::vector<queue::NewJob>{
          {.kind = "match", .queue = "default"},
          {.kind = "match", .queue = "default"},
          {.kind = "bind",
           .queue = "bind",
           .scheduled_at = sql::Timestamp(
               std::chrono::sys_days(std::chrono::year(2100) / 1 / 1))}});
  DatabaseProbe probe(database_.options(), Well, Nobody);
  const auto sample = probe.Look(minutes(1));
  EXPECT_EQ(sample->problem, "");
  EXPECT_THAT(GroupsOf(*sample),
              UnorderedElementsAre("default bound  1", "default pending own 1",
                                   "default pending room 1",
                                   "default unsatisfiable unsatisfiable 1",
                                   "default provisional  1"));
  for (const auto& groups : sample->groups) {
    EXPECT_GE(groups.oldest, 50) << groups.state;
  }
  EXPECT_THAT(JobsOf(*sample),
              ElementsAre("bind scheduled 1", "match available 2 with an age"));
}

TEST_F(DatabaseProbeTest, KnowsWhatThisProcessLeadsAndWhoIsAlive) {
  database_.UseCatalogues({queue::Catalogue()});
  queue::Client client(database_.pool(), {});
  queue::Client other(database_.pool(), {});
  client.Register();
  other.Register();
  queue::Leadership intake(database_.pool(), client, "intake");
  queue::Leadership match(database_.pool(), other, "match:default");
  ASSERT_TRUE(intake.TryAcquire() && match.TryAcquire());
  DatabaseProbe probe(database_.options(), Well, [&] { return client.id(); });
  const auto sample = probe.Look(minutes(1));
  EXPECT_TRUE(sample->registered);
  EXPECT_EQ(sample->replicas, 2);
  EXPECT_THAT(sample->leads, ElementsAre("intake"));
  database_.Execute(
      "UPDATE clients SET heartbeat_at = now() - '1 hour'::interval"
      " WHERE id = " +
      std::to_string(client.id()));
  DatabaseProbe later(database_.options(), Well, [&] { return client.id(); });
  EXPECT_FALSE(later.Look(minutes(1))->registered);
  client.Stop();
  other.Stop();
}

TEST_F(DatabaseProbeTest, IsAskedOnceASecondHoweverManyLook) {
  std::atomic<int> asked = 0;
  DatabaseProbe probe(
      database_.options(),
      [&]() -> std::pair<std::string, std::string> {
        ++asked;
        return {"", "it is older than this program"};
      },
      Nobody);
  probe.Look(minutes(1));
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::jthread> lookers;
  for (int i = 0; i < 8; ++i)
    lookers.emplace_back([&] {
      for (int look = 0; look < 1'000; ++look) probe.Look();
    });
  lookers.clear();
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(asked, 2 + took / seconds(1));
  EXPECT_EQ(probe.counts().statements.Total(), 0U);
}

TEST_F(DatabaseProbeTest, DoesNotWaitForADatabaseThatIsAway) {
  std::atomic<bool> may_answer = false;
  DatabaseProbe probe(
      database_.options(),
      [&]() -> std::pair<std::string, std::string> {
        may_answer.wait(false);
        return {"it is away", ""};
      },
      Nobody);
  EXPECT_EQ(probe.Look(std::chrono::milliseconds(1))->asked_at,
            DatabaseSample::Clock::time_point{});
  may_answer = true;
  may_answer.notify_all();
  const auto sample = probe.Look(minutes(1));
  EXPECT_EQ(sample->problem, "it is away");
  EXPECT_THAT(sample->groups, IsEmpty());
}

TEST_F(DatabaseProbeTest, KeepsItsFiguresWhenTheDatabaseFails) {
  AddExampleGroups();
  DatabaseProbe probe(database_.options(), Well, Nobody);
  const auto before = probe.Look(minutes(1));
  ASSERT_TRUE(before->counted_at);
  database_.Execute("ALTER TABLE clients RENAME TO moved");
  std::shared_ptr<const DatabaseSample> after = before;
  EXPECT_TRUE(testing::WaitUntil(seconds(60), [&] {
    after = probe.Look();
    return !after->problem.empty();
  }));
  EXPECT_EQ(after->groups.size(), before->groups.size());
  EXPECT_EQ(after->counted_at, before->counted_at);
  database_.Execute("ALTER TABLE moved RENAME TO clients");
}

}  // namespace
}  // namespace fluxnetes::services
