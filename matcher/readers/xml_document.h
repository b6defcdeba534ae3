// Reads XML documents.
//
// Only for sources of this folder: it includes pugixml.
// Tests: tests/matcher/readers/hwloc_test.cc,
// tests/matcher/readers/grug_test.cc.
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string>
#include <string_view>

#include "matcher/readers/graph_error.h"

namespace fluxnetes::matcher {

// Throws GraphError if the text is too long or not XML.
void ParseXml(std::string_view text, pugi::xml_document& document);

// Returns the line of a byte of the text.
std::size_t LineOf(std::string_view text, std::ptrdiff_t offset);

}  // namespace fluxnetes::matcher
