// Host names in Flux's notation (RFC 29): "node[0-3,07],login1".
// Tests: tests/matcher/graph/constraint_test.cc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fluxnetes::matcher {

class HostList {
 public:
  // Returns nothing if the text is not a host list.
  static std::optional<HostList> Parse(std::string_view text);

  bool Contains(std::string_view host) const;
  // Returns the hosts in the order written; nothing if there are more than
  // `most`.
  std::optional<std::vector<std::string>> Hosts(std::size_t most) const;
  bool operator==(const HostList&) const = default;

 private:
  // The names prefix + number (with leading zeros up to the width) + suffix. A
  // plain name has no number.
  struct Range {
    std::string prefix;
    std::string suffix;
    bool numbered = false;
    std::size_t width = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool operator==(const Range&) const = default;
  };
  static bool ParseName(std::string_view text, std::vector<Range>& ranges);
  static bool Matches(const Range& range, std::string_view host);

  std::vector<Range> ranges_;
};

}  // namespace fluxnetes::matcher
