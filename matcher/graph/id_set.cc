#include "matcher/graph/id_set.h"

#include <algorithm>
#include <charconv>

namespace fluxnetes::matcher {
namespace {

std::optional<std::int64_t> ParseId(std::string_view text) {
  std::int64_t id = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, id);
  if (error != std::errc() || at != end || id < 0) return std::nullopt;
  return id;
}

}  // namespace

std::optional<IdSet> IdSet::Parse(std::string_view text) {
  if (text.size() >= 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  IdSet set;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    const auto dash = part.find('-');
    const auto first = ParseId(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : ParseId(part.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    set.ranges_.push_back({*first, *last});
  }
  return set;
}

bool IdSet::Contains(std::int64_t id) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& r) {
    return r.first <= id && id <= r.last;
  });
}

std::optional<std::vector<std::int64_t>> IdSet::Ids(std::size_t most) const {
  std::vector<std::int64_t> ids;
  for (const Range& range : ranges_) {
    const auto count = static_cast<std::uint64_t>(range.last - range.first);
    if (count >= most || ids.size() + count >= most) return std::nullopt;
    for (std::uint64_t i = 0; i <= count; ++i) {
      ids.push_back(range.first + static_cast<std::int64_t>(i));
    }
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace fluxnetes::matcher
