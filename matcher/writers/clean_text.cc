#include "matcher/writers/clean_text.h"

#include <cstdint>

namespace fluxnetes::matcher {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

// Returns the bytes of the character that the text begins with; 0 if it is not
// an allowed one (RFC 3629, and the characters of XML 1.0).
std::size_t CharacterLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char first = byte(0);
  if (first < 0x80) {
    const bool space = first == '\t' || first == '\n' || first == '\r';
    return (first >= 0x20 && first != 0x7F) || space ? 1 : 0;
  }
  const std::size_t length = first >= 0xF0   ? 4
                             : first >= 0xE0 ? 3
                             : first >= 0xC0 ? 2
                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return 0;
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  const bool none = code == 0xFFFE || code == 0xFFFF || code > 0x10FFFF;
  return code < kLeast[length] || surrogate || none ? 0 : length;
}

}  // namespace

std::string CleanText(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const std::size_t length = CharacterLength(text);
    clean += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

std::string XmlText(std::string_view text) {
  std::string quoted;
  for (const char c : CleanText(text)) {
    switch (c) {
      case '&':
        quoted += "&amp;";
        break;
      case '<':
        quoted += "&lt;";
        break;
      case '>':
        quoted += "&gt;";
        break;
      case '"':
        quoted += "&quot;";
        break;
      // parsers turn \r into \n, and \t and \n in attributes into blanks
      case '\r':
      case '\n':
      case '\t':
        quoted += "&#" + std::to_string(static_cast<int>(c)) + ";";
        break;
      default:
        quoted += c;
    }
  }
  return quoted;
}

}  // namespace fluxnetes::matcher
