#include "cluster/traces/swf_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "cluster/text/digits.h"
#include "cluster/text/quote.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::string_view kHeaderBlanks = " \t\r";
constexpr std::int64_t kMostNodesOrProcessors =
    std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kThousand = 3;  // digits of a group

char Lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

void SkipBlanks(std::string_view& text) {
  text.remove_prefix(
      std::min(text.find_first_not_of(kHeaderBlanks), text.size()));
}

std::size_t DigitsOf(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && IsDigit(text[count])) ++count;
  return count;
}

// Takes "1152" or "1,152" from the beginning of `text`, as its digits.
std::string TakeDigits(std::string_view& text) {
  std::size_t count = DigitsOf(text);
  std::string digits(text.substr(0, count));
  text.remove_prefix(count);
  const bool grouped = count >= 1 && count <= kThousand;
  while (grouped && text.starts_with(',') &&
         DigitsOf(text.substr(1)) == kThousand) {
    digits += text.substr(1, kThousand);
    text.remove_prefix(1 + kThousand);
  }
  return digits;
}

bool IsBlank(char c) { return kHeaderBlanks.find(c) != std::string_view::npos; }

// True if what follows a number is prose, which cannot change it.
bool IsProse(std::string_view text) {
  constexpr std::string_view kEnds = ",.;";
  constexpr std::string_view kSigns = "+-*/x";
  if (text.empty() || text.front() == '(') return true;
  if (kEnds.find(text.front()) != std::string_view::npos) {
    return text.size() == 1 || IsBlank(text[1]);
  }
  if (!IsBlank(text.front())) return false;
  SkipBlanks(text);
  const std::size_t digits = DigitsOf(text);
  if (digits == kThousand && (text.size() == digits || IsBlank(text[digits])))
    return false;  // "1 152"
  if (text.empty() || kSigns.find(text.front()) == std::string_view::npos)
    return true;
  text.remove_prefix(1);
  SkipBlanks(text);
  return DigitsOf(text) == 0;
}

}  // namespace

bool SwfHeader::Take(std::string_view comment, const std::string& place) {
  SkipBlanks(comment);
  const bool named =
      comment.size() >= name_.size() &&
      std::equal(name_.begin(), name_.end(), comment.begin(),
                 [](char a, char b) { return Lower(a) == Lower(b); });
  if (!named) return false;
  comment.remove_prefix(name_.size());
  SkipBlanks(comment);
  if (!comment.starts_with(':')) return false;
  comment.remove_prefix(1);
  SkipBlanks(comment);
  if (!unclear_)
    Read(comment.substr(0, comment.find_last_not_of(kHeaderBlanks) + 1), place);
  return true;
}

void SwfHeader::Read(std::string_view text, const std::string& place) {
  const std::string said = fmt::format("{}: {} is {}", place, name_,
                                       text.empty() ? "empty" : Quote(text));
  std::string_view behind = text;
  const std::string digits = TakeDigits(behind);
  std::int64_t number = 0;
  const auto read =
      std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool nothing = std::ranges::none_of(text, IsDigit) ||
                       text.starts_with('-') ||
                       (read.ec == std::errc() && number == 0);
  if (nothing) {
    if (!value_ && fault_.empty()) fault_ = said;
  } else if (read.ec != std::errc() || number > kMostNodesOrProcessors ||
             !IsProse(behind)) {
    FailUnclear(fmt::format("{}; right would be a whole number up to {}", said,
                            kMostNodesOrProcessors));
  } else if (value_ && *value_ != number) {
    FailUnclear(fmt::format("{}, and was {} before", said, *value_));
  } else {
    value_ = number;
    fault_.clear();
  }
}

void SwfHeader::FailUnclear(std::string fault) {
  value_.reset();
  fault_ = std::move(fault);
  unclear_ = true;
}

}  // namespace fluxnetes::cluster
