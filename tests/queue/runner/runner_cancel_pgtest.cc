// Stop requests to a running job, and the end of one that ignores them.

#include <atomic>
#include <optional>

#include "tests/queue/runner/runner_fixture.h"

namespace fluxnetes::queue {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

class RunnerCancel : public RunnerTest {
 protected:
  // Options whose timers are too long to detect the request in time.
  static RunnerOptions ByBell() {
    RunnerOptions options = Options();
    options.client.heartbeat = std::chrono::minutes(4);
    options.poll = hours(1);
    return options;
  }
};

void WaitToBeStopped(RunningJob& job) {
  Gate gate;
  const std::stop_callback open(job.stop_token(), [&] { gate.Open(); });
  gate.Pass();
}

TEST_F(RunnerCancel, ACancelReachesARunningJobOnWhateverClient) {
  Workers workers;
  Gate gate;
  std::atomic<StopReason> reason = StopReason::kNone;
  gate.Open();
  workers.Add("k", [&](RunningJob& job) {
    gate.Pass();
    WaitToBeStopped(job);
    reason = job.stop_reason();
    throw std::runtime_error("stopped");
  });
  const auto one = Started(workers, ByBell());
  const auto two = Started(workers, ByBell());
  const auto first = InsertOne(JobOf("q"));
  const auto second = InsertOne(JobOf("q"));
  ASSERT_TRUE(gate.WaitFor(2));
  CancelJob(first);
  CancelJob(second);
  EXPECT_TRUE(WaitForState(first, "cancelled"));
  EXPECT_TRUE(WaitForState(second, "cancelled"));
  EXPECT_EQ(reason, StopReason::kAsked);
}

TEST_F(RunnerCancel, WithoutABellItComesWithTheHeartbeat) {
  Workers workers;
  workers.Add("k", [&](RunningJob& job) {
    WaitToBeStopped(job);
    job.Cancel();
  });
  RunnerOptions options = Options();
  options.listen = false;
  options.client.heartbeat = milliseconds(20);
  const auto runner = Started(workers, options);
  const auto id = InsertOne(JobOf("q"));
  ASSERT_TRUE(WaitForState(id, "running"));
  CancelJob(id);
  EXPECT_TRUE(WaitForState(id, "cancelled"));
}

TEST_F(RunnerCancel, AWorkerThatWasDoneAllTheSameHasCompletedItsJob) {
  Workers workers;
  Gate gate;
  gate.Open();
  workers.Add("k", [&](RunningJob& job) {
    gate.Pass();
    WaitToBeStopped(job);
  });
  const auto runner = Started(workers, ByBell());
  const auto id = InsertOne(JobOf("q"));
  ASSERT_TRUE(gate.WaitFor(1));
  CancelJob(id);
  EXPECT_TRUE(WaitForState(id, "completed"));
}

TEST_F(RunnerCancel, AJobTimesOut) {
  Workers workers;
  workers.Add("k",
              [&](RunningJob& job) {
                WaitToBeStopped(job);
                EXPECT_EQ(job.stop_reason(), StopReason::kTimedOut);
                throw std::runtime_error("gave up");
              },
              {.timeout = milliseconds(5)});
  const auto runner = Started(workers);
  const auto events = runner->Subscribe();
  const auto id = InsertOne(JobOf("q"));
  EXPECT_TRUE(WaitForState(id, "retryable"));
  EXPECT_EQ(ErrorOf(id), "timed out: gave up");
  const auto event = events->Next(kPatience);
  ASSERT_TRUE(event);
  EXPECT_GE(event->ran, milliseconds(5));
}

TEST_F(RunnerCancel, ACallbackJobTimesOutToo) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); });
  RunnerOptions options = Options();
  options.timeout = milliseconds(5);
  options.abandon_after = hours(1);
  const auto runner = Started(workers, options);
  const auto id = InsertOne(JobOf("q"));
  ASSERT_TRUE(kept.WaitFor(1));
  EXPECT_TRUE(fluxnetes::testing::WaitUntil(
      kPatience, [&] { return kept.at(0).StopRequested(); }));
  kept.TakeAll();
  EXPECT_TRUE(WaitForState(id, "retryable"));
}

TEST_F(RunnerCancel, AWorkerThatIgnoresItIsAbandonedAndItsSlotGivenOn) {
  Workers workers;
  Gate gate;
  std::atomic<bool> late = false;
  std::atomic<bool> said = true;
  workers.Add("deaf",
              [&](RunningJob& job) {
                gate.Pass();
                said = job.Complete();
                late = true;
              },
              {.timeout = milliseconds(5)});
  workers.Add("k", [](RunningJob&) {});
  RunnerOptions options = Options(1);
  options.abandon_after = milliseconds(5);
  const auto runner = Started(workers, options);
  const auto deaf = InsertOne(JobOf("q", "deaf"));
  const auto next = InsertOne(JobOf("q"));
  EXPECT_TRUE(WaitForState(deaf, "retryable"));
  EXPECT_EQ(ErrorOf(deaf),
            "timed out: its worker did not stop and was abandoned");
  EXPECT_TRUE(WaitForState(next, "completed"));
  gate.Open();
  EXPECT_TRUE(
      fluxnetes::testing::WaitUntil(kPatience, [&] { return late.load(); }));
  EXPECT_FALSE(said);
  EXPECT_EQ(StateOf(deaf), "retryable");
}

TEST_F(RunnerCancel, AClientThatWasTakenForDeadStopsWhatItRan) {
  Workers workers;
  Kept kept;
  workers.AddCallback("k", [&](RunningJob job) { kept.Keep(std::move(job)); });
  RunnerOptions options = Options();
  options.client.heartbeat = milliseconds(20);
  const auto runner = Started(workers, options);
  const auto id = InsertOne(JobOf("q"));
  ASSERT_TRUE(kept.WaitFor(1));
  const auto before = runner->client_id();
  database.Execute("UPDATE clients SET heartbeat_at = '-infinity'");
  EXPECT_TRUE(fluxnetes::testing::WaitUntil(
      kPatience, [&] { return kept.at(0).StopRequested(); }));
  EXPECT_EQ(kept.at(0).stop_reason(), StopReason::kLost);
  EXPECT_NE(runner->client_id(), before);
  jobs.Rescue();
  ASSERT_TRUE(kept.WaitFor(2));
  EXPECT_EQ(kept.at(1).job().attempt, 2);
  kept.at(0).Complete();
  kept.at(1).Fail("the second counts");
  EXPECT_TRUE(WaitForState(id, "retryable"));
  kept.TakeAll();
}

}  // namespace
}  // namespace fluxnetes::queue
