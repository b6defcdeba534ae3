#include "matcher/cel/token.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace fluxnetes::matcher::cel {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::string_view, 24> kSigns = {
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}",
    "(",  ")",  ".",  ",",  "-",  "!",  "?", ":", "+", "*", "/", "%"};

void AppendUtf8(std::uint32_t code, std::string& out) {
  const auto put = [&out](std::uint32_t byte) {
    out += static_cast<char>(byte);
  };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0 | code >> 6);
    put(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    put(0xE0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  } else {
    put(0xF0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3F));
    put(0x80 | (code >> 6 & 0x3F));
    put(0x80 | (code & 0x3F));
  }
}

// Reads tokens one after the other.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Token Next() {
    SkipSpace();
    Token token;
    token.at = at_;
    if (Rest().empty()) return token;
    const char c = Peek();
    if (std::optional<std::size_t> prefix = StringPrefix()) {
      ReadString(*prefix, token);
    } else if (IsLetter(c)) {
      ReadName(token);
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      ReadNumber(token);
    } else {
      ReadSign(token);
    }
    return token;
  }

 private:
  std::string_view Rest() const { return text_.substr(place_); }
  char Peek(std::size_t ahead = 0) const {
    return place_ + ahead < text_.size() ? text_[place_ + ahead] : '\0';
  }
  char Take() {
    const char c = text_[place_++];
    if (c == '\n') {
      ++at_.line;
      at_.column = 1;
    } else if ((c & 0xC0) != 0x80) {
      ++at_.column;
    }
    return c;
  }
  [[noreturn]] void Fail(Position at, const std::string& text) const {
    throw ExpressionError(at, text);
  }

  void SkipSpace() {
    while (!Rest().empty()) {
      const char c = Peek();
      if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
        Take();
      } else if (Rest().starts_with("//")) {
        while (!Rest().empty() && Peek() != '\n') Take();
      } else {
        return;
      }
    }
  }

  // How many letters the string that begins here has ahead of its quote.
  std::optional<std::size_t> StringPrefix() const {
    std::size_t letters = 0;
    const auto letter = [&](char lower) {
      if ((Peek(letters) | 0x20) == lower) ++letters;
    };
    letter('b');
    letter('r');
    const char c = Peek(letters);
    if (c == '"' || c == '\'') return letters;
    return std::nullopt;
  }

  void ReadName(Token& token) {
    while (IsLetter(Peek()) || IsDigit(Peek())) token.text += Take();
    token.kind = token.text == "in" ? Token::Kind::kSign : Token::Kind::kName;
  }

  void ReadSign(Token& token) {
    for (const std::string_view sign : kSigns) {
      if (!Rest().starts_with(sign)) continue;
      for (std::size_t i = 0; i < sign.size(); ++i) Take();
      token.kind = Token::Kind::kSign;
      token.text = sign;
      return;
    }
    std::size_t end = place_ + 1;
    while (end < text_.size() && (text_[end] & 0xC0) == 0x80) ++end;
    Fail(at_,
         fmt::format("CEL has no '{}'", text_.substr(place_, end - place_)));
  }

  void ReadNumber(Token& token);
  void ReadString(std::size_t prefix, Token& token);
  void ReadEscape(Token& token);
  std::uint32_t ReadHex(int digits, Position at);

  std::string_view text_;
  std::size_t place_ = 0;
  Position at_;
};

