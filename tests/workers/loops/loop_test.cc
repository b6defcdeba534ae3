#include "workers/loops/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>
#include <vector>

#include "sql/mutex.h"
#include "tests/support/process.h"

namespace fluxnetes::workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

bool Comes(const std::function<bool()>& condition) {
  return testing::WaitUntil(seconds(60), condition);
}

void NoFailure(const std::string& loop, const std::string& what) {
  ADD_FAILURE() << loop << ": " << what;
}

TEST(Loop, GoesOnWhileThereIsMoreAndAgainWhenItIsRung) {
  std::atomic<int> steps = 0;
  Loop loop(
      {.name = "test", .interval = minutes(10)}, [&] { return ++steps < 3; },
      NoFailure);
  loop.Start();
  EXPECT_TRUE(Comes([&] { return steps == 3 && loop.Idle(); }));
  loop.Ring();
  EXPECT_TRUE(Comes([&] { return steps == 4; }));
  loop.Stop();
  EXPECT_EQ(steps, 4);
}

TEST(Loop, TimerGoesOffByItself) {
  std::atomic<int> steps = 0;
  Loop loop(
      {.name = "test", .interval = milliseconds(1)},
      [&] { return ++steps < 0; }, NoFailure);
  loop.Start();
  EXPECT_TRUE(Comes([&] { return steps >= 3; }));
}

TEST(Loop, WaitsNoLongerThanUntilItIsDue) {
  std::atomic<int> steps = 0;
  Loop loop(
      {.name = "test",
       .interval = minutes(10),
       .due_in = [&]() -> std::optional<milliseconds> {
         if (steps == 1) return milliseconds(1);
         if (steps == 2) return milliseconds(-1);
         return std::nullopt;
       }},
      [&] { return ++steps < 0; }, NoFailure);
  loop.Start();
  EXPECT_TRUE(Comes([&] { return steps == 3 && loop.Idle(); }));
  loop.Stop();
  EXPECT_EQ(steps, 3);
}

TEST(Loop, IsNotIdleWhileItWorks) {
  std::latch begun(1), may_end(1);
  Loop loop(
      {.name = "test", .interval = minutes(10)},
      [&] {
        begun.count_down();
        may_end.wait();
        return false;
      },
      NoFailure);
  EXPECT_FALSE(loop.Idle());
  loop.Start();
  begun.wait();
  EXPECT_FALSE(loop.Idle());
  may_end.count_down();
  EXPECT_TRUE(Comes([&] { return loop.Idle(); }));
}

TEST(Loop, FailureIsToldOnceAndThatItIsOver) {
  sql::Mutex mutex;
  std::vector<std::string> told;
  std::atomic<int> steps = 0;
  Loop loop(
      {.name = "test", .max_back_off = milliseconds(50)},
      [&] {
        if (++steps <= 3) throw std::runtime_error("no database");
        return false;
      },
      [&](const std::string& name, const std::string& what) {
        const sql::MutexLock lock(mutex);
        told.push_back(name + ": " + what);
      });
  loop.Start();
  EXPECT_TRUE(Comes([&] { return steps == 4 && loop.Idle(); }));
  loop.Stop();
  EXPECT_THAT(told, ElementsAre("test: no database", "test: "));
}

TEST(Loop, SaysHowLongItsStepTookAndHowLateItBegan) {
  std::atomic<int> steps = 0;
  std::latch begun(1), may_end(1);
  Loop loop(
      {.name = "test", .interval = minutes(10)},
      [&] {
        if (++steps == 1) {
          begun.count_down();
          may_end.wait();
        }
        return false;
      },
      NoFailure);
  EXPECT_FALSE(loop.counts().took || loop.counts().lag);
  loop.Start();
  begun.wait();
  EXPECT_FALSE(loop.counts().took) << "no step has ended";
  // A ring during a step is answered by the next one.
  const auto rang = std::chrono::steady_clock::now();
  loop.Ring();
  while (std::chrono::steady_clock::now() < rang + milliseconds(30)) {
  }
  may_end.count_down();
  EXPECT_TRUE(Comes([&] { return steps == 2 && loop.Idle(); }));
  EXPECT_GE(*loop.counts().lag, milliseconds(30));
  EXPECT_LT(*loop.counts().took, seconds(60));
  const std::uint64_t runs = loop.counts().runs.Total();
  loop.Stop();
  EXPECT_LE(loop.counts().runs.Total(), runs + 1) << "no ring is left";
}

TEST(Loop, CountsItsRunsAndSaysSinceWhenItFails) {
  std::atomic<int> steps = 0;
  std::latch begun(1), may_end(1);
  Loop loop(
      {.name = "test", .max_back_off = milliseconds(50)},
      [&] {
        if (++steps <= 2) throw std::runtime_error("no database");
        if (steps == 3) {
          begun.count_down();
          may_end.wait();
        }
        return false;
      },
      [](const std::string&, const std::string&) {});
  EXPECT_EQ(loop.counts().runs.Total(), 0U);
  EXPECT_FALSE(loop.counts().last_success || loop.counts().running_since);
  loop.Start();
  begun.wait();
  LoopCounts counts = loop.counts();
  EXPECT_EQ(counts.runs.Total(), 2U);
  EXPECT_EQ(counts.failures, 2U);
  ASSERT_TRUE(counts.failing_since && counts.running_since);
  EXPECT_LT(*counts.failing_since, *counts.running_since);
  EXPECT_FALSE(counts.last_success);
  may_end.count_down();
  EXPECT_TRUE(Comes([&] { return loop.counts().last_success.has_value(); }));
  EXPECT_TRUE(Comes([&] { return loop.Idle(); }));
  loop.Stop();
  counts = loop.counts();
  EXPECT_GE(counts.runs.Total(), 3U);
  EXPECT_EQ(counts.failures, 2U);
  EXPECT_FALSE(counts.failing_since || counts.running_since);
}

}  // namespace
}  // namespace fluxnetes::workers
