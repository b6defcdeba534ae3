#include "services/config/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "services/console/secret.h"

namespace fluxnetes::services {
namespace {

constexpr auto kTextPattern = "%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v";
constexpr auto kJsonPattern =
    R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

spdlog::level::level_enum LevelOf(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

// Returns a JSON string; invalid UTF-8 becomes the replacement character.
std::string Quoted(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool IsPlain(std::string_view text) {
  for (const char c : text)
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f)
      return false;
  return !text.empty();
}

std::string TextOf(const LogField::Value& value, bool json) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    const std::string shown = MaskPasswords(*text);
    return !json && IsPlain(shown) ? shown : Quoted(shown);
  }
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value))
    return json ? nlohmann::json(*number).dump()
                : fmt::format("{:.6g}", *number);
  return std::get<bool>(value) ? "true" : "false";
}

// See no-color.org.
bool WantsNoColour() {
  const char* wish = std::getenv("NO_COLOR");
  return wish != nullptr && *wish != '\0';
}

std::string LineOf(std::string_view message, std::span<const LogField> fields,
                   bool json) {
  const std::string shown = MaskPasswords(message);
  std::string line = Quoted(shown);
  if (json)
    line.insert(0, "\"message\":");
  else
    line = line.substr(1, line.size() - 2) + (fields.empty() ? "" : " ");
  for (const LogField& field : fields) {
    line += json ? fmt::format(",{}:", Quoted(field.key))
                 : fmt::format(" {}=", field.key);
    line += TextOf(field.value, json);
  }
  return line;
}

}  // namespace

struct Log::Sink {
  Sink(spdlog::sink_ptr sink, bool is_json)
      : logger("fluxnetes", std::move(sink)), json(is_json) {}
  spdlog::logger logger;
  bool json;
};

Log::Log(const LogOptions& options) {
  const bool terminal = options.out == nullptr && isatty(STDERR_FILENO) != 0;
  const bool json = options.format == LogFormat::kAuto
                        ? !terminal
                        : options.format == LogFormat::kJson;
  spdlog::sink_ptr sink;
  if (options.out != nullptr)
    sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(*options.out);
  else
    sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>(
        WantsNoColour() ? spdlog::color_mode::never
                        : spdlog::color_mode::automatic);
  sink->set_formatter(std::make_unique<spdlog::pattern_formatter>(
      json ? kJsonPattern : kTextPattern, spdlog::pattern_time_type::utc));
  sink_ = std::make_unique<Sink>(std::move(sink), json);
  sink_->logger.set_level(LevelOf(options.level));
  sink_->logger.flush_on(spdlog::level::debug);
}

Log::~Log() = default;

bool Log::Writes(LogLevel level) const {
  return sink_->logger.should_log(LevelOf(level));
}

void Log::Write(LogLevel level, std::string_view message,
                std::span<const LogField> fields) const noexcept {
  if (!Writes(level)) return;
  try {
    const std::string line = LineOf(message, fields, sink_->json);
    sink_->logger.log(LevelOf(level), spdlog::string_view_t(line));
  } catch (...) {
    return;
  }
}

}  // namespace fluxnetes::services
