// A set of non-negative numbers in Flux's notation (RFC 22): "0-3,7,[10-12]".
// Tests: tests/matcher/graph/constraint_test.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

class IdSet {
 public:
  // Returns nothing if the text is not a set.
  static std::optional<IdSet> Parse(std::string_view text);

  bool Contains(std::int64_t id) const;
  // Returns the numbers in order; nothing if there are more than `most`.
  std::optional<std::vector<std::int64_t>> Ids(std::size_t most) const;
  bool operator==(const IdSet&) const = default;

 private:
  struct Range {
    std::int64_t first = 0;
    std::int64_t last = 0;
    bool operator==(const Range&) const = default;
  };
  std::vector<Range> ranges_;
};

}  // namespace fluxnetes::matcher
