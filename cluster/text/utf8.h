// UTF-8 as defined by RFC 3629: no overlong forms, no surrogates.
// Tests: tests/cluster/text/quote_test.cc,
// tests/cluster/text/yaml_document_test.cc.
#pragma once

#include <cstddef>
#include <string_view>

namespace fluxnetes::cluster {

// Returns the length in bytes of the first character of the text; 0 if the text
// is empty or does not begin with a valid character.
std::size_t Utf8Length(std::string_view text);

}  // namespace fluxnetes::cluster
