#include "matcher/readers/json_stream.h"

#include <fmt/format.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <utility>

namespace fluxnetes::matcher {
namespace {

// Returns the first byte from `at` on that does not stand for itself in a text:
// a quote, a backslash, a control character or a byte that is not ASCII. There
// must be one, and 16 bytes from it on must be readable.
const char* SkipPlain(const char* at) {
#ifdef __SSE2__  // every x86-64 has it: 16 bytes at a time
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i blank = _mm_set1_epi8(' ');
  while (true) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    // As signed bytes, those that are not ASCII are below the blank, too.
    const __m128i odd =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                                  _mm_cmpeq_epi8(bytes, backslash)),
                     _mm_cmplt_epi8(bytes, blank));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(odd));
    if (found != 0) return at + std::countr_zero(found);
    at += sizeof bytes;
  }
#else
  const auto plain = [](char c) {
    return static_cast<signed char>(c) >= ' ' && c != '"' && c != '\\';
  };
  while (plain(*at)) ++at;
  return at;
#endif
}

constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

constexpr bool IsOfNumber(char c) {
  return IsDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

// Whether a token of such characters is a number, and whether it is an integer.
struct NumberForm {
  bool right = false;
  bool whole = true;
};

NumberForm FormOf(std::string_view token) {
  NumberForm form;
  const auto digits = [&] {
    const std::size_t count =
        std::min(token.find_first_not_of("0123456789"), token.size());
    token.remove_prefix(count);
    return count > 0;
  };
  if (token.starts_with('-')) token.remove_prefix(1);
  if (token.starts_with('0')) {
    token.remove_prefix(1);
  } else if (!digits()) {
    return form;
  }
  if (token.starts_with('.')) {
    form.whole = false;
    token.remove_prefix(1);
    if (!digits()) return form;
  }
  if (token.starts_with('e') || token.starts_with('E')) {
    form.whole = false;
    token.remove_prefix(1);
    if (token.starts_with('+') || token.starts_with('-')) {
      token.remove_prefix(1);
    }
    if (!digits()) return form;
  }
  form.right = token.empty();
  return form;
}

void AppendUtf8(std::uint32_t code, std::string& text) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | (code >> 6));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
  } else {
    put(0xf0 | (code >> 18));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace

JsonStream::JsonStream(TextSource source, std::size_t buffer)
    : source_(std::move(source)), buffer_(buffer + kSlack) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (Require(kMark.size()) &&
      std::memcmp(buffer_.data(), kMark.data(), kMark.size()) == 0) {
    at_ = kMark.size();
  }
}

JsonStream::JsonStream(TextSource source, std::size_t offset, int depth)
    : source_(std::move(source)),
      buffer_(kBufferBytes + kSlack),
      passed_(offset),
      depth_(depth) {}

// Counts lines only now, by reading the text again.
void JsonStream::Fail(std::string_view what) {
  const std::size_t offset = Offset();
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t begin = 0; begin < offset;) {
    const std::size_t got = source_(begin, buffer_.data(),
                                    std::min(buffer_.size(), offset - begin));
    if (got == 0) break;
    for (std::size_t i = 0; i < got; ++i) {
      const bool ends = buffer_[i] == '\n';
      line += ends ? 1 : 0;
      column = ends ? 1 : column + 1;
    }
    begin += got;
  }
  throw GraphError(
      fmt::format("parse error at line {}, column {}: {}", line, column, what));
}

// Reads more, and keeps the bytes from at_ on. False at the end of the text.
bool JsonStream::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + at_, end_ - at_);
  passed_ += at_;
  end_ -= at_;
  at_ = 0;
  if (end_ + kSlack == buffer_.size()) {
    if (end_ > kMaxTextBytes) {
      Fail(fmt::format("a text has more than {} bytes", kMaxTextBytes));
    }
    buffer_.resize(2 * end_ + kSlack);
  }
  const std::size_t got = source_(passed_ + end_, buffer_.data() + end_,
                                  buffer_.size() - kSlack - end_);
  end_ += got;
  buffer_[end_] = '\0';
  if (passed_ + end_ > kMaxGraphBytes) {
    throw GraphError(
        fmt::format("the document has more than {} bytes", kMaxGraphBytes));
  }
  return got > 0;
}

// True if there are that many bytes from at_ on.
bool JsonStream::Require(std::size_t bytes) {
  while (end_ - at_ < bytes) {
    if (!Fill()) return false;
  }
  return true;
}