void Scanner::ReadNumber(Token& token) {
  const bool hex = Peek() == '0' && Peek(1) == 'x' && HexDigit(Peek(2)) >= 0;
  bool real = false;
  if (hex) {
    token.text += Take();
    token.text += Take();
    while (HexDigit(Peek()) >= 0) token.text += Take();
  } else {
    while (IsDigit(Peek())) token.text += Take();
    if (Peek() == '.' && IsDigit(Peek(1))) {
      real = true;
      token.text += Take();
      while (IsDigit(Peek())) token.text += Take();
    }
    const std::size_t sign = Peek(1) == '+' || Peek(1) == '-' ? 1 : 0;
    if ((Peek() | 0x20) == 'e' && IsDigit(Peek(1 + sign))) {
      real = true;
      for (std::size_t i = 0; i <= sign; ++i) token.text += Take();
      while (IsDigit(Peek())) token.text += Take();
    }
  }
  if (real) {
    token.kind = Token::Kind::kDouble;
    const char* const end = token.text.data() + token.text.size();
    const auto read = std::from_chars(token.text.data(), end, token.real);
    if (read.ec != std::errc()) {
      Fail(token.at, fmt::format("{} is no double", token.text));
    }
    return;
  }
  token.kind = Token::Kind::kInt;
  if ((Peek() | 0x20) != 'u') return;
  Take();
  token.kind = Token::Kind::kUint;
  const std::string_view digits =
      hex ? std::string_view(token.text).substr(2) : token.text;
  const char* const end = digits.data() + digits.size();
  const auto read =
      std::from_chars(digits.data(), end, token.number, hex ? 16 : 10);
  if (read.ec != std::errc()) {
    Fail(token.at, fmt::format("{}u is larger than a uint", token.text));
  }
}

std::uint32_t Scanner::ReadHex(int digits, Position at) {
  std::uint32_t code = 0;
  for (int i = 0; i < digits; ++i) {
    const int digit = HexDigit(Peek());
    if (digit < 0) Fail(at, "an escape lacks digits");
    code = code << 4 | static_cast<std::uint32_t>(digit);
    Take();
  }
  return code;
}

void Scanner::ReadEscape(Token& token) {
  const Position at = at_;
  Take();
  if (Rest().empty()) Fail(token.at, "the string has no end");
  constexpr std::string_view kLetters = "abfnrtv\"'\\?`";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\"'\\?`";
  const char c = Take();
  if (const auto found = kLetters.find(c); found != std::string_view::npos) {
    token.text += kMeanings[found];
    return;
  }
  std::uint32_t code = 0;
  if (c == 'x' || c == 'X') {
    code = ReadHex(2, at);
  } else if (c == 'u') {
    code = ReadHex(4, at);
  } else if (c == 'U') {
    code = ReadHex(8, at);
  } else if (c >= '0' && c <= '3') {
    code = static_cast<std::uint32_t>(c - '0');
    for (int i = 0; i < 2; ++i) {
      if (Peek() < '0' || Peek() > '7') Fail(at, "an escape lacks digits");
      code = code << 3 | static_cast<std::uint32_t>(Take() - '0');
    }
  } else {
    Fail(at, fmt::format("CEL has no escape \\{}", c));
  }
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
    Fail(at, "an escape is no character of Unicode");
  }
  AppendUtf8(code, token.text);
}

void Scanner::ReadString(std::size_t prefix, Token& token) {
  bool raw = false;
  for (std::size_t i = 0; i < prefix; ++i) {
    const char letter = static_cast<char>(Take() | 0x20);
    if (letter == 'b') Fail(token.at, "bytes are not supported");
    raw = true;
  }
  token.kind = Token::Kind::kString;
  const char quote = Peek();
  const std::string three(3, quote);
  const bool lines = Rest().starts_with(three);
  const std::string_view end =
      lines ? std::string_view(three) : std::string_view(three).substr(2);
  for (std::size_t i = 0; i < end.size(); ++i) Take();
  while (!Rest().starts_with(end)) {
    const char c = Peek();
    if (Rest().empty() || (!lines && (c == '\n' || c == '\r'))) {
      Fail(token.at, "the string has no end");
    }
    if (c == '\\' && !raw) {
      ReadEscape(token);
    } else {
      token.text += Take();
    }
  }
  for (std::size_t i = 0; i < end.size(); ++i) Take();
}

}  // namespace

std::vector<Token> Tokenize(std::string_view expression) {
  Scanner scanner(expression);
  std::vector<Token> tokens;
  do {
    tokens.push_back(scanner.Next());
  } while (tokens.back().kind != Token::Kind::kEnd);
  return tokens;
}

}  // namespace fluxnetes::matcher::cel
