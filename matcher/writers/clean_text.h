// Text that comes from files and commands, made fit for XML, HTML and dot:
// UTF-8 without control characters. What is not that becomes U+FFFD each, but
// for tabs and ends of lines, which stay.
#pragma once

#include <string>
#include <string_view>

namespace fluxnetes::matcher {

std::string CleanText(std::string_view text);

// The same for the inside of an XML element or attribute.
std::string XmlText(std::string_view text);

}  // namespace fluxnetes::matcher
