#include "matcher/cel_run/version.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace fluxnetes::matcher::cel {
namespace {

bool IsVersionDigit(char c) { return c >= '0' && c <= '9'; }
bool IsVersionLetter(char c) {
  return IsVersionDigit(c) || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || c == '-';
}
bool AreDigits(std::string_view text) {
  return std::ranges::all_of(text, IsVersionDigit);
}

// Nothing: it has a leading zero, is empty or too large.
std::optional<std::uint64_t> ReadNumber(std::string_view text) {
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// Calls `use` for each part between dots; false as soon as it returns false.
template <class Use>
bool ForEachPart(std::string_view text, Use use) {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!use(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string_view TakePart(std::string_view& text, char end) {
  const std::size_t place = std::min(text.find(end), text.size());
  const std::string_view part = text.substr(0, place);
  text.remove_prefix(std::min(place + 1, text.size()));
  return part;
}

std::strong_ordering CompareParts(std::string_view one,
                                  std::string_view other) {
  const bool number = AreDigits(one);
  if (number != AreDigits(other)) {
    return number ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  // Numbers have no leading zeros, so the longer one is the larger.
  if (number && one.size() != other.size()) return one.size() <=> other.size();
  return one.compare(other) <=> 0;
}

}  // namespace

std::optional<Version> ReadVersion(std::string_view text) {
  Version version;
  if (const std::size_t plus = text.find('+'); plus != text.npos) {
    const std::size_t second_dot = text.find('.', text.find('.') + 1);
    if (plus < second_dot) return std::nullopt;
    const bool valid = ForEachPart(text.substr(plus + 1), [](auto part) {
      return !part.empty() && std::ranges::all_of(part, IsVersionLetter);
    });
    if (!valid) return std::nullopt;
    text = text.substr(0, plus);
  }
  const auto major = ReadNumber(TakePart(text, '.'));
  const auto minor = ReadNumber(TakePart(text, '.'));
  if (const std::size_t dash = text.find('-'); dash != text.npos) {
    version.prerelease = text.substr(dash + 1);
    text = text.substr(0, dash);
    const bool valid = ForEachPart(version.prerelease, [](auto part) {
      if (part.empty()) return false;
      if (AreDigits(part)) return ReadNumber(part).has_value();
      return std::ranges::all_of(part, IsVersionLetter);
    });
    if (!valid) return std::nullopt;
  }
  const auto patch = ReadNumber(text);
  if (!major || !minor || !patch) return std::nullopt;
  version.major = *major;
  version.minor = *minor;
  version.patch = *patch;
  return version;
}

std::optional<std::string> CompleteVersion(std::string_view text) {
  if (text.starts_with('v')) text.remove_prefix(1);
  std::vector<std::string> parts;
  for (std::string_view rest = text; parts.size() < 3;) {
    const bool last = parts.size() == 2 || rest.find('.') == rest.npos;
    std::string part(last ? rest : TakePart(rest, '.'));
    if (part.size() > 1) {
      part.erase(0, std::min(part.find_first_not_of('0'), part.size()));
      if (part.empty() || !IsVersionDigit(part[0]))
        part.insert(part.begin(), '0');
    }
    parts.push_back(std::move(part));
    if (last) break;
  }
  if (parts.size() < 3 && parts.back().find_first_of("+-") != text.npos) {
    return std::nullopt;
  }
  parts.resize(std::max<std::size_t>(parts.size(), 3), "0");
  return parts[0] + "." + parts[1] + "." + parts[2];
}

std::strong_ordering Compare(const Version& one, const Version& other) {
  if (const auto order = one.major <=> other.major; order != 0) return order;
  if (const auto order = one.minor <=> other.minor; order != 0) return order;
  if (const auto order = one.patch <=> other.patch; order != 0) return order;
  std::string_view left = one.prerelease;
  std::string_view right = other.prerelease;
  if (left.empty() || right.empty()) return left.empty() <=> right.empty();
  while (!left.empty() && !right.empty()) {
    const auto order = CompareParts(TakePart(left, '.'), TakePart(right, '.'));
    if (order != 0) return order;
  }
  return right.empty() <=> left.empty();
}

}  // namespace fluxnetes::matcher::cel
