// What wakes a runner: notifications with polling, or polling alone; and the
// notifier, which notifies at both edges of a burst.

#include <atomic>
#include <set>

#include "queue/store/job_notifier.h"
#include "sql/connection/listener.h"
#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class RunnerWake : public RunnerTest {
 protected:
  RunnerWake() {
    workers.Add("k", [](RunningJob&) {});
  }
  Workers workers;
};

TEST_F(RunnerWake, TheBellAloneStartsAJob) {
  RunnerOptions options = Options();
  options.poll = hours(1);
  const auto runner = Started(workers, options);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(WaitForState(InsertOne(JobOf("q")), "completed"));
}

TEST_F(RunnerWake, TheTimerUnderneathFindsWhatWasNotAnnounced) {
  RunnerOptions options = Options();
  options.poll = milliseconds(50);
  const auto runner = Started(workers, options);
  sql::Transaction transaction(database.pool());
  const auto id =
      jobs.Insert(transaction, std::vector{JobOf("q")}, false).at(0).id;
  transaction.Commit();
  EXPECT_TRUE(WaitForState(id, "completed"));
}

TEST_F(RunnerWake, InPollOnlyModeNobodyListens) {
  RunnerOptions options = Options();
  options.listen = false;
  options.poll = milliseconds(50);
  const auto runner = Started(workers, options);
  EXPECT_TRUE(WaitForState(InsertOne(JobOf("q")), "completed"));
}

TEST_F(RunnerWake, TheLastInsertOfABurstIsAnnouncedToo) {
  RunnerOptions options = Options();
  options.poll = hours(1);
  const auto runner = Started(workers, options);
  // A long interval: only the first notification precedes it.
  JobNotifier notifier(database.pool(), milliseconds(300));
  notifier.Start();
  WorkQueue announced(database.pool(), &notifier);
  for (int i = 0; i < 20; ++i) announced.Insert(std::vector{JobOf("q")});
  EXPECT_TRUE(WaitForAnswer("SELECT count(*) FROM jobs", "0"));
  notifier.Stop();
}

TEST_F(RunnerWake, ABurstRingsTwiceAndNotForEachInsert) {
  std::atomic<int> rings = 0;
  std::atomic<bool> connected = false;
  sql::Listener listener(database.options());
  listener.On("jobs", [&](const std::string& queue) {
    if (queue.empty()) connected = true;
    if (queue == "q") ++rings;
    if (queue == "end") connected = false;
  });
  listener.Start();
  ASSERT_TRUE(fluxnetes::testing::WaitUntil(kPatience,
                                            [&] { return connected.load(); }));
  JobNotifier notifier(database.pool(), hours(1));
  notifier.Start();
  notifier.Notify("q");
  ASSERT_TRUE(
      fluxnetes::testing::WaitUntil(kPatience, [&] { return rings == 1; }));
  for (int i = 0; i < 100; ++i) notifier.Notify("q");
  notifier.Notify("end");
  notifier.Stop();  // sends what is due
  ASSERT_TRUE(
      fluxnetes::testing::WaitUntil(kPatience, [&] { return !connected; }));
  EXPECT_EQ(rings, 2);
  listener.Stop();
}

}  // namespace
}  // namespace fluxnetes::queue
