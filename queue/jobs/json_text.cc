#include "queue/jobs/json_text.h"

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fluxnetes::queue {
namespace {

constexpr std::size_t kMaxDepth = 256;

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

// Returns the length of the first character of `text` (RFC 3629), 0 if it is
// invalid.
std::size_t CharacterLength(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!IsContinuation(text[i])) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
      (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

// A word of eight times the same byte.
constexpr std::uint64_t Eight(unsigned char byte) {
  return 0x0101010101010101U * byte;
}

// Whether eight bytes are ASCII without zero bytes.
bool IsPlainWord(std::uint64_t word) {
  return ((word | (word - Eight(1))) & Eight(0x80)) == 0;
}

// Whether none of eight bytes is a quote, a backslash, a control character or
// beyond ASCII. May return false for a byte that follows such a byte; never
// returns a false true.
bool IsPlainInString(std::uint64_t word) {
  const auto has_zero = [](std::uint64_t bytes) {
    return (bytes - Eight(1)) & ~bytes & Eight(0x80);
  };
  return ((word | (word - Eight(0x20)) | has_zero(word ^ Eight('"')) |
           has_zero(word ^ Eight('\\'))) &
          Eight(0x80)) == 0;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Scans one JSON text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Object() {
    SkipSpace();
    return Next() == '{' && Value() && (SkipSpace(), AtEnd());
  }

 private:
  bool AtEnd() const { return at_ == text_.size(); }
  // At the end: a zero byte, which is valid nowhere.
  char Next() const { return AtEnd() ? '\0' : text_[at_]; }
  bool Take(char c) { return Next() == c && ++at_ > 0; }
  bool Take(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  void SkipSpace() {
    while (Next() == ' ' || Next() == '\n' || Next() == '\r' || Next() == '\t')
      ++at_;
  }

  // Scans a value with all nested values; a stack of bits has the enclosing
  // kinds.
  bool Value() {
    while (true) {
      SkipSpace();
      const char first = Next();
      if (first == '{' || first == '[') {
        if (depth_ == kMaxDepth) return false;
        ++at_;
        in_object_[depth_++] = first == '{';
        SkipSpace();
        if (Next() != (first == '{' ? '}' : ']')) {
          if (first == '{' && !Key()) return false;
          continue;
        }
      } else if (!Scalar()) {
        return false;
      }
      if (!EndValue()) return false;
      if (depth_ == 0) return true;
    }
  }

  // Scans what follows a value: the ends of enclosing values, or a comma.
  bool EndValue() {
    while (depth_ > 0) {
      SkipSpace();
      const bool in_object = in_object_[depth_ - 1];
      if (Take(',')) return !in_object || Key();
      if (!Take(in_object ? '}' : ']')) return false;
      --depth_;
    }
    return true;
  }

  bool Key() {
    SkipSpace();
    if (!String()) return false;
    SkipSpace();
    return Take(':');
  }

  bool Scalar() {
    switch (Next()) {
      case '"':
        return String();
      case 't':
        return Take("true");
      case 'f':
        return Take("false");
      case 'n':
        return Take("null");
      default:
        return Number();
    }
  }

  bool Digits(std::size_t most) {
    const std::size_t begin = at_;
    while (IsDigit(Next())) ++at_;
    return at_ > begin && at_ - begin <= most;
  }

  bool Number() {
    Take('-');
    if (!Take('0') && !Digits(kMaxInteger)) return false;
    if (Take('.') && !Digits(kMaxFraction)) return false;
    if (!Take('e') && !Take('E')) return true;
    if (!Take('+')) Take('-');
    return Digits(4);
  }

  bool String() {
    if (!Take('"')) return false;
    while (!AtEnd()) {
      SkipPlain();
      const char c = Next();
      if (c == '"') return ++at_, true;
      if (c == '\\') {
        if (!Escape()) return false;
        continue;
      }
      if (static_cast<unsigned char>(c) < 0x20) return false;
      const std::size_t length = CharacterLength(text_.substr(at_));
      if (length == 0) return false;
      at_ += length;
    }
    return false;
  }

  void SkipPlain() {
    std::uint64_t word = 0;
    while (text_.size() - at_ >= sizeof word) {
      std::memcpy(&word, text_.data() + at_, sizeof word);
      if (!IsPlainInString(word)) break;
      at_ += sizeof word;
    }
    while (!AtEnd()) {
      const auto c = static_cast<unsigned char>(text_[at_]);
      if (c == '"' || c == '\\' || c < 0x20 || c >= 0x80) return;
      ++at_;
    }
  }

  bool Escape() {
    ++at_;
    if (!Take('u'))
      return std::string_view("\"\\/bfnrt").find(Next()) !=
                 std::string_view::npos &&
             ++at_ > 0;
    const int unit = Hex();
    if (unit <= 0) return false;
    if (unit < 0xD800 || unit > 0xDFFF) return true;
    if (unit > 0xDBFF || !Take("\\u")) return false;
    const int low = Hex();
    return low >= 0xDC00 && low <= 0xDFFF;
  }

  // Returns four hexadecimal digits as a number; -1 if they are invalid.
  int Hex() {
    int value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = Next();
      const int digit = IsDigit(c)             ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return -1;
      value = value * 16 + digit;
    }
    return value;
  }

  // PostgreSQL's numeric has up to 131,072 digits before the point and 16,383
  // behind it; the exponent may move 9,999.
  static constexpr std::size_t kMaxInteger = 100'000;
  static constexpr std::size_t kMaxFraction = 6'000;

  const std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::bitset<kMaxDepth> in_object_;
};

}  // namespace

bool IsText(std::string_view text) {
  while (!text.empty()) {
    std::uint64_t word = 0;
    while (text.size() >= sizeof word) {
      std::memcpy(&word, text.data(), sizeof word);
      if (!IsPlainWord(word)) break;
      text.remove_prefix(sizeof word);
    }
    if (text.empty()) return true;
    const std::size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsJsonObject(std::string_view text) { return Scanner(text).Object(); }

std::string_view CutText(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && IsContinuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

}  // namespace fluxnetes::queue
