#include "cluster/text/base64.h"

#include <cstdint>

namespace fluxnetes::cluster {

std::optional<std::string> DecodeBase64(std::string_view text) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;  // characters, including padding
  int padding = 0;
  for (const char c : text) {
    if (std::string_view(" \t\r\n").find(c) != std::string_view::npos) continue;
    const auto value = c == '=' ? 0 : kAlphabet.find(c);
    if (value == std::string_view::npos || (padding > 0 && c != '='))
      return std::nullopt;
    if (c == '=') ++padding;
    bits = (bits << 6U) | static_cast<std::uint32_t>(value);
    if (++count % 4 != 0) continue;
    for (const unsigned shift : {16U, 8U, 0U})
      bytes.push_back(static_cast<char>((bits >> shift) & 0xFFU));
  }
  if (count % 4 != 0 || padding > 2) return std::nullopt;
  bytes.resize(bytes.size() - static_cast<std::size_t>(padding));
  return bytes;
}

}  // namespace fluxnetes::cluster
