#include "sql/mutex.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace fluxnetes::sql {
namespace {

// Increments are lost if two threads make them at a time, and TSan sees that
// they might.
int CountOnThreads(const std::function<void(int& count)>& add_many) {
  int count = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { add_many(count); });
  threads.clear();
  return count;
}

// Hangs if somebody holds it.
void LockOnAnotherThread(Mutex& mutex) {
  std::jthread([&mutex] { const MutexLock lock(mutex); }).join();
}

TEST(MutexLock, HoldsForItsScope) {
  Mutex mutex;
  EXPECT_EQ(CountOnThreads([&mutex](int& count) {
              for (int i = 0; i < 10'000; ++i) {
                const MutexLock lock(mutex);
                ++count;
              }
            }),
            40'000);
}

TEST(MutexLock, HoldsAgainAfterLock) {
  Mutex mutex;
  EXPECT_EQ(CountOnThreads([&mutex](int& count) {
              MutexLock lock(mutex);
              for (int i = 0; i < 10'000; ++i) {
                lock.Unlock();
                lock.Lock();
                ++count;
              }
            }),
            40'000);
}

TEST(MutexLock, UnlockLetsAnotherThreadIn) {
  Mutex mutex;
  MutexLock lock(mutex);
  lock.Unlock();
  LockOnAnotherThread(mutex);
}

TEST(MutexLock, AnExceptionEndsItsScope) {
  Mutex mutex;
  EXPECT_THROW(
      {
        const MutexLock lock(mutex);
        throw std::runtime_error("planned");
      },
      std::runtime_error);
  LockOnAnotherThread(mutex);
}

TEST(Mutex, LockAndUnlockWorkWithoutAScope) {
  Mutex mutex;
  mutex.Lock();
  mutex.Unlock();
  LockOnAnotherThread(mutex);
}

}  // namespace
}  // namespace fluxnetes::sql
