// Planted faults that a sanitizer of this build must find: without them nobody
// would see that a build has lost its sanitizer. Each runs in a process of its
// own. Builds without a sanitizer have no such test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <memory>
#include <thread>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FLUXNETES_ADDRESS
#elif __has_feature(thread_sanitizer)
#define FLUXNETES_THREAD
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define FLUXNETES_ADDRESS
#elif defined(__SANITIZE_THREAD__)
#define FLUXNETES_THREAD
#endif

namespace fluxnetes::sql {
namespace {

#ifdef FLUXNETES_ADDRESS

// NOLINTBEGIN(clang-analyzer-*): these are the faults.
TEST(Sanitizers, FindAReadOfFreedMemory) {
  EXPECT_DEATH(
      {
        auto owner = std::make_unique<volatile int>(1);
        volatile int* left = owner.get();
        owner.reset();
        std::exit(*left);
      },
      "heap-use-after-free");
}

TEST(Sanitizers, FindAReadBehindTheEnd) {
  EXPECT_DEATH(
      {
        const std::unique_ptr<volatile int[]> three(new volatile int[3]{});
        volatile int index = 3;
        std::exit(three[index]);
      },
      "heap-buffer-overflow");
}

TEST(Sanitizers, FindAnOverflow) {
  EXPECT_DEATH(
      {
        volatile int most = std::numeric_limits<int>::max();
        std::exit(most + 1);
      },
      "signed integer overflow");
}
// NOLINTEND(clang-analyzer-*)

#endif

#ifdef FLUXNETES_THREAD

TEST(Sanitizers, FindTwoThreadsThatWriteWithoutALock) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        int shared = 0;
        std::thread other([&] { ++shared; });
        ++shared;
        other.join();
        std::exit(0);
      },
      "data race");
}

#endif

}  // namespace
}  // namespace fluxnetes::sql
