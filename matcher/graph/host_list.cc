#include "matcher/graph/host_list.h"

#include <algorithm>
#include <charconv>

namespace fluxnetes::matcher {
namespace {

std::optional<std::uint64_t> ParseHostNumber(std::string_view text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

std::size_t Digits(std::uint64_t number) {
  return std::to_string(number).size();
}

}  // namespace

bool HostList::ParseName(std::string_view text, std::vector<Range>& ranges) {
  if (text.empty()) return false;
  const auto open = text.find('[');
  const auto close = text.find(']');
  if (open == std::string_view::npos) {
    if (close != std::string_view::npos) return false;
    ranges.push_back({std::string(text), "", false, 0, 0, 0});
    return true;
  }
  if (close == std::string_view::npos || close < open) return false;
  const std::string_view suffix = text.substr(close + 1);
  if (suffix.find_first_of("[]") != std::string_view::npos) return false;
  std::string_view numbers = text.substr(open + 1, close - open - 1);
  for (bool more = true; more;) {
    const auto comma = numbers.find(',');
    const std::string_view part = numbers.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) numbers.remove_prefix(comma + 1);
    const auto dash = part.find('-');
    const std::string_view low = part.substr(0, dash);
    const auto first = ParseHostNumber(low);
    const auto last = dash == std::string_view::npos
                          ? first
                          : ParseHostNumber(part.substr(dash + 1));
    if (!first || !last || *last < *first) return false;
    ranges.push_back({std::string(text.substr(0, open)), std::string(suffix),
                      true, low.size(), *first, *last});
  }
  return true;
}

std::optional<HostList> HostList::Parse(std::string_view text) {
  HostList list;
  std::size_t begin = 0;
  int brackets = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++brackets;
    if (i < text.size() && text[i] == ']') --brackets;
    if (i < text.size() && (text[i] != ',' || brackets != 0)) continue;
    if (!ParseName(text.substr(begin, i - begin), list.ranges_)) return {};
    begin = i + 1;
  }
  return list;
}

bool HostList::Matches(const Range& range, std::string_view host) {
  if (!range.numbered) return host == range.prefix;
  if (host.size() <= range.prefix.size() + range.suffix.size() ||
      !host.starts_with(range.prefix) || !host.ends_with(range.suffix)) {
    return false;
  }
  host.remove_prefix(range.prefix.size());
  host.remove_suffix(range.suffix.size());
  const auto number = ParseHostNumber(host);
  return number && *number >= range.first && *number <= range.last &&
         host.size() == std::max(range.width, Digits(*number));
}

std::optional<std::vector<std::string>> HostList::Hosts(
    std::size_t most) const {
  std::vector<std::string> hosts;
  for (const Range& range : ranges_) {
    const std::uint64_t count = range.last - range.first;
    if (count >= most || hosts.size() + count >= most) return std::nullopt;
    for (std::uint64_t i = 0; i <= count; ++i) {
      std::string number;
      if (range.numbered) number = std::to_string(range.first + i);
      if (number.size() < range.width) {
        number.insert(0, range.width - number.size(), '0');
      }
      hosts.push_back(range.prefix + number + range.suffix);
    }
  }
  return hosts;
}

bool HostList::Contains(std::string_view host) const {
  return std::any_of(ranges_.begin(), ranges_.end(),
                     [&](const Range& range) { return Matches(range, host); });
}

}  // namespace fluxnetes::matcher
