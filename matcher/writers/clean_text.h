// Makes text from files and commands fit for XML, HTML and dot: UTF-8 without
// control characters. Each byte that does not belong there becomes U+FFFD; tabs
// and line ends stay.
// Tests: tests/matcher/writers/graph_writer_test.cc.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::matcher {

std::string CleanText(std::string_view text);

// Does the same for the inside of an XML element or attribute.
std::string XmlText(std::string_view text);

}  // namespace fluxnetes::matcher
