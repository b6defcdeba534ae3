// What this process holds, for tests that look for leaks.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

namespace fluxnetes::services {

// How many entries a folder of /proc/self has: "fd", its files; "task", its
// threads.
inline std::size_t Own(const std::string& what) {
  const std::filesystem::directory_iterator all("/proc/self/" + what);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Bytes of the heap that are in use; nothing under a sanitizer, which has a
// heap of its own (and says itself at the end what was leaked).
inline std::optional<std::size_t> OwnHeap() {
  const struct mallinfo2 heap = mallinfo2();
  const std::size_t bytes = heap.uordblks + heap.hblkhd;
  return bytes == 0 ? std::nullopt : std::optional(bytes);
}

}  // namespace fluxnetes::services
