#include "services/editing/row_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "services/console/exit_code.h"

namespace fluxnetes::services {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestPairs = 16 << 10;

std::string KeysOf(std::span<const RowSetting> known) {
  std::string text;
  for (const RowSetting& setting : known)
    text += (text.empty() ? "" : ", ") + std::string(setting.key);
  return text;
}

}  // namespace

std::string ParseRowSettings(const RowSettings& how,
                             const std::vector<std::string>& settings) {
  Json patch = Json::object();
  for (const std::string& setting : settings) {
    const std::size_t sign = setting.find('=');
    const std::string key = setting.substr(0, sign);
    const auto known = std::ranges::find(how.known, key, &RowSetting::key);
    if (sign == std::string::npos || known == how.known.end())
      throw Failure(ExitCode::kUsage,
                    fmt::format("'{}' is no setting of {}", setting, how.row),
                    fmt::format("Right would be KEY=VALUE with one of {}.",
                                KeysOf(how.known)));
    const std::string text = setting.substr(sign + 1);
    const std::optional<Json> value = how.parse(key, text);
    if (!value)
      throw Failure(ExitCode::kUsage,
                    fmt::format("{}: '{}' is not allowed", key, text),
                    fmt::format("Right would be {}.", known->right));
    if (patch.contains(key))
      throw Failure(ExitCode::kUsage, fmt::format("{} is there twice", key),
                    "Right would be each setting once.");
    patch[key] = *value;
  }
  try {
    return patch.dump();
  } catch (const Json::type_error&) {
    throw Failure(ExitCode::kUsage, "a setting is not UTF-8 text");
  }
}

std::string DetailOf(const std::vector<std::string>& settings,
                     const std::string& reason) {
  std::string detail = fmt::format("{}", fmt::join(settings, " "));
  if (reason.empty()) return detail;
  return detail.empty() ? reason : fmt::format("{} ({})", detail, reason);
}

std::optional<Json> ParseNumber(const std::string& text) {
  double number = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc{} || end != last || !std::isfinite(number))
    return std::nullopt;
  return Json(number);
}

std::optional<Json> ParseSwitch(const std::string& text) {
  if (text != "true" && text != "false") return std::nullopt;
  return Json(text == "true");
}

std::optional<Json> ParsePairs(const std::string& text) {
  Json pairs = Json::object();
  if (text.size() > kLongestPairs) return std::nullopt;
  if (text.empty()) return pairs;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string pair = text.substr(at, end - at);
    const std::size_t sign = pair.find('=');
    if (sign == std::string::npos || sign == 0) return std::nullopt;
    std::string key = pair.substr(0, sign);
    if (pairs.contains(key)) return std::nullopt;
    pairs[std::move(key)] = pair.substr(sign + 1);
    at = end + 1;
  }
  return pairs;
}

}  // namespace fluxnetes::services
