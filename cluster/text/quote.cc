#include "cluster/text/quote.h"

#include "cluster/text/utf8.h"

namespace fluxnetes::cluster {
namespace {

constexpr std::size_t kLongestQuote = 60;

std::string Escaped(unsigned char byte) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  return {'\\', 'x', kDigits[byte >> 4U], kDigits[byte & 15U]};
}

}  // namespace

std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  std::string_view rest = text;
  while (!rest.empty()) {
    if (quoted.size() > kLongestQuote) {
      return quoted + "...\" (" + std::to_string(text.size()) + " bytes)";
    }
    const std::size_t length = Utf8Length(rest);
    const auto byte = static_cast<unsigned char>(rest[0]);
    if (rest[0] == '"' || rest[0] == '\\') {
      quoted += {'\\', rest[0]};
    } else if (length == 0 || byte < 0x20 || byte == 0x7F) {
      quoted += Escaped(byte);
    } else {
      quoted += rest.substr(0, length);
    }
    rest.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted + "\"";
}

}  // namespace fluxnetes::cluster