char JsonStream::NextAfterSpace() {
  while (true) {
    while (IsSpace(buffer_[at_])) ++at_;
    if (at_ < end_) return buffer_[at_];
    if (!Fill()) Fail("the text ends too early");
  }
}

JsonStream::Kind JsonStream::Peek() {
  switch (const char c = Next(); c) {
    case '{':
      return Kind::kObject;
    case '[':
      return Kind::kList;
    case '"':
      return Kind::kText;
    case 't':
    case 'f':
      return Kind::kFlag;
    case 'n':
      return Kind::kNull;
    default:
      if (!IsDigit(c) && c != '-') Fail("there is no value");
      return Kind::kNumber;
  }
}

void JsonStream::Enter(char bracket) {
  if (Next() != bracket) Fail(fmt::format("there is no '{}'", bracket));
  if (depth_ == kMaxDepth) {
    Fail(fmt::format("the document is nested more than {} deep", kMaxDepth));
  }
  ++at_;
  open_[++depth_] = bracket;
  fresh_ = true;
}

// At the end of an object or list, leaves it and returns true. Else goes to the
// next key or value.
bool JsonStream::Leave(char bracket) {
  const bool first = std::exchange(fresh_, false);
  char c = Next();
  if (c == bracket) {
    ++at_;
    --depth_;
    return true;
  }
  if (first) return false;
  if (c != ',') Fail(fmt::format("there is neither ',' nor '{}'", bracket));
  ++at_;
  c = Next();
  if (c == bracket) Fail("a value is missing after ','");
  return false;
}

// If a key follows, with at most one blank behind the comma, goes there and
// returns true.
bool JsonStream::SkipToKey() {
  const char* at = buffer_.data() + at_;
  if (fresh_ || *at != ',') return false;
  at += at[1] == ' ' ? 2 : 1;
  if (*at != '"') return false;
  at_ = at - buffer_.data();
  return true;
}

std::optional<std::string_view> JsonStream::NextKey() {
  if (!SkipToKey() && Leave('}')) return std::nullopt;
  if (buffer_[at_] != '"') Fail("there is no key");
  std::string_view key = TextHere();
  if (buffer_[at_] != ':') {
    // Looking for it may move the buffer, and the key with it.
    if (key.data() != text_.data()) key = text_.assign(key);
    if (Next() != ':') Fail("there is no ':'");
  }
  ++at_;
  return key;
}

bool JsonStream::NextElement() { return !Leave(']'); }

// Returns the length of the character that begins `ahead` bytes from here.
std::size_t JsonStream::CheckUtf8(std::size_t ahead) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(buffer_[at_ + ahead + i]);
  };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (lead < 0xc2 || lead > 0xf4 || !Require(ahead + length)) {
    Fail("a text is not UTF-8");
  }
  const unsigned char least = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  bool right = byte(1) >= least && byte(1) <= most;
  for (std::size_t i = 2; i < length; ++i) right &= (byte(i) & 0xc0) == 0x80;
  if (!right) Fail("a text is not UTF-8");
  return length;
}

std::string_view JsonStream::Text() {
  if (Next() != '"') Fail("there is no text");
  fresh_ = false;
  return TextHere();
}

// Reads the text behind the quote at at_.
std::string_view JsonStream::TextHere() {
  std::size_t ahead = 1;
  while (true) {
    const char* byte = SkipPlain(buffer_.data() + at_ + ahead);
    ahead = byte - (buffer_.data() + at_);
    if (*byte == '"') break;
    if (at_ + ahead == end_) {
      if (!Fill()) Fail("a text does not end");
    } else if (*byte == '\\') {
      return Unescape(ahead);
    } else if (static_cast<unsigned char>(*byte) < 0x20) {
      Fail("a text has a control character");
    } else {
      ahead += CheckUtf8(ahead);
    }
  }
  const std::string_view text(buffer_.data() + at_ + 1, ahead - 1);
  at_ += ahead + 1;
  return text;
}

// The slow path, from the first backslash on.
std::string_view JsonStream::Unescape(std::size_t ahead) {
  text_.assign(buffer_.data() + at_ + 1, ahead - 1);
  at_ += ahead;
  while (true) {
    if (!Require(1)) Fail("a text does not end");
    if (text_.size() > kMaxTextBytes) {
      Fail(fmt::format("a text has more than {} bytes", kMaxTextBytes));
    }
    const char c = buffer_[at_];
    if (c == '"') break;
    if (c == '\\') {
      UnescapeOne();
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20) {
      Fail("a text has a control character");
    }
    const std::size_t length =
        static_cast<unsigned char>(c) < 0x80 ? 1 : CheckUtf8(0);
    text_.append(buffer_.data() + at_, length);
    at_ += length;
  }
  ++at_;
  return text_;
}

