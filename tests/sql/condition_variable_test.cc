#include "sql/condition_variable.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace fluxnetes::sql {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(ConditionVariable, WaitEndsWhenAnotherThreadNotifies) {
  Mutex mutex;
  ConditionVariable changed;
  bool ready = false;
  std::jthread other([&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.NotifyOne();
  });
  const MutexLock lock(mutex);
  while (!ready) changed.Wait(mutex);
  EXPECT_TRUE(ready);
}

TEST(ConditionVariable, WaitUntilEndsWhenAnotherThreadNotifies) {
  Mutex mutex;
  ConditionVariable changed;
  bool ready = false;
  std::jthread other([&] {
    const MutexLock lock(mutex);
    ready = true;
    changed.NotifyAll();
  });
  const auto until = steady_clock::now() + std::chrono::minutes(1);
  const MutexLock lock(mutex);
  while (!ready && changed.WaitUntil(mutex, until)) {
  }
  EXPECT_TRUE(ready);
}

TEST(ConditionVariable, WaitUntilEndsAtItsTime) {
  Mutex mutex;
  ConditionVariable changed;
  const auto until = steady_clock::now() + milliseconds(20);
  const MutexLock lock(mutex);
  while (changed.WaitUntil(mutex, until)) {
  }
  EXPECT_GE(steady_clock::now(), until);
}

TEST(ConditionVariable, ATimeThatHasPassedIsNotWaitedFor) {
  Mutex mutex;
  ConditionVariable changed;
  const MutexLock lock(mutex);
  EXPECT_FALSE(changed.WaitUntil(mutex, steady_clock::now()));
}

// The thread that ends the wait needs the mutex, and so does the code after it.
TEST(ConditionVariable, AWaitReleasesTheMutexAndHoldsItAgain) {
  Mutex mutex;
  ConditionVariable changed;
  int turn = 0;
  std::jthread other([&] {
    const MutexLock lock(mutex);
    while (turn != 1) changed.Wait(mutex);
    turn = 2;
    changed.NotifyAll();
  });
  {
    const MutexLock lock(mutex);
    turn = 1;
    changed.NotifyAll();
    while (turn != 2) changed.Wait(mutex);
    EXPECT_EQ(turn, 2);
  }
  other.join();
}

}  // namespace
}  // namespace fluxnetes::sql
