// An XML document, and the texts of its attributes.
//
// Only for sources of this folder: it includes pugixml.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

// Throws GraphError if the text is too long or no XML.
void ParseXml(std::string_view text, pugi::xml_document& document);

// The line that a byte of the text is in.
std::size_t LineOf(std::string_view text, std::ptrdiff_t offset);

}  // namespace fluxnetes::matcher
