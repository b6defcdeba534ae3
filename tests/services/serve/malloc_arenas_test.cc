#include "services/serve/malloc_arenas.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

namespace fluxnetes::services {
namespace {

// Exits with the number of arenas that eight threads made. (Sanitizers have a
// malloc of their own.)
void MakeArenas() {
  CapArenas();
  std::barrier all(8);
  std::vector<std::jthread> threads(8);
  for (std::jthread& thread : threads)
    thread = std::jthread([&all] {
      const std::vector<char> held(1000);
      all.arrive_and_wait();
    });
  threads.clear();
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  malloc_info(0, file);
  std::fclose(file);
  int arenas = 0;
  const std::string_view info(text, size);
  for (auto at = info.find("<heap "); at != std::string_view::npos;
       at = info.find("<heap ", at + 1))
    ++arenas;
  std::_Exit(arenas);
}

TEST(CapArenasDeathTest, ManyThreadsShareTwo) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto at_most_two = [](int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) <= 2;
  };
  EXPECT_EXIT(MakeArenas(), at_most_two, "");
}

}  // namespace
}  // namespace fluxnetes::services
