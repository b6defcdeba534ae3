#include "queue/runner/test_kit.h"
#include "queue/store/inserter.h"
#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class TestKitTest : public QueueTest {};
class InserterTest : public QueueTest {};

TEST_F(TestKitTest, WorksOneJobNow) {
  Workers workers;
  workers.Add("k", [](RunningJob&) {});
  TestKit kit(database.pool(), workers);
  EXPECT_FALSE(kit.WorkOne());
  const auto event = kit.Work({.kind = "k"});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->kind, EventKind::kCompleted);
  EXPECT_EQ(StateOf(event->job.id), "completed");
}

TEST_F(TestKitTest, TimePassesWhenTheTestSaysSo) {
  Workers workers;
  workers.Add("k", [](RunningJob& job) {
    if (job.job().attempt == 1) job.Snooze(hours(10));
  });
  TestKit kit(database.pool(), workers);
  EXPECT_EQ(kit.Work({.kind = "k"})->kind, EventKind::kSnoozed);
  kit.Advance(hours(9));
  EXPECT_FALSE(kit.WorkOne());
  kit.Advance(hours(1));
  EXPECT_EQ(kit.WorkOne()->kind, EventKind::kCompleted);
}

TEST_F(TestKitTest, ACallbackJobTimesOutByTheStubClock) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); },
                      {.timeout = hours(1)});
  TestKit kit(database.pool(), workers);
  EXPECT_FALSE(kit.Work({.kind = "k"}));
  kit.Advance(hours(1) - milliseconds(1));
  EXPECT_FALSE(kept.at(0).StopRequested());
  kit.Advance(milliseconds(1));
  EXPECT_EQ(kept.at(0).stop_reason(), StopReason::kTimedOut);
  EXPECT_FALSE(kit.Ended());
  kit.Advance(seconds(5));
  EXPECT_EQ(kit.Ended()->kind, EventKind::kFailed);
  EXPECT_FALSE(kept.at(0).Complete());
}

TEST_F(InserterTest, MiddlewareMayChangeWhatIsInserted) {
  std::string order;
  Inserter inserter(
      database.pool(),
      {[&](sql::Transaction&, Inserter::Jobs given, const auto& next) {
         order += "a";
         auto inserted = next(std::move(given));
         order += "A";
         return inserted;
       },
       [&](sql::Transaction&, Inserter::Jobs given, const auto& next) {
         order += "b";
         for (NewJob& job : given) job.priority = 3;
         return next(std::move(given));
       }});
  EXPECT_EQ(inserter.Insert({JobOf("q"), JobOf("q")}).size(), 2u);
  EXPECT_EQ(order, "abA");
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs WHERE priority = 3"), "2");
}

TEST_F(InserterTest, MiddlewareMayRefuse) {
  Inserter inserter(database.pool(),
                    {[](sql::Transaction&, const Inserter::Jobs&,
                        const auto&) -> std::vector<Inserted> {
                      throw std::runtime_error("not here");
                    }});
  EXPECT_THROW(inserter.Insert({JobOf("q")}), std::runtime_error);
  EXPECT_EQ(database.Ask("SELECT count(*) FROM jobs"), "0");
}

}  // namespace
}  // namespace fluxnetes::queue
