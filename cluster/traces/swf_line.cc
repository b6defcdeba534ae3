#include "cluster/traces/swf_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "cluster/text/quote.h"
#include "cluster/text/yaml_document.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::size_t kSwfFieldCount = 18;
constexpr std::string_view kSwfBlanks = " \t\r";
constexpr std::int64_t kMostSwf32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostSwf64 =
    std::numeric_limits<std::int64_t>::max() - 1;

struct SwfField {
  const char* name;
  std::int64_t SwfLine::*value = nullptr;  // null: it is only checked
  std::int64_t most = kMostSwf64;
  bool fraction = false;
};

constexpr std::array<SwfField, kSwfFieldCount> kSwfFields = {{
    {"job number", &SwfLine::number},
    {"submit time", &SwfLine::submit, kMostSwfSeconds, true},
    {"wait time", nullptr, kMostSwf64, true},
    {"run time", &SwfLine::runs, kMostSwfSeconds, true},
    {"number of allocated processors", &SwfLine::allocated, kMostSwf32},
    {"average CPU time used", nullptr, kMostSwf64, true},
    {"used memory", nullptr, kMostSwf64, true},
    {"requested number of processors", &SwfLine::asked, kMostSwf32},
    {"requested time", &SwfLine::requested, kMostSwfSeconds, true},
    {"requested memory", nullptr, kMostSwf64, true},
    {"status", &SwfLine::status, 5},
    {"user ID", &SwfLine::user, kMostSwf32},
    {"group ID"},
    {"executable number"},
    {"queue number", &SwfLine::queue, kMostSwf32},
    {"partition number", &SwfLine::partition},
    {"preceding job number", &SwfLine::preceding},
    {"think time", nullptr, kMostSwf64, true},
}};

class SwfLineReader {
 public:
  SwfLineReader(const std::string& source, std::int64_t number)
      : source_(source), number_(number) {}

  SwfLine Read(std::string_view left) {
    for (std::size_t i = 0; i < kSwfFieldCount; ++i) {
      SkipBlanks(left);
      const std::string_view word =
          left.substr(0, left.find_first_of(kSwfBlanks));
      if (word.empty())
        Refuse(fmt::format("has {} of 18 fields; what is not known is -1", i));
      ReadField(i, word);
      left.remove_prefix(word.size());
    }
    SkipBlanks(left);
    if (!left.empty()) Refuse("has more than 18 fields");
    return line_;
  }

 private:
  [[noreturn]] void Refuse(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", source_, number_, why));
  }
  [[noreturn]] void Refuse(std::size_t field, const std::string& why) const {
    Refuse(fmt::format("field {} ({}) is {}", field + 1, kSwfFields[field].name,
                       why));
  }

  static void SkipBlanks(std::string_view& text) {
    text.remove_prefix(
        std::min(text.find_first_not_of(kSwfBlanks), text.size()));
  }

  void ReadField(std::size_t field, std::string_view word) {
    const SwfField& rule = kSwfFields[field];
    const char* const last = word.data() + word.size();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), last, value);
    if (error != std::errc() || end != last) value = ReadFraction(field, word);
    if (rule.value != nullptr && value > rule.most)
      Refuse(field,
             fmt::format("{}; right would be -1 to {}", word, rule.most));
    if (rule.value != nullptr)
      line_.*rule.value = std::max<std::int64_t>(value, -1);
  }

  // Returns the nearest whole number.
  std::int64_t ReadFraction(std::size_t field, std::string_view word) {
    const SwfField& rule = kSwfFields[field];
    const char* const last = word.data() + word.size();
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), last, value);
    const bool number =
        error == std::errc() && end == last && std::isfinite(value);
    const double whole = std::floor(value + 0.5);
    if (!number || (!rule.fraction && whole != value))
      Refuse(field,
             fmt::format("{}; right would be a whole number{}, or -1",
                         Quote(word), rule.fraction ? " or one like 1.5" : ""));
    line_.rounded |= rule.value != nullptr && value > 0 && whole != value;
    if (whole < 0) return -1;
    return whole < static_cast<double>(kMostSwf64)
               ? static_cast<std::int64_t>(whole)
               : kMostSwf64 + 1;
  }

  const std::string& source_;
  const std::int64_t number_;
  SwfLine line_;
};

}  // namespace

SwfLine ReadSwfLine(std::string_view text, const std::string& source,
                    std::int64_t line) {
  return SwfLineReader(source, line).Read(text);
}

}  // namespace fluxnetes::cluster
