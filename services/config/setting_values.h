// The values of settings, from text. Each function throws std::invalid_argument
// with the text and what would be right.
// Tests: tests/services/config/config_test.cc.
#pragma once

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/kubernetes/owner_kinds.h"
#include "cluster/scheduler_names.h"

namespace fluxnetes::services {

[[noreturn]] void RefuseValue(const std::string& text, std::string_view right);

// The names of an enum's values.
template <typename Enum, std::size_t N>
using ValueNames = std::array<std::pair<std::string_view, Enum>, N>;

template <typename Enum, std::size_t N>
Enum ParseName(const ValueNames<Enum, N>& names, const std::string& text) {
  std::string right;
  for (const auto& [name, value] : names) {
    if (name == text) return value;
    right += (right.empty() ? "" : ", ") + std::string(name);
  }
  RefuseValue(text, "one of " + right);
}

template <typename Enum, std::size_t N>
std::string NameOf(const ValueNames<Enum, N>& names, Enum value) {
  for (const auto& [name, named] : names)
    if (named == value) return std::string(name);
  return {};
}

int ParseNumber(const std::string& text, int least, int most);
std::string ParseSchema(const std::string& text);
cluster::SchedulerNames ParseSchedulerNames(const std::string& text);
std::vector<cluster::OwnerKind> ParseOwnerKinds(const std::string& text);
// "unix:PATH" or "127.0.0.1:PORT".
std::string ParseListen(const std::string& text);
// Also of other addresses than loopback, or "off": empty.
std::string ParseServerListen(const std::string& text);
// Loopback, or "off": empty.
std::string ParseWebListen(const std::string& text);
// How long a match through gRPC holds its nodes.
std::chrono::milliseconds ParseLifetime(const std::string& text);
// "unix:PATH", "http://HOST:PORT" or "https://HOST:PORT".
std::string ParseAddress(const std::string& text);
std::vector<std::string> ParseHosts(const std::string& text);
std::vector<std::string> ParseAncestors(const std::string& text);
std::string ParsePrefix(const std::string& text);

// "500ms", "5s", "2m", "1h", "3d".
std::chrono::milliseconds ParseDuration(
    const std::string& text,
    std::chrono::milliseconds longest = std::chrono::hours(24));
std::string FormatDuration(std::chrono::milliseconds duration);

}  // namespace fluxnetes::services
