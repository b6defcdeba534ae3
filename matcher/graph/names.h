// A table of strings, numbered in the order in which they are first seen.
//
// Owned by one thread.
// Tests: tests/matcher/graph/path_table_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "matcher/graph/hash_index.h"

namespace fluxnetes::matcher {

using NameId = std::int32_t;

class Names {
 public:
  NameId Intern(std::string_view name);
  std::optional<NameId> Find(std::string_view name) const;
  const std::string& operator[](NameId id) const { return names_[id]; }
  int size() const { return static_cast<int>(names_.size()); }

 private:
  std::deque<std::string> names_;  // addresses do not change
  HashIndex ids_;
};

}  // namespace fluxnetes::matcher
