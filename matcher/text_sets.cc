#include "matcher/text_sets.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace fluxnetes::matcher {
namespace {

// A host name cut before its trailing digits.
struct Host {
  std::string_view prefix;
  std::string_view digits;
  std::optional<std::uint64_t> number;
};

Host Cut(std::string_view name) {
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') {
    --begin;
  }
  Host host{name.substr(0, begin), name.substr(begin), std::nullopt};
  std::uint64_t number = 0;
  const char* end = host.digits.data() + host.digits.size();
  const auto [at, error] = std::from_chars(host.digits.data(), end, number);
  if (!host.digits.empty() && error == std::errc() && at == end) {
    host.number = number;
  }
  return host;
}

// Whether the next host is the number that follows, as wide.
bool Follows(const Host& last, const Host& next) {
  if (!last.number || !next.number || *next.number != *last.number + 1) {
    return false;
  }
  const bool padded = last.digits.starts_with('0') && last.digits.size() > 1;
  return next.digits.size() == last.digits.size() ||
         (!padded && !next.digits.starts_with('0'));
}

}  // namespace

std::string WriteIdSet(const std::set<std::int64_t>& ids) {
  std::string text;
  for (auto at = ids.begin(); at != ids.end();) {
    const std::int64_t first = *at;
    std::int64_t last = first;
    while (++at != ids.end() && *at == last + 1) last = *at;
    if (!text.empty()) text += ',';
    text += std::to_string(first);
    if (last != first) text += '-' + std::to_string(last);
  }
  return text;
}

std::string WriteHostList(std::span<const std::string> hosts) {
  std::string text;
  for (std::size_t i = 0; i < hosts.size();) {
    const Host first = Cut(hosts[i]);
    if (!text.empty()) text += ',';
    std::string ranges;
    std::size_t members = 0;
    // Ranges of one prefix, each a row of numbers that follow one another.
    while (i < hosts.size()) {
      const Host start = Cut(hosts[i]);
      if (start.prefix != first.prefix || !start.number) break;
      Host last = start;
      ++members;
      while (++i < hosts.size()) {
        const Host next = Cut(hosts[i]);
        if (next.prefix != first.prefix || !Follows(last, next)) break;
        last = next;
        ++members;
      }
      if (!ranges.empty()) ranges += ',';
      ranges += start.digits;
      if (last.digits != start.digits) {
        ranges += '-';
        ranges += last.digits;
      }
    }
    if (members == 0) {
      text += hosts[i++];
    } else {
      text += first.prefix;
      text += members == 1 ? ranges : "[" + ranges + "]";
    }
  }
  return text;
}

std::string JsonQuoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
      case '\\':
        quoted += '\\';
        quoted += c;
        break;
      case '\b':
        quoted += "\\b";
        break;
      case '\f':
        quoted += "\\f";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
          quoted += c;
        }
    }
  }
  return quoted + '"';
}

}  // namespace fluxnetes::matcher
