#include "cluster/text/json_text.h"

namespace fluxnetes::cluster {

void JsonText::String(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  Separate();
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += kHex[static_cast<unsigned char>(c) >> 4U];
      text_ += kHex[static_cast<unsigned char>(c) & 15U];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace fluxnetes::cluster
