// Structured logs: one line per event, with a short constant message and
// variable fields. On a terminal
//
//   2026-01-31T12:00:00.000Z info  group allocated  group=a/train ms=3.1
//
// (the level in colour unless NO_COLOR is set), otherwise one JSON object per
// line with the keys time, level, message and those of the fields. Control
// characters are escaped, so that a user's label cannot forge a line; passwords
// in connection strings are masked (secret.h).
//
// Thread-safe. Never throws: a line that cannot be written is lost.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace fluxnetes::services {

struct LogField {
  using Value = std::variant<std::string, std::int64_t, double, bool>;

  LogField(std::string_view k, std::string_view text)
      : key(k), value(std::string(text)) {}
  LogField(std::string_view k, const std::string& text) : key(k), value(text) {}
  LogField(std::string_view k, const char* text)
      : key(k), value(std::string(text)) {}
  LogField(std::string_view k, bool truth) : key(k), value(truth) {}
  template <std::integral T>
  LogField(std::string_view k, T number)
      : key(k), value(static_cast<std::int64_t>(number)) {}
  template <std::floating_point T>
  LogField(std::string_view k, T number)
      : key(k), value(static_cast<double>(number)) {}

  std::string_view key;  // a word, known at compile time
  Value value;
};

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kAuto, kText, kJson };  // auto: text on a terminal

struct LogOptions {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kAuto;
  std::ostream* out = nullptr;  // for tests; null: standard error
};

class Log {
 public:
  explicit Log(const LogOptions& options);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // True if lines of this level are written at all.
  bool Writes(LogLevel level) const;

  void Debug(std::string_view message,
             std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kDebug, message, {fields.begin(), fields.size()});
  }
  void Info(std::string_view message,
            std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kInfo, message, {fields.begin(), fields.size()});
  }
  void Warn(std::string_view message,
            std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kWarn, message, {fields.begin(), fields.size()});
  }
  void Error(std::string_view message,
             std::initializer_list<LogField> fields = {}) const {
    Write(LogLevel::kError, message, {fields.begin(), fields.size()});
  }

  // For fields collected at run time.
  void Write(LogLevel level, std::string_view message,
             std::span<const LogField> fields) const noexcept;

 private:
  struct Sink;  // keeps spdlog out of this header
  std::unique_ptr<Sink> sink_;
};

}  // namespace fluxnetes::services
