#include "cluster/text/utf8.h"

#include <algorithm>

namespace fluxnetes::cluster {

std::size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  if (length == 1) return 1;
  const unsigned char second = byte(1);
  const bool bad = (first == 0xE0 && second < 0xA0) ||  // overlong
                   (first == 0xED && second > 0x9F) ||  // surrogates
                   (first == 0xF0 && second < 0x90) ||  // overlong
                   (first == 0xF4 && second > 0x8F);    // past U+10FFFF
  return bad ? 0 : length;
}

std::string ToUtf8(std::string_view bytes) {
  const bool plain = std::ranges::all_of(
      bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (plain) return std::string(bytes);
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = Utf8Length(bytes);
    if (length == 0) {
      text += "\xEF\xBF\xBD";
    } else {
      text += bytes.substr(0, length);
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return text;
}

}  // namespace fluxnetes::cluster
