#include "services/config/setting_values.h"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <stdexcept>

namespace fluxnetes::services {
namespace {

// Calls `take` with each part of a list with commas; an empty text has none.
void ForEachPart(std::string_view text,
                 const std::function<void(std::string)>& take) {
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    take(std::string(text.substr(0, comma)));
    if (comma + 1 == text.size()) take("");  // it ends with a comma
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
}

// A DNS subdomain, as Kubernetes requires of scheduler names.
void CheckSchedulerName(const std::string& text) {
  const auto inner = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.';
  };
  if (text.empty() || text.size() > 253 ||
      !std::all_of(text.begin(), text.end(), inner) ||
      std::string_view("-.").find(text.front()) != std::string_view::npos ||
      std::string_view("-.").find(text.back()) != std::string_view::npos)
    RefuseValue(text, "a name of a-z, 0-9, - and ., like fluxnetes");
}

}  // namespace

void RefuseValue(const std::string& text, std::string_view right) {
  throw std::invalid_argument(
      fmt::format("'{}' is not allowed; right would be {}", text, right));
}

int ParseNumber(const std::string& text, int least, int most) {
  int number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() ||
      number < least || number > most)
    RefuseValue(text, fmt::format("a whole number from {} to {}", least, most));
  return number;
}

std::string ParseSchema(const std::string& text) {
  const bool plain =
      !text.empty() && text.size() <= 50 &&
      std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
      });
  if (!plain || (text[0] >= '0' && text[0] <= '9') || text.starts_with("pg_"))
    RefuseValue(
        text, "up to 50 of a-z, 0-9 and _, not beginning with a digit or pg_");
  return text;
}

cluster::SchedulerNames ParseSchedulerNames(const std::string& text) {
  std::vector<std::string> names;
  ForEachPart(text, [&](const std::string& name) {
    CheckSchedulerName(name);
    if (std::ranges::find(names, name) != names.end())
      RefuseValue(text, "each name once");
    names.push_back(name);
  });
  if (names.empty()) RefuseValue(text, "one name at least, like fluxnetes");
  return cluster::SchedulerNames(std::move(names));
}

std::vector<cluster::OwnerKind> ParseOwnerKinds(const std::string& text) {
  std::vector<cluster::OwnerKind> kinds;
  ForEachPart(text, [&](const std::string& part) {
    cluster::OwnerKind kind = cluster::ParseOwnerKind(part);
    if (std::ranges::find(kinds, kind.kind, &cluster::OwnerKind::kind) !=
        kinds.end())
      RefuseValue(text, "each kind once");
    kinds.push_back(std::move(kind));
  });
  return kinds;
}

std::string ParseListen(const std::string& text) {
  if (text.starts_with("unix:") && text.size() > 5) return text;
  const std::size_t colon = text.rfind(':');
  const std::string host = text.substr(0, colon);
  for (const char* loopback : {"127.0.0.1", "localhost", "[::1]"})
    if (colon != std::string::npos && host == loopback) {
      ParseNumber(text.substr(colon + 1), 0, 65535);
      return text;
    }
  RefuseValue(text, "unix:PATH or 127.0.0.1:PORT");
}

// Accepts a file or a numeric address: a host name could be another machine's.
std::string ParseServerListen(const std::string& text) {
  if (text == "off") return "";
  if (text.starts_with("unix:") && text.size() > 5) return text;
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  const bool v6 = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (v6) host = host.substr(1, host.size() - 2);
  in6_addr address{};
  if (colon == std::string::npos ||
      (host != "localhost" &&
       inet_pton(v6 ? AF_INET6 : AF_INET, host.c_str(), &address) != 1))
    RefuseValue(text, "off, unix:PATH, 127.0.0.1:PORT or 0.0.0.0:PORT");
  ParseNumber(text.substr(colon + 1), 0, 65535);
  return text;
}

// The database stores whole seconds.
std::chrono::milliseconds ParseLifetime(const std::string& text) {
  const auto duration = ParseDuration(text, std::chrono::hours(24 * 366));
  if (duration < std::chrono::seconds(1))
    RefuseValue(text, "1s or more, like 48h");
  return duration;
}

std::string ParseAddress(const std::string& text) {
  for (const std::string_view scheme : {"unix:", "http://", "https://"})
    if (text.starts_with(scheme) && text.size() > scheme.size()) return text;
  RefuseValue(text, "unix:PATH, http://HOST:PORT or https://HOST:PORT");
}

std::string ParseWebListen(const std::string& text) {
  return text == "off" ? "" : ParseListen(text);
}

// Accepts names as they are in the header Host: "flux.example:8443".
std::vector<std::string> ParseHosts(const std::string& text) {
  std::vector<std::string> hosts;
  ForEachPart(text, [&](std::string host) {
    std::ranges::transform(host, host.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const bool plain = std::ranges::all_of(host, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
             std::string_view("-.:[]").find(c) != std::string_view::npos;
    });
    if (host.empty() || !plain)
      RefuseValue(text,
                  "names with commas, like flux.example,flux.example:8443");
    hosts.push_back(std::move(host));
  });
  return hosts;
}

// Accepts sources of the directive frame-ancestors, but no wildcard alone.
std::vector<std::string> ParseAncestors(const std::string& text) {
  std::vector<std::string> sites;
  ForEachPart(text, [&](std::string site) {
    const std::size_t scheme = site.find("://");
    const bool is_site =
        (site.starts_with("https://") || site.starts_with("http://")) &&
        scheme + 3 < site.size() &&
        std::ranges::all_of(site.substr(scheme + 3), [](char c) {
          return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                 std::string_view("-.:*").find(c) != std::string_view::npos;
        });
    if (site != "self" && !is_site)
      RefuseValue(text,
                  "self or sites with commas, like https://portal.example");
    sites.push_back(std::move(site));
  });
  return sites;
}

std::string ParsePrefix(const std::string& text) {
  const bool plain = std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           std::string_view("-._~/").find(c) != std::string_view::npos;
  });
  if (!text.empty() && (!plain || text.front() != '/' || text.back() == '/' ||
                        text.find("//") != std::string::npos))
    RefuseValue(text, "a path like /fluxnetes, without a / at its end");
  return text;
}

std::chrono::milliseconds ParseDuration(const std::string& text,
                                        std::chrono::milliseconds longest) {
  constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
      {"ms", 1},
      {"s", 1'000},
      {"m", 60'000},
      {"h", 3'600'000},
      {"d", 86'400'000}};
  std::int64_t number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  const std::string_view unit(end, static_cast<std::size_t>(last - end));
  for (const auto& [name, factor] : kUnits)
    if (error == std::errc{} && unit == name && number > 0 &&
        number <= longest.count() / factor)
      return std::chrono::milliseconds(number * factor);
  RefuseValue(text, fmt::format("a duration up to {}, like 500ms, 5s, 2m{}",
                                FormatDuration(longest),
                                longest > std::chrono::hours(24) ? ", 1h or 3d"
                                                                 : " or 1h"));
}

std::string FormatDuration(std::chrono::milliseconds duration) {
  const std::int64_t count = duration.count();
  if (count % 3'600'000 == 0) return fmt::format("{}h", count / 3'600'000);
  if (count % 60'000 == 0) return fmt::format("{}m", count / 60'000);
  if (count % 1'000 == 0) return fmt::format("{}s", count / 1'000);
  return fmt::format("{}ms", count);
}

}  // namespace fluxnetes::services
