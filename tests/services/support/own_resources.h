// The resources of this process, for tests that look for leaks.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>

namespace fluxnetes::services {

// Returns the number of entries in a folder of /proc/self: "fd" (files) or
// "task" (threads).
inline std::size_t Own(const std::string& what) {
  const std::filesystem::directory_iterator all("/proc/self/" + what);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// Returns the bytes of the heap in use; nullopt under a sanitizer, which has
// its own heap (and reports leaks at the end itself).
inline std::optional<std::size_t> OwnHeap() {
  const struct mallinfo2 heap = mallinfo2();
  const std::size_t bytes = heap.uordblks + heap.hblkhd;
  return bytes == 0 ? std::nullopt : std::optional(bytes);
}

}  // namespace fluxnetes::services