void JsonStream::UnescapeOne() {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeant = "\"\\/\b\f\n\r\t";
  if (!Require(2)) Fail("a text does not end");
  const char letter = buffer_[at_ + 1];
  at_ += 2;
  if (const auto known = kLetters.find(letter);
      known != std::string_view::npos) {
    text_ += kMeant[known];
    return;
  }
  if (letter != 'u') Fail("a text has an unknown escape");
  std::uint32_t code = HexDigits();
  if (code >= 0xd800 && code < 0xe000) {
    const bool pair = code < 0xdc00 && Require(2) && buffer_[at_] == '\\' &&
                      buffer_[at_ + 1] == 'u';
    if (!pair) Fail("a text has half of a pair of escapes");
    at_ += 2;
    const std::uint32_t low = HexDigits();
    if (low < 0xdc00 || low >= 0xe000) {
      Fail("a text has half of a pair of escapes");
    }
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  AppendUtf8(code, text_);
}

std::uint32_t JsonStream::HexDigits() {
  constexpr std::size_t kDigits = 4;
  std::uint32_t code = 0;
  if (!Require(kDigits)) Fail("a text does not end");
  const char* begin = buffer_.data() + at_;
  const auto [end, error] = std::from_chars(begin, begin + kDigits, code, 16);
  if (error != std::errc() || end != begin + kDigits) {
    Fail("an escape has no four digits");
  }
  at_ += kDigits;
  return code;
}

std::string_view JsonStream::NumberToken() {
  Next();
  fresh_ = false;
  std::size_t length = 0;
  do {
    while (IsOfNumber(buffer_[at_ + length])) ++length;
  } while (at_ + length == end_ && Fill());
  return {buffer_.data() + at_, length};
}

// Reads a few digits, as most numbers have; nothing if it takes a closer look.
std::optional<std::int64_t> JsonStream::ShortInteger() {
  constexpr std::ptrdiff_t kMostDigits = 15;
  const char* const first = buffer_.data() + at_;
  const char* const digits = first + (*first == '-' ? 1 : 0);
  const char* at = digits;
  std::int64_t value = 0;
  for (; IsDigit(*at) && at - digits <= kMostDigits; ++at) {
    value = 10 * value + (*at - '0');
  }
  const std::ptrdiff_t count = at - digits;
  if (count == 0 || count > kMostDigits || (count > 1 && *digits == '0') ||
      IsOfNumber(*at) || at == buffer_.data() + end_) {
    return std::nullopt;
  }
  at_ += at - first;
  return digits == first ? value : -value;
}

std::optional<std::int64_t> JsonStream::Integer() {
  Next();
  fresh_ = false;
  if (const auto value = ShortInteger()) return value;
  const std::string_view token = NumberToken();
  const NumberForm form = FormOf(token);
  if (!form.right) Fail("a number is malformed");
  at_ += token.size();
  std::int64_t value = 0;
  const char* end = token.data() + token.size();
  const auto [last, error] = std::from_chars(token.data(), end, value);
  if (!form.whole || error != std::errc() || last != end) return std::nullopt;
  return value;
}

void JsonStream::Literal() {
  const char first = Next();
  const std::string_view word = first == 't'   ? "true"
                                : first == 'f' ? "false"
                                               : "null";
  if (!Require(word.size()) ||
      std::string_view(buffer_.data() + at_, word.size()) != word) {
    Fail("there is no value");
  }
  at_ += word.size();
  fresh_ = false;
}

bool JsonStream::Flag() {
  const bool value = Next() == 't';
  Literal();
  return value;
}

void JsonStream::Skip() {
  const int depth = depth_;
  do {
    if (depth_ > depth) {
      const bool more =
          open_[depth_] == '{' ? NextKey().has_value() : NextElement();
      if (!more) continue;
    }
    switch (Peek()) {
      case Kind::kObject:
        EnterObject();
        break;
      case Kind::kList:
        EnterList();
        break;
      case Kind::kText:
        Text();
        break;
      case Kind::kNumber:
        Integer();
        break;
      default:
        Literal();
    }
  } while (depth_ > depth);
}

void JsonStream::End() {
  do {
    while (IsSpace(buffer_[at_])) ++at_;
    if (at_ < end_) Fail("something follows the document");
  } while (Fill());
}

}  // namespace fluxnetes::matcher
