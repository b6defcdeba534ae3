#include "matcher/graph/text_sets.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace fluxnetes::matcher {
namespace {

// A host name, split before its trailing digits.
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

// True if the next host has the following number, of the same width.
bool Follows(const Host& last, const Host& next) {
  if (!last.number || !next.number || *next.number != *last.number + 1) {
    return false;
  }
  const bool padded = last.digits.starts_with('0') && last.digits.size() > 1;
  return next.digits.size() == last.digits.size() ||
         (!padded && !next.digits.starts_with('0'));
}

}  // namespace

void AppendNumber(std::int64_t number, std::string& text) {
  const fmt::format_int digits(number);
  text.append(digits.data(), digits.size());
}

void AppendIdSet(std::span<const std::int64_t> ids, std::string& text) {
  for (std::size_t i = 0; i < ids.size();) {
    const std::int64_t first = ids[i];
    std::int64_t last = first;
    if (i > 0) text += ',';
    while (++i < ids.size() && ids[i] == last + 1) last = ids[i];
    AppendNumber(first, text);
    if (last == first) continue;
    text += '-';
    AppendNumber(last, text);
  }
}

void AppendHostList(std::span<const std::string_view> hosts,
                    std::string& text) {
  for (std::size_t i = 0; i < hosts.size();) {
    const Host first = Cut(hosts[i]);
    if (i > 0) text += ',';
    if (!first.number) {
      text += hosts[i++];
      continue;
    }
    text += first.prefix;
    const std::size_t begin = text.size();
    std::size_t members = 0;
    // Ranges of one prefix, each of consecutive numbers.
    while (i < hosts.size()) {
      const Host start = Cut(hosts[i]);
      if (start.prefix != first.prefix || !start.number) break;
      if (members > 0) text += ',';
      Host last = start;
      ++members;
      while (++i < hosts.size()) {
        const Host next = Cut(hosts[i]);
        if (next.prefix != first.prefix || !Follows(last, next)) break;
        last = next;
        ++members;
      }
      text += start.digits;
      if (last.digits != start.digits) {
        text += '-';
        text += last.digits;
      }
    }
    if (members == 1) continue;
    text.insert(begin, 1, '[');
    text += ']';
  }
}

void AppendJsonQuoted(std::string_view plain, std::string& text) {
  text += '"';
  for (const char c : plain) {
    switch (c) {
      case '"':
      case '\\':
        text += '\\';
        text += c;
        break;
      case '\b':
        text += "\\b";
        break;
      case '\f':
        text += "\\f";
        break;
      case '\n':
        text += "\\n";
        break;
      case '\r':
        text += "\\r";
        break;
      case '\t':
        text += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          text += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
        } else {
          text += c;
        }
    }
  }
  text += '"';
}

std::string JsonQuoted(std::string_view plain) {
  std::string text;
  AppendJsonQuoted(plain, text);
  return text;
}

}  // namespace fluxnetes::matcher
