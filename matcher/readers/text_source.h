// A text that is read piece by piece, from a file or from memory.
// Tests: tests/matcher/readers/jgf_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>

namespace fluxnetes::matcher {

// Copies at most `most` bytes from the offset on and returns their number; 0 at
// the end. May throw.
using TextSource = std::function<std::size_t(std::size_t offset, char* into,
                                             std::size_t most)>;

// The text must outlive the source.
inline TextSource SourceOf(std::string_view text) {
  return [text](std::size_t offset, char* into, std::size_t most) {
    const std::size_t rest = text.size() - std::min(offset, text.size());
    const std::size_t count = std::min(rest, most);
    if (count > 0) std::memcpy(into, text.data() + offset, count);
    return count;
  };
}

}  // namespace fluxnetes::matcher
