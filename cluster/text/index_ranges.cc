#include "cluster/text/index_ranges.h"

#include <charconv>

namespace fluxnetes::cluster {
namespace {

std::optional<int> Index(std::string_view text) {
  int index = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, index);
  if (error != std::errc{} || stop != end || index < 0) return std::nullopt;
  return index;
}

}  // namespace

std::optional<IndexRanges> ParseIndexes(std::string_view text) {
  IndexRanges ranges;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const auto dash = part.find('-');
    const auto first = Index(part.substr(0, dash));
    const bool range = dash != std::string_view::npos;
    const auto last = range ? Index(part.substr(dash + 1)) : first;
    if (!first || !last || (range && *last <= *first)) return std::nullopt;
    if (!ranges.empty() && *first <= ranges.back().second) return std::nullopt;
    ranges.emplace_back(*first, *last);
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
    if (text.empty()) return std::nullopt;
  }
  return ranges;
}

std::string FormatIndexes(const IndexRanges& ranges) {
  std::string text;
  for (const auto& [first, last] : ranges) {
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last == first) continue;
    text += '-';
    text += std::to_string(last);
  }
  return text;
}

IndexRanges RangesOf(const std::set<int>& indexes) {
  IndexRanges ranges;
  for (const int index : indexes) {
    if (!ranges.empty() && ranges.back().second + 1 == index) {
      ranges.back().second = index;
    } else {
      ranges.emplace_back(index, index);
    }
  }
  return ranges;
}

int CountOf(const IndexRanges& ranges) {
  int count = 0;
  for (const auto& [first, last] : ranges) count += last - first + 1;
  return count;
}

}  // namespace fluxnetes::cluster
