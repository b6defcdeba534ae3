#include "matcher/readers/xml_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace fluxnetes::matcher {

void ParseXml(std::string_view text, pugi::xml_document& document) {
  if (text.size() > kMaxGraphBytes) {
    throw GraphError(fmt::format("the document has {} bytes; at most {} do",
                                 text.size(), kMaxGraphBytes));
  }
  const pugi::xml_parse_result result = document.load_buffer(
      text.data(), text.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) {
    throw GraphError(fmt::format("line {}: {}", LineOf(text, result.offset),
                                 result.description()));
  }
}

std::size_t LineOf(std::string_view text, std::ptrdiff_t offset) {
  const auto end =
      text.begin() + std::clamp<std::ptrdiff_t>(
                         offset, 0, static_cast<std::ptrdiff_t>(text.size()));
  return static_cast<std::size_t>(std::count(text.begin(), end, '\n')) + 1;
}

}  // namespace fluxnetes::matcher
