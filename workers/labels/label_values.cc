#include "workers/labels/label_values.h"

#include <algorithm>
#include <charconv>

#include "cluster/text/quote.h"
#include "matcher/gangs/gang.h"

namespace fluxnetes::workers {
namespace {

using cluster::Quote;

constexpr std::size_t kLongestName = 63;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

bool IsQueueCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

std::string LabelCalled(const char* name) {
  return "label " + std::string(name);
}

std::string Refusal(const std::string& place, const std::string& value,
                    std::string_view wrong, std::string_view right) {
  return place + " is " + Quote(value) + ": " + std::string(wrong) +
         "; it must be " + std::string(right);
}

std::string WhyNoLabelValue(const std::string& place, const std::string& name) {
  static constexpr std::string_view kRight =
      "1 to 63 letters, digits, '-', '_' or '.', with a letter or digit at "
      "both ends";
  const auto refuse = [&](std::string_view wrong) {
    return Refusal(place, name, wrong, kRight);
  };
  if (name.empty()) return refuse("it is empty");
  if (name.size() > kLongestName) return refuse("it is too long");
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return IsLetterOrDigit(c) || c == '-' || c == '_' || c == '.';
  });
  if (!plain || !IsLetterOrDigit(name.front()) || !IsLetterOrDigit(name.back()))
    return refuse("it is not a name");
  return "";
}

std::string WhyNoQueue(const std::string& name) {
  static constexpr std::string_view kRight =
      "the name of a queue: 1 to 63 lower-case letters, digits or '-', with a "
      "letter or digit at both ends";
  const auto refuse = [&name](std::string_view wrong) {
    return Refusal(LabelCalled(kQueueLabel), name, wrong, kRight);
  };
  if (name.empty()) return refuse("it is empty");
  if (name.size() > kLongestName) return refuse("it is too long");
  if (!std::all_of(name.begin(), name.end(), IsQueueCharacter) ||
      name.front() == '-' || name.back() == '-')
    return refuse("it is not a name");
  return "";
}

std::string ReadSize(const std::string& place, const std::string& text,
                     std::optional<std::int32_t>& size) {
  constexpr std::int32_t kLargest = matcher::kMaxTasks;
  const auto refuse = [&](std::string_view wrong) {
    return Refusal(place, text, wrong,
                   "a whole number from 1 to " + std::to_string(kLargest));
  };
  if (text.empty()) return refuse("it is empty");
  std::int32_t value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size();
  if (error == std::errc::invalid_argument || !whole)
    return refuse("it is not a whole number");
  if (error == std::errc::result_out_of_range)
    return refuse(text.front() == '-' ? "it is negative" : "it is too large");
  if (value < 0) return refuse("it is negative");
  if (value == 0) return refuse("a group has at least one pod");
  if (value > kLargest) return refuse("it is too large");
  size = value;
  return "";
}

}  // namespace fluxnetes::workers
