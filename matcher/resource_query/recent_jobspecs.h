// Jobspecs by their text, so that a text which comes again is not read again: a
// session often matches the same file many times, and reading it takes longer
// than matching it. A text, not a path, because a file may change.
//
// Owned by one thread.
// Tests: tests/matcher/resource_query/recent_jobspecs_test.cc.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>

#include "matcher/jobspec/jobspec.h"

namespace fluxnetes::matcher {

class RecentJobspecs {
 public:
  // The most texts that are kept, and the longest one. Once there are so many,
  // all are forgotten.
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kLongest = std::size_t{64} << 10;

  // Returns the jobspec until the next call. Throws JobspecError, as
  // ParseJobspec() does.
  const Jobspec& Read(const std::string& text);

  std::size_t size() const { return by_text_.size(); }

 private:
  std::unordered_map<std::string, Jobspec> by_text_;
  Jobspec long_one_;  // the last one whose text was too long
};

}  // namespace fluxnetes::matcher
